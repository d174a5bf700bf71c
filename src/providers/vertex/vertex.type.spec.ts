import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sharedFolder } from '../../common/testing/started.js';
import { loadConfig } from '../../config/load-config.js';
import { secretsOfProvider } from '../../config/secrets.js';
import { providerTypes } from '../registry/provider-types.js';
import { locationAddress } from './location-address.js';
import { GLOBAL_ADDRESS } from './vertex.type.js';

describe('An entry of type vertex', () => {
  const folder = sharedFolder();

  const load = (text: string, env: NodeJS.ProcessEnv = {}) => {
    const file = join(folder, 'switchyard.yaml');
    writeFileSync(file, text);
    return loadConfig({ file, env, cwd: folder, types: providerTypes }).providers['vertex'];
  };

  it('is switched on by the project and the location of the environment together', () => {
    const entry = load('{}', { GOOGLE_CLOUD_PROJECT: 'harbour-1', GOOGLE_CLOUD_LOCATION: 'eu' });
    expect(entry).toMatchObject({
      type: 'vertex',
      base_url: 'https://aiplatform.googleapis.com',
      options: { project: 'harbour-1', location: 'eu' },
    });
    expect(load('{}', { GOOGLE_CLOUD_PROJECT: 'harbour-1' })).toBeUndefined();
  });

  it('fills in from the environment what it does not say, and runs at global', () => {
    expect(load('providers: { vertex: {} }', { GOOGLE_CLOUD_PROJECT: 'harbour-1' })?.options).toMatchObject({ project: 'harbour-1' });
    expect(load('providers: { vertex: { options: { project: p } } }', { GOOGLE_CLOUD_PROJECT: 'other' })?.options).toMatchObject({
      project: 'p',
    });
  });

  it.each([
    ['{ project: ../x }', /switchyard\.yaml:1.*providers\.vertex\.options\.project: must be the id or the number of a project/],
    ['{ project: p, location: evil.example/ }', /providers\.vertex\.options\.location: must be global/],
    ['{ project: p, lokation: eu }', /lokation/],
    ['{}', /providers\.vertex\.options\.project/],
    ['{ project: p, service_account: "{}", service_account_file: key.json }', /service_account_file: stands beside service_account/],
  ])('with the options %s is refused by file, line and field', (options, message) => {
    expect(() => load(`providers: { vertex: { options: ${options} } }`)).toThrow(message);
  });

  it('has a secret key of its service account', () => {
    const key = '{ "type": "service_account" }';
    const entry = load(`providers: { vertex: { options: { project: p, service_account: '${key}' } } }`)!;
    expect(secretsOfProvider(entry)).toContain(key);
  });
});

describe('locationAddress', () => {
  it.each([
    ['global', 'https://aiplatform.googleapis.com/v1'],
    ['europe-west1', 'https://europe-west1-aiplatform.googleapis.com/v1'],
    ['us', 'https://aiplatform.us.rep.googleapis.com/v1'],
    ['eu', 'https://aiplatform.eu.rep.googleapis.com/v1'],
  ])('of %s is %s', (location, address) => {
    expect(locationAddress(GLOBAL_ADDRESS, location, 'v1')).toBe(address);
  });

  it('is the entry’s own where it has one, with its version', () => {
    expect(locationAddress('https://vertex.example', 'eu', 'v1')).toBe('https://vertex.example/v1');
    expect(locationAddress('https://vertex.example/v7?a=b', 'eu', 'v1')).toBe('https://vertex.example/v7?a=b');
  });
});
