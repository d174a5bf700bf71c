import { writeFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { emptyFolder } from '../../common/testing/started.js';
import type { ConfigError } from '../../config/config-problems.js';
import { markedJsonSchema } from '../../config/declared-options.js';
import { loadConfig } from '../../config/load-config.js';
import { secretsOfProvider } from '../../config/secrets.js';
import { providerTypes } from '../registry/provider-types.js';
import { ModelFactsService } from '../model-facts/model-facts.service.js';
import { suiteEntry } from '../testing/suite-entry.js';
import { HttpTransport } from '../transport/http-transport.js';
import { awsPackages } from './aws-packages.js';
import { BedrockFactory } from './bedrock.factory.js';

describe('An entry of type bedrock in the configuration', () => {
  const cwd = emptyFolder();

  const load = (yaml: string, env: Record<string, string> = {}) => {
    writeFileSync(join(cwd, 'switchyard.yaml'), yaml);
    return loadConfig({ cwd, env, types: providerTypes }).providers;
  };
  const problems = (yaml: string): readonly string[] => {
    try {
      load(yaml);
    } catch (error) {
      return (error as ConfigError).problems;
    }
    return [];
  };

  it('has the address of its region', () => {
    const { bedrock } = load('providers: { bedrock: { options: { region: eu-west-1 } } }\n');
    expect(bedrock).toMatchObject({ type: 'bedrock', base_url: 'https://bedrock-runtime.eu-west-1.amazonaws.com' });
    expect(load('providers: { bedrock: {} }\n', { AWS_REGION: 'us-east-2' })['bedrock']!.base_url).toContain('.us-east-2.');
  });

  it('is switched on by AWS’s own variables for Bedrock alone', () => {
    const key = { AWS_BEARER_TOKEN_BEDROCK: 'bedrock-api-key-1' };
    expect(load('', { ...key, AWS_REGION: 'us-east-1' })['bedrock']).toMatchObject({
      api_key: 'bedrock-api-key-1',
      options: { region: 'us-east-1' },
    });
    expect(load('', { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_REGION: 'us-east-1' })['bedrock']).toBeUndefined();
    expect(load('', key)['bedrock']).toBeUndefined();
  });

  it('has mistakes with file, line and field', () => {
    const yaml = `providers:
  bedrock:
    base_url: http://127.0.0.1:1
    options:
      region: Frankfurt
      profil: models
      access_key_id: AKID
      guardrail: { id: gr-1, version: latest }
`;
    const all = problems(yaml).join('\n');
    expect(all).toContain('switchyard.yaml:5:15: providers.bedrock.options.region: must be a region of AWS, such as us-east-1');
    expect(all).toMatch(/switchyard\.yaml:6:7: providers\.bedrock\.options\.profil is unknown/);
    expect(all).toMatch(/switchyard\.yaml:8:39: providers\.bedrock\.options\.guardrail\.version: must be DRAFT or a number/);
    const half = 'providers:\n  bedrock:\n    options:\n      region: eu-west-1\n      access_key_id: AKID\n';
    expect(problems(half).join()).toMatch(/options\.secret_access_key: must be set together with access_key_id/);
    expect(problems('providers: { bedrock: {} }\n').join('\n')).toMatch(/region/);
  });

  it('hides its secrets', () => {
    const options = '{ region: eu-west-1, access_key_id: AKID, secret_access_key: geheim, session_token: flüchtig }';
    const { bedrock } = load(`providers: { bedrock: { options: ${options} } }\n`);
    expect(secretsOfProvider(bedrock!)).toEqual(expect.arrayContaining(['geheim', 'flüchtig']));
    const { properties } = markedJsonSchema('bedrock') as { properties: Record<string, object> };
    for (const name of ['secret_access_key', 'session_token']) expect(properties[name]).toMatchObject({ writeOnly: true });
  });
});

const imported = (file: string): string[] => {
  const source = readFileSync(new URL(file, import.meta.url), 'utf8').replaceAll(/^import type .*$/gm, '');
  return Array.from(source.matchAll(/^import .* from '([^']+)';$/gm), ([, name]) => name!);
};

describe('An entry of type bedrock', () => {
  it('makes a provider that has asked nobody', async () => {
    const entry = suiteEntry('http://127.0.0.1:9', { options: { region: 'eu-central-1' } });
    const factory = new BedrockFactory(new HttpTransport(), {} as ModelFactsService);
    const provider = await factory.create('aws', { ...entry.config, type: 'bedrock', api_key: undefined }, entry.services);
    expect([provider.id, provider.name]).toEqual(['aws', 'Amazon Bedrock']);
    await entry.close();
  });

  it('says in one line what has to be installed where AWS’s packages are not', async () => {
    const absent = '@aws-sdk/not-installed';
    await expect(awsPackages(() => import(absent) as never)).rejects.toThrow(
      /^it needs packages that are not installed: npm install @aws-sdk\/credential-provider-node @smithy\/signature-v4 @smithy\/eventstream-codec$/,
    );
  });

  it('is what loads the folder: nothing else of it is reached without one', () => {
    const inFolder = (file: string) => imported(file).filter((name) => name.startsWith('./'));
    expect(inFolder('bedrock.factory.ts')).toEqual([]);
    expect(inFolder('bedrock.type.ts')).toEqual(['./bedrock.options.js']);
    expect(imported('bedrock.options.ts')).toEqual(['zod']);
  });
});
