import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020.js';
import * as z from 'zod';
import { configJsonSchema } from './config-json-schema.js';
import { ConfigError } from './config-problems.js';
import { loadConfig, variablesWithoutEffect } from './load-config.js';
import type { OptionsSchema } from './options-schema.js';
import type { ProviderType } from './provider-type.js';
import { secretsOfProvider } from './secrets.js';
import { coercedOptions } from './coerced-options.js';

const cloudOptions = z.strictObject({
  region: z.string().regex(/^[a-z]+-[a-z]+-\d$/),
  retries: z.int().min(0).default(2),
  debug: z.boolean().optional(),
  login: z.strictObject({ user: z.string(), answer: z.string().meta({ writeOnly: true }).describe('What the door asks for.') }).optional(),
});

const cloud: ProviderType = {
  type: 'cloud',
  name: 'Cloud',
  baseUrl: 'https://models.{region}.cloud.example/v1',
  environment: { apiKey: 'CLOUD_KEY', options: { region: 'CLOUD_REGION', pin: 'CLOUD_PIN' } },
  requires: ['CLOUD_REGION', 'CLOUD_PROFILE'],
  options: cloudOptions,
  secretOptions: ['pin'],
};

/** A library that tells no JSON schema, and quotes what it refuses. */
const quoting = (validate: (value: unknown) => { issues: { message: string; path?: PropertyKey[] }[] } | { value: unknown }) =>
  ({ '~standard': { version: 1, vendor: 'quoting', validate } }) as OptionsSchema;

describe('The options of a type', () => {
  let cwd: string;
  beforeEach(() => (cwd = mkdtempSync(join(tmpdir(), 'switchyard-options-'))));
  afterEach(() => rmSync(cwd, { recursive: true }));

  const load = (yaml: string, env: Record<string, string> = {}, types = [cloud]) => {
    writeFileSync(join(cwd, 'switchyard.yaml'), yaml);
    return loadConfig({ cwd, env, types });
  };
  const problems = (yaml: string, env?: Record<string, string>, types?: ProviderType[]): readonly string[] => {
    try {
      load(yaml, env, types);
    } catch (error) {
      return (error as ConfigError).problems;
    }
    return [];
  };

  it('have mistakes with file, line and field, all at once', () => {
    const yaml = `providers:
  cloud:
    options:
      region: Europe
      retires: 3
      login: { user: me }
`;
    expect(problems(yaml)).toEqual([
      'switchyard.yaml:4:15: providers.cloud.options.region: Invalid string: must match pattern /^[a-z]+-[a-z]+-\\d$/',
      expect.stringMatching(/^switchyard\.yaml:6:14: providers\.cloud\.options\.login\.answer: /),
      'switchyard.yaml:5:7: providers.cloud.options.retires is unknown; did you mean retries?',
    ]);
    expect(problems('providers:\n  cloud: {}\n')).toEqual([
      'switchyard.yaml:2:10: providers.cloud.base_url is missing',
      expect.stringMatching(/^switchyard\.yaml:2:10: providers\.cloud\.options\.region: .*received undefined$/),
    ]);
  });

  it('are told without a value of them, which may be a secret', () => {
    const type = {
      ...cloud,
      options: quoting((value) => ({
        issues: [{ message: `must be short (was "${(value as { word: string }).word}")`, path: ['word'] }],
      })),
    };
    expect(problems('providers: { cloud: { options: { word: hunter2hunter2, region: eu-west-1 } } }', {}, [type])).toEqual([
      'switchyard.yaml:1:40: providers.cloud.options.word: must be short (was "…")',
    ]);
    const throwing = { ...type, options: quoting(() => Promise.reject(new Error('later')) as never) };
    expect(problems('providers: { cloud: { options: { region: eu-west-1 } } }', {}, [throwing])).toEqual([
      expect.stringContaining('its schema answers asynchronously, which a configuration cannot wait for'),
    ]);
  });

  it('come from the environment too, as numbers and booleans where the schema wants these', () => {
    const yaml = 'providers: { cloud: { options: { retries: "${RETRIES}", debug: "${DEBUG}" } } }';
    const config = load(yaml, { RETRIES: '4', DEBUG: 'true', CLOUD_REGION: 'eu-west-1' });
    expect(config.providers['cloud']).toMatchObject({
      base_url: 'https://models.eu-west-1.cloud.example/v1',
      options: { region: 'eu-west-1', retries: 4, debug: true },
    });
    expect(problems('providers: { cloud: {} }', { CLOUD_REGION: 'Nowhere' })).toEqual([
      expect.stringMatching(/^CLOUD_REGION: providers\.cloud\.options\.region: Invalid string/),
    ]);
  });

  it('never make an address lead elsewhere', () => {
    expect(problems('providers: { cloud: { options: { region: "evil.example/" } } }')).toContain(
      'switchyard.yaml:1:21: providers.cloud.base_url is missing',
    );
  });

  it('switch a type on only with all that it requires', () => {
    expect(load('', { CLOUD_REGION: 'eu-west-1', CLOUD_KEY: 'k' }).providers).toEqual({});
    const { providers } = load('', { CLOUD_REGION: 'eu-west-1', CLOUD_PROFILE: 'p' });
    expect(providers['cloud']).toMatchObject({ type: 'cloud', options: { region: 'eu-west-1' } });
    writeFileSync(join(cwd, 'switchyard.yaml'), '');
    expect(variablesWithoutEffect({ cwd, env: { CLUOD_KEY: 'x', CLOUD_PROFILE: 'p', CLOUD_PIN: '1' }, types: [cloud] })).toEqual([
      'CLUOD_KEY has no effect; did you mean CLOUD_KEY?',
    ]);
  });

  it('switch nothing on without the packages of the vendor, which is no error and is told', () => {
    const env = { CLOUD_REGION: 'eu-west-1', CLOUD_PROFILE: 'p' };
    const absent = [{ ...cloud, packages: ['zod', '@acme/cloud-signer'] }];
    expect(load('', env, [{ ...cloud, packages: ['zod'] }]).providers['cloud']).toBeDefined();
    expect(load('', env, absent).providers).toEqual({});
    expect(load('providers: { cloud: {} }', env, absent).providers['cloud']).toBeDefined();
    writeFileSync(join(cwd, 'switchyard.yaml'), '');
    expect(variablesWithoutEffect({ cwd, env, types: absent })).toEqual([
      'CLOUD_REGION and CLOUD_PROFILE switch nothing on: Cloud needs packages that are not installed: npm install zod @acme/cloud-signer',
    ]);
  });

  it('hide what the type marks as secret, and send no secret of the environment to an address of the file', () => {
    const loose = { ...cloud, options: undefined };
    const secrets = { pin: '4711', login: { user: 'someone', answer: 'under the mat' } };
    const one = load(`providers: { cloud: { options: ${JSON.stringify({ region: 'eu-west-1', login: secrets.login })} } }`);
    expect(secretsOfProvider(one.providers['cloud']!)).toEqual(['under the mat']);
    const filled = load('providers: { cloud: { options: { region: eu-west-1 } } }', { CLOUD_PIN: '4711' }, [loose]);
    expect(secretsOfProvider(filled.providers['cloud']!)).toContain('4711');
    const elsewhere = load('providers: { cloud: { base_url: "http://x" } }', { CLOUD_PIN: '4711', CLOUD_REGION: 'eu-west-1' }, [loose]);
    expect(elsewhere.providers['cloud']?.options).toEqual({ region: 'eu-west-1' });
  });

  it('are in the JSON schema of the file, with the secrets marked', () => {
    const told = configJsonSchema([cloud]);
    const check = new Ajv2020.default({ strict: false, validateFormats: false, code: { optimize: false } }).compile(told);
    const entry = (options: object, more: object = {}) => check({ providers: { cloud: { options, ...more } } });
    expect(entry({ region: 'eu-west-1', retries: '${RETRIES}' })).toBe(true);
    expect(entry({ region: 7 })).toBe(false);
    expect(entry({ region: 'eu-west-1', retires: 1 })).toBe(false);
    expect(entry({ retires: 1 }, { type: 'openai-compatible', base_url: 'http://x' })).toBe(true);
    expect(check({ providers: { other: { type: 'cloud', options: { region: 7 } } } })).toBe(false);
    expect(JSON.stringify(told)).toContain('"description":"What the door asks for."');
    expect(JSON.stringify(told)).toMatch(/"answer":\{[^}]*"writeOnly":true/);
  });
});

const coerced = (schema: z.ZodType, value: unknown) => coercedOptions(value, z.toJSONSchema(schema, { io: 'input' }));

describe('Texts in options', () => {
  it.each([
    ['a number', z.number(), '4', 4],
    ['a number or nothing', z.number().nullable(), '4', 4],
    ['a number or a boolean', z.union([z.boolean(), z.int()]), 'true', true],
    ['a number or a boolean', z.union([z.boolean(), z.int()]), '4', 4],
    ['a number or one of some words', z.union([z.int(), z.enum(['auto', 'off'])]), 'auto', 'auto'],
    ['a constant', z.union([z.literal(1), z.literal(2)]), '2', 2],
    ['what all of two schemas take', z.intersection(z.number(), z.number().min(3)), '4', 4],
    ['a list of numbers', z.array(z.int()), ['1', 'two'], [1, 'two']],
    ['a record of booleans', z.record(z.string(), z.boolean()), { a: 'true', b: 'no' }, { a: true, b: 'no' }],
  ])('become what is wanted: %s', (_what, schema, value, wanted) => {
    expect(coerced(schema, value)).toEqual(wanted);
    expect(coerced(z.object({ inner: schema.optional() }), { inner: value })).toEqual({ inner: wanted });
    expect(coerced(z.object({ inner: z.union([schema, z.object({ other: z.int() })]) }), { inner: value })).toEqual({ inner: wanted });
  });

  it.each([
    ['text', z.string(), '4'],
    ['a number or text', z.union([z.number(), z.string()]), '4'],
    ['anything', z.any(), '4'],
    ['a number, which it is not', z.number(), 'four'],
    ['an object', z.object({ a: z.int() }), '4'],
  ])('stay where the schema takes %s', (_what, schema, value) => {
    expect(coerced(schema, value)).toBe(value);
  });

  it('are read by the member of a union whose constants they have', () => {
    const schema = z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('code'), value: z.string() }),
      z.object({ kind: z.literal('count'), value: z.int() }),
    ]);
    expect(coerced(schema, { kind: 'code', value: '4711' })).toEqual({ kind: 'code', value: '4711' });
    expect(coerced(z.object({ login: schema }), { login: { kind: 'count', value: '4711' } })).toEqual({
      login: { kind: 'count', value: 4711 },
    });
  });
});
