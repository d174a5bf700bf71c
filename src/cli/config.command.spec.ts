import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { emptyFolder } from '../common/testing/started.js';
import { configSchema } from '../config/config.schema.js';
import { runCommand } from './testing/run-command.js';

const SECRET = 'sk-nobody-may-see-this';

const switchyard = (...args: string[]) => runCommand('config', ...args);

describe('switchyard config check', () => {
  const folder = emptyFolder();
  const file = join(folder, 'gateway.yaml');
  const own = { ...process.env };
  // What a developer and the runner of the tests have set.
  beforeAll(() => {
    for (const name of Object.keys(process.env)) if (/^SWITCHYARD_|_KEY$|_TOKEN$|^PORT$|^HOST$/.test(name)) delete process.env[name];
  });
  afterAll(() => Object.assign(process.env, own));

  it('warns of prices that are missing, or refuses them, without a request', async () => {
    const yaml = (setting: string) => `providers:
  searching:
    type: perplexity
    base_url: "http://127.0.0.1:9"
    models: { sonar: { pricing: { prompt: 1, completion: 1 } } }
  listed: { base_url: "http://127.0.0.1:9" }
catalogue: { missing_prices: ${setting} }
`;
    writeFileSync(file, yaml('warn'));
    const warned = await switchyard('check', file);
    expect(warned.code).toBe(0);
    const sentence = /sonar at searching has no price for search: calls cost nothing/;
    expect(warned.out).toMatch(sentence);
    expect(JSON.parse((await switchyard('check', file, '--json')).out).warnings).toEqual([expect.stringMatching(sentence)]);
    writeFileSync(file, yaml('refuse'));
    const refused = await switchyard('check', file);
    expect(refused.code).not.toBe(0);
    expect(refused.err).toMatch(/sonar at searching has no price for search: it is inactive/);
  });

  it('says which settings have no effect, and why', async () => {
    const price = '{ prompt: 1, completion: 1';
    writeFileSync(
      file,
      `providers:
  vendor:
    base_url: "http://127.0.0.1:9"
    models:
      priced: { pricing: ${price}, cache_write_5m: 2 }, cache_breakpoints: [system] }
      unpriced: { pricing: ${price} }, cache_breakpoints: [system] }
      silent: { pricing: ${price}, cache_write_5m: 2 }, cache_breakpoints: [system], capabilities: { chat: false, completion: true } }
      tiered: { pricing: ${price}, service_tiers: { flex: { prompt: 0.5 } } }, parameters: [service_tier] }
      standard: { pricing: ${price} }, parameters: [service_tier] }
  google:
    type: gemini
    api_key: k
    base_url: "http://127.0.0.1:9"
    models: { gemini: { pricing: ${price}, cache_write_5m: 2 }, context_length: 10, max_tokens: 5, cache_breakpoints: [system] } }
models:
  priced: { cache_breakpoints: [tools] }
`,
    );
    const { warnings } = JSON.parse((await switchyard('check', file, '--json')).out) as { warnings: string[] };
    expect(warnings.filter((warning) => !warning.includes('audio_input'))).toEqual([
      'cache_breakpoints has no effect for unpriced at vendor: cache_write_5m has no price',
      'cache_breakpoints has no effect for silent at vendor: the model does not chat',
      'service_tier goes on to standard at vendor as far as it asks for the standard tier: no other has a price (service_tiers)',
      'cache_breakpoints has no effect for gemini at google: nobody says that its provider takes cache_control',
    ]);
  });

  const model = (pricing: string) => `providers:
  vendor:
    base_url: "http://127.0.0.1:9"
    models:
      m:
        pricing: ${pricing}
`;

  it.each([
    ['prompt: 0.0000000001, completion: 1', 'prompt has more than 9 decimals'],
    ['prompt: 1', 'completion is missing'],
    ['prompt: 1e30, completion: 1', 'prompt must be at most 1000000 credits per 1,000'],
    ['prompt: 1, completion: 1, search: "10000000000000"', 'search must be at most 1000000 credits per 1,000'],
    [
      'prompt: 1, completion: 1, hours: [{ from: "01:00", to: "02:00", prompt: 2 }, { from: "01:00", to: "02:00", prompt: 3 }]',
      'hours has two rows for the same hours of the same days, of which one price would never count',
    ],
  ])('refuses a price that cannot be charged, with file and line: %s', async (pricing, problem) => {
    writeFileSync(file, model(`{ ${pricing} }`));
    const { code, err } = await switchyard('check', file);
    expect(code).not.toBe(0);
    expect(err).toContain(problem);
    expect(err).toMatch(/gateway\.yaml:6:\d+: providers\.vendor\.models\.m\.pricing\./);
  });

  it.each([
    ['cached_input: 2', 'cached_input costs more than prompt'],
    ['tiers: [{ above: 9, prompt: 0.5 }]', 'the tier above 9 tokens is cheaper than below it (prompt)'],
    ['tiers: [{ above: 9 }]', 'the tier above 9 tokens names no other price'],
    ['service_tiers: { flex: {} }', 'service tier flex names no other price'],
    [
      'service_tiers: { flex: { prompt: 15 } }',
      'service tier flex, prompt above 10 credits; prices are per 1,000 tokens: is this one per million?',
    ],
    ['audio_input: 11, search: 12', 'audio_input above 10 credits; prices are per 1,000 tokens: is this one per million?'],
    ['cached_input: 0.5, search: 12, tiers: [{ above: 9, prompt: 2 }], service_tiers: { flex: { prompt: 0.5 } }', undefined],
  ])('warns of a price that is probably a mistake: %s', async (pricing, problem) => {
    writeFileSync(file, model(`{ prompt: 1, completion: 1, ${pricing} }`));
    const { warnings } = JSON.parse((await switchyard('check', file, '--json')).out) as { warnings: string[] };
    const found = warnings.filter((warning) => warning.includes('unlikely'));
    expect(found).toEqual(problem === undefined ? [] : [`the price of m at vendor is unlikely: ${problem}`]);
  });

  it('warns of a small price that is a hundred to ten thousand times the public one', async () => {
    const models = (pricing: string) => `{ gpt-4o: { pricing: ${pricing} }, m: { pricing: { prompt: 2.5, completion: 10 } } }`;
    const unlikely = async (pricing: string) => {
      writeFileSync(file, `providers: { vendor: { base_url: "http://127.0.0.1:9", models: ${models(pricing)} } }`);
      const { warnings } = JSON.parse((await switchyard('check', file, '--json')).out) as { warnings: string[] };
      return warnings.filter((warning) => warning.includes('unlikely'));
    };
    expect(await unlikely('{ prompt: 2.5, completion: 10 }')).toEqual([
      'the price of gpt-4o at vendor is unlikely: prompt is 1000 times, completion is 1000 times the public price; prices are per 1,000 tokens: is this one per million?',
    ]);
    expect(await unlikely('{ prompt: 0.025, completion: 0.1 }')).toEqual([]);
  });

  it('proposes what a wrong choice was meant to be, and hides nothing behind it', async () => {
    writeFileSync(file, `routing: {strategy: wieghted, aliases: {a: nope}}\nmodels: {m: {strategy: chepest}}\n`);
    const { code, out, err } = await switchyard('check', file);
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/:1:21: routing\.strategy must be one of .*; did you mean weighted\?/);
    expect(err).toMatch(/:2:24: models\.m\.strategy must be one of .*; did you mean cheapest\?/);
    expect(err).toContain(':1:44: routing.aliases.a names a model that there is not, nope');
  });

  it('lists what it found, and no secret', async () => {
    writeFileSync(
      file,
      `providers:
  groq: { api_key: ${SECRET} }
  mine: { base_url: "http://10.0.0.1:8000/v1", free: true, models: { a: {}, b: {} } }
  any: { type: openrouter, open: { context_length: 10, max_tokens: 5 } }
models: { x: { active: false } }
routing: { aliases: { fast: a } }
`,
    );
    const { code, out, err } = await switchyard('check', file);
    expect([code, err]).toEqual([0, '']);
    expect(out.split('\n').map((line) => line.replace(/ +/g, ' ').trim())).toEqual([
      'PROVIDER TYPE ADDRESS KEY FREE MODELS ANY NAME',
      'groq groq api.groq.com yes listed',
      'mine openai-compatible 10.0.0.1:8000 yes 2',
      'any openrouter openrouter.ai listed yes',
      'models: x',
      'aliases: fast',
      `OK: the configuration in ${file} can be used.`,
      '',
    ]);
    const told = await switchyard('check', file, '--json');
    expect(JSON.parse(told.out)).toMatchObject({
      ok: true,
      providers: [
        { id: 'groq', key: true },
        { id: 'mine', models: 2 },
        { id: 'any', open: true },
      ],
    });
    expect(out + told.out).not.toContain(SECRET);
  });

  it('says which file it has read, or that there is none', async () => {
    const before = process.cwd();
    process.chdir(folder);
    try {
      const here = process.cwd();
      expect((await switchyard('check')).out).toBe(
        `OK: there is no switchyard.yaml in ${here}; the defaults and the environment can be used.\n`,
      );
      writeFileSync('switchyard.yaml', '');
      expect((await switchyard('check')).out).toBe('OK: the configuration in switchyard.yaml can be used.\n');
    } finally {
      process.chdir(before);
    }
  });

  it('names every problem and fails', async () => {
    writeFileSync(file, `providers:\n  grok: {api_key: ${SECRET}}\n  x: {type: mistrall, base_url: "http://x"}\nserver: {port: http}\n`);
    const { code, out, err } = await switchyard('check', file);
    expect([code, out]).toEqual([1, '']);
    for (const problem of [
      ':2:9: providers.grok.base_url is missing',
      ':3:13: providers.x.type is unknown; did you mean mistral?',
      ':4:16: server.port must be a number, not text',
    ])
      expect(err).toContain(`gateway.yaml${problem}`);
    expect(err).not.toContain(SECRET);
  });

  const check = async (yaml: string, env: Record<string, string> = {}) => {
    writeFileSync(file, yaml);
    const before = { ...process.env };
    Object.assign(process.env, env);
    try {
      return await switchyard('check', file);
    } finally {
      for (const name of Object.keys(env)) delete process.env[name];
      Object.assign(process.env, before);
    }
  };
  const mine = 'providers:\n  mine: { base_url: "http://127.0.0.1:9", free: true, models: { small: {}, large: {} } }\n';
  const listing = '  listed: { base_url: "http://127.0.0.1:9", prefix: far/, free: true }\n';

  it.each([
    [
      'an offer at a provider that does not exist',
      'models: { small: { offers: [{ provider: min }] } }',
      'gateway.yaml:3:41: models.small.offers.0.provider names a provider that there is not, min; did you mean mine?',
    ],
    [
      'an offer at a provider that is not switched on',
      'models: { small: { offers: [{ provider: mistral }] } }',
      'models.small.offers.0.provider names the provider mistral, which is not switched on: it needs an entry or MISTRAL_API_KEY',
    ],
    [
      'an offer at a provider that has another name',
      'models: { small: { offers: [{ provider: mistrall }] } }',
      'models.small.offers.0.provider names a provider that there is not, mistrall; did you mean mistral?',
    ],
    [
      'an offer of a model that its provider has not',
      'models: { house: { offers: [{ provider: mine, model: smal }] } }',
      'models.house.offers.0 names a model that mine has not, smal; did you mean small?',
    ],
    [
      'an alias to nothing',
      'routing: { aliases: { fast: smoll } }',
      'gateway.yaml:3:29: routing.aliases.fast names a model that there is not, smoll; did you mean small?',
    ],
    [
      'an alias to nothing beside a provider whose list has other names',
      `${listing}routing: { aliases: { fast: quick } }`,
      'routing.aliases.fast names a model that there is not, quick',
    ],
    ['auto of nothing', 'routing: { auto: { models: [small, lagre] } }', 'routing.auto.models.1 names a model that there is not, lagre'],
    [
      'a test provider that does not exist',
      'routing: { test_provider: sandbx }',
      'routing.test_provider names a provider that there is not',
    ],
  ])('refuses %s, with file, line and field', async (_, yaml, problem) => {
    const { code, out, err } = await check(mine + yaml);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(problem);
    expect(err).toMatch(/gateway\.yaml:\d+:\d+: \w/);
  });

  it.each([
    'routing: { aliases: { fast: small, faster: fast } }',
    'models: { house: { offers: [{ provider: mine, model: small }] } }\nrouting: { aliases: { fast: house }, auto: { models: [house, large] } }',
    '  any: { base_url: "http://127.0.0.1:9", free: true, open: { context_length: 9, max_tokens: 5 }, models: {} }\nrouting: { aliases: { fast: any/thing } }',
  ])('takes names behind which there is something: %s', async (yaml) => {
    const { code, out, err } = await check(mine + yaml);
    expect([code, err]).toEqual([0, '']);
    expect(out).not.toContain('warning:');
  });

  it('warns where only a provider that has to be asked may have the model', async () => {
    const { code, out } = await check(`${mine}${listing}routing: { aliases: { fast: far/one } }\nmodels: { nowhere: { active: false } }`);
    expect(code).toBe(0);
    expect(out).toMatch(/^warning: .*:4:\d+: routing\.aliases\.fast names a model that there is not, far\/one, unless listed lists it$/m);
    expect(out).toMatch(/^warning: .*: models\.nowhere has no effect: no provider has this model$/m);
  });

  it('refuses $NAME without braces, and takes $$NAME for a plain text', async () => {
    const yaml = (key: string) => `providers:\n  mistral: { api_key: "${key}", headers: { x-other: "Bearer ${key}" }, models: {} }\n`;
    const { code, err } = await check(yaml('$MISTRAL_API_KEY'));
    expect(code).toBe(1);
    expect(err).toMatch(/gateway\.yaml:2:23: providers\.mistral\.api_key has \$NAME without braces: write \$\{NAME\} for a variable/);
    expect(err).toMatch(/providers\.mistral\.headers\.x-other has \$NAME without braces/);
    expect((await check(yaml('$$MISTRAL_API_KEY'))).code).toBe(0);
    expect((await check(yaml('pa$$word$WORD'))).code).toBe(0);
  });

  it.each([
    ['providers: { mistrall: { api_key: k } }', 'providers.mistrall.base_url is missing: mistrall is no known type; did you mean mistral?'],
    ['providers: { in-house: { api_key: k } }', 'providers.in-house.base_url is missing: in-house is no known type, so it needs one'],
    ['providers: { a: { base_url: "10.0.0.7:8000/v1" } }', 'base_url must be a valid URL; add http:// or https:// before it'],
    ['providers: { a: { base_url: "localhost:8000" } }', 'base_url must be a valid URL; add http:// or https:// before it'],
    ['providers: { a: { base_url: "[::1]:8000" } }', 'base_url must be a valid URL; add http:// or https:// before it'],
    ['providers: { mistral: { proxy: "proxy.corp:3128" } }', 'must be none or the http URL of a proxy; add http:// or https:// before it'],
    ['server: { public_url: "ai.example.com" }', 'server.public_url must be a valid URL; add http:// or https:// before it'],
  ])('says what to write instead: %s', async (yaml, problem) => {
    const { code, err } = await check(yaml);
    expect(code).toBe(1);
    expect(err).toContain(problem);
  });

  it('adds nothing to an address that lacks more than its beginning', async () => {
    const { err } = await check('providers: { a: { base_url: "ftp://files" } }');
    expect(err).toMatch(/base_url must be a valid URL$/m);
  });

  it.each([
    [
      { SWITCHYARD_LOG_LEVEL: 'debug' },
      '',
      'SWITCHYARD_LOG_LEVEL has no effect: there is no such setting; did you mean SWITCHYARD_OBSERVABILITY_LOG_LEVEL?',
    ],
    [
      { SWITCHYARD_SEVRER_PORT: '1' },
      '',
      'SWITCHYARD_SEVRER_PORT has no effect: there is no such setting; did you mean SWITCHYARD_SERVER_PORT?',
    ],
    [{ PORT: '1', SWITCHYARD_SERVER_PORT: '2' }, '', 'PORT has no effect: SWITCHYARD_SERVER_PORT sets server.port'],
    [{ MISTRALL_API_KEY: 'k' }, '', 'MISTRALL_API_KEY has no effect; did you mean MISTRAL_API_KEY?'],
    [
      { MISTRAL_API_KEY: 'k' },
      'providers: { mistral: { api_key: other, models: {} } }',
      'MISTRAL_API_KEY has no effect: providers.mistral has its own api_key',
    ],
    [
      { MISTRAL_API_KEY: 'k' },
      'providers: { mistral: { base_url: "http://127.0.0.1:9", models: {} } }',
      'MISTRAL_API_KEY has no effect: a key of the environment is not sent to the base_url of providers.mistral: name it there as ${NAME}',
    ],
    [
      { OPENAI_API_KEY: 'k' },
      'providers: { second: { type: openai, api_key: other, models: {} } }',
      'OPENAI_API_KEY has no effect: providers.second has its own api_key',
    ],
    [{ AZURE_OPENAI_API_KEY: 'k' }, '', 'AZURE_OPENAI_API_KEY has no effect: azure needs AZURE_OPENAI_ENDPOINT too'],
  ])('warns of a variable that has no effect: %j', async (env, yaml, warning) => {
    const { code, out, err } = await check(yaml, env);
    expect([code, err]).toEqual([0, '']);
    expect(out.split('\n')).toContain(`warning: ${warning}`);
  });

  it('does not warn of variables that have one, nor of what others have set', async () => {
    const { out } = await check('providers: { mistral: { api_key: "${MISTRALL_API_KEY}", models: {} } }', {
      MISTRALL_API_KEY: 'k',
      SWITCHYARD_PORT: 'tcp://10.0.0.1:80',
      SWITCHYARD_SERVICE_HOST: '10.0.0.1',
      SWITCHYARD_PORT_8080_TCP_ADDR: '10.0.0.1',
      SWITCHYARD_API_KEY: 'sy-test',
      SWITCHYARD_SERVER_PORT: '9',
      SWITCHYARD_PROVIDERS_MISTRAL_NAME: 'M',
      GITHUB_TOKEN: 't',
    });
    expect(out).not.toContain('warning:');
  });

  it('fails where the file is not there', async () => {
    expect(await switchyard('check', join(folder, 'none.yaml'))).toMatchObject({
      code: 1,
      err: expect.stringContaining('cannot be read (ENOENT)') as string,
    });
  });
});

describe('switchyard config schema', () => {
  let valid: (yaml: string) => boolean;

  beforeAll(async () => {
    const { code, out } = await switchyard('schema');
    expect(code).toBe(0);
    const schema = JSON.parse(out) as object;
    const validate = new Ajv2020({ allErrors: true, strictTypes: false, formats: { uri: (text: string) => URL.canParse(text) } }).compile(
      schema,
    );
    valid = (yaml) => validate(parse(yaml));
  });

  it.each([
    'server:\nproviders:\n',
    'providers: { mistral: { api_key: "${MISTRAL_API_KEY}" }, mine: { type: from-a-module, base_url: "${MINE}" } }',
    'server: { port: "${MY_PORT}", drain_delay: 0 }\nrouting: { hedge: "${HEDGE}" }',
    'models: { a/b.c: { pricing: { prompt: 0.001, completion: "0.002" } } }',
    JSON.stringify(configSchema.parse({ providers: { a: { base_url: 'http://a' } } })),
  ])('accepts what the gateway accepts: %s', (yaml) => expect(valid(yaml)).toBe(true));

  it.each([
    'sevrer: {}',
    'server: { prot: 1 }',
    'server: { port: http }',
    'server: { port: 70000 }',
    'providers: { Big: { base_url: "http://x" } }',
    'providers: { a: { base_url: nowhere } }',
    'models: { a: { pricing: { prompt: "0.0000000001", completion: 1 } } }',
    'routing: { strategy: best }',
    'providers: { a: { base_url: "http://x", models: { m: { strategy: cheapest } } } }',
  ])('refuses what the gateway refuses: %s', (yaml) => expect(valid(yaml)).toBe(false));

  it('says of each setting what it means, and offers the types', async () => {
    const { out } = await switchyard('schema');
    const { properties } = JSON.parse(out) as { properties: Record<string, { properties?: Record<string, { description?: string }> }> };
    for (const section of ['server', 'store', 'keys', 'catalogue', 'routing', 'observability'])
      for (const [name, setting] of Object.entries(properties[section]?.properties ?? {}))
        expect([section, name, setting.description]).toEqual([section, name, expect.any(String)]);
    expect(out).toContain('"huggingface"');
  });
});
