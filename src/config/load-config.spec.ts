import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from './config-problems.js';
import { configSchema } from './config.schema.js';
import type { ProviderType } from './provider-type.js';
import { type LoadedModules, loadConfig, loadProviderEntry } from './load-config.js';
import { environmentProxy } from './environment-proxy.js';
import { unsupportedNode } from './node-version.js';

const SECRET = 'a-secret-that-nobody-may-see-0123456789';

describe('loadConfig', () => {
  let cwd: string;
  beforeEach(() => (cwd = mkdtempSync(join(tmpdir(), 'switchyard-config-'))));
  afterEach(() => rmSync(cwd, { recursive: true }));

  const load = (yaml: string | undefined, env: Record<string, string> = {}) => {
    if (yaml !== undefined) writeFileSync(join(cwd, 'switchyard.yaml'), yaml);
    return loadConfig({ cwd, env });
  };
  const problems = (yaml: string | undefined, env: Record<string, string> = {}): readonly string[] => {
    try {
      load(yaml, env);
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError);
      expect((error as Error).message).not.toContain(SECRET);
      return (error as ConfigError).problems;
    }
    throw new Error('the configuration was accepted');
  };

  describe('without a file', () => {
    it('is the defaults', () => expect(load(undefined)).toEqual(configSchema.parse({})));

    it('is frozen to the last field', () => {
      const config = load('providers: {local: {base_url: "http://x"}}');
      expect(Object.isFrozen(config)).toBe(true);
      expect(Object.isFrozen(config.providers['local']?.timeouts)).toBe(true);
    });

    it('refuses a file that was named and is not there', () => {
      expect(problems(undefined, { SWITCHYARD_CONFIG: 'other.yaml' })).toEqual(['other.yaml cannot be read (ENOENT)']);
    });

    it('does not keep what one load set for the next', () => {
      load(undefined, { PORT: '1234' });
      expect(load(undefined).server.port).toBe(8080);
    });
  });

  describe('the file', () => {
    it('is read', () => {
      const config = load('server: {port: 9000}\nmodels:\n  a/b.c:\n    pricing: {prompt: 0.001, completion: "0.000000002"}\n');
      expect(config.server.port).toBe(9000);
      expect(config.models['a/b.c']?.pricing).toEqual({ prompt: 0.001, completion: '0.000000002' });
    });

    it.each(['', '# nothing\n', 'server:\n  # port: 1\nproviders:\n'])('may be empty, or its sections: %p', (yaml) =>
      expect(load(yaml)).toEqual(configSchema.parse({})),
    );

    it('is named with line, column and field, all problems at once', () => {
      expect(
        problems(
          'server:\n  prot: 1\n  port: "http"\n  body_limit: 3\nkeys:\n  prefix: 7\nsevrer: {}\nproviders:\n  X_Y: {base_url: ftp://a}\n  ok: {}\nrouting: {best_of_ranking: middle}\n',
        ),
      ).toEqual([
        'switchyard.yaml:3:9: server.port must be a number, not text',
        'switchyard.yaml:4:15: server.body_limit must be at least 1024',
        'switchyard.yaml:2:3: server.prot is unknown; did you mean port?',
        'switchyard.yaml:6:11: keys.prefix must be text, not a number',
        'switchyard.yaml:9:3: providers.X_Y is not a valid name',
        'switchyard.yaml:10:7: providers.ok.base_url is missing',
        'switchyard.yaml:11:28: routing.best_of_ranking must be one of lowest, highest',
        'switchyard.yaml:7:1: sevrer is unknown; did you mean server?',
      ]);
    });

    it.each([
      ['server: {port: 1', 'switchyard.yaml:1:17: not valid YAML (bad indent)'],
      ['server:\n\tport: 1', 'switchyard.yaml:2:1: not valid YAML (tab as indent)'],
      ['server: {}\nserver: {}', 'switchyard.yaml:2:1: not valid YAML (duplicate key)'],
      [`keys:\n  pepper: "${SECRET}\n`, 'not valid YAML'],
      [`keys:\n pepper: a\n  ${SECRET}: b: c`, 'not valid YAML'],
      ['- a\n', 'switchyard.yaml:1:1: the file must be a map of sections'],
      ['just text', 'switchyard.yaml:1:1: the file must be a map of sections'],
    ])('that is no YAML map is refused: %p', (yaml, problem) => expect(problems(yaml).join('\n')).toContain(problem));

    it.each([
      [`providers: { acme: *${SECRET} }`, ['1:20: providers.acme']],
      [
        `providers:\n  a: { api_key: *${SECRET} }\n  b: &${SECRET} { headers: { x: *other } }`,
        ['2:17: providers.a.api_key', '3:63: providers.b.headers.x'],
      ],
      [`*${SECRET} : 1`, ['1:1: the configuration']],
    ])('shows no alias that nothing is named by: %p', (yaml, places) =>
      expect(problems(yaml)).toEqual(
        places.map(
          (place) =>
            `switchyard.yaml:${place} has an alias (*...) that no anchor (&...) before it names: put a value that begins with * in quotes`,
        ),
      ),
    );

    it('takes aliases, and refuses those of aliases that grow without end', () => {
      const entry = 'a: &one {base_url: "http://x"}, b: *one';
      expect(load(`providers: {${entry}}`).providers['b']?.base_url).toBe('http://x');
      const ten = (name: string) => `[${Array.from({ length: 11 }, () => name).join(', ')}]`;
      expect(problems(`modules:\n- &a ${ten('x')}\n- &b ${ten('*a')}\n- ${ten('*b')}`)).toEqual([
        'switchyard.yaml:1:1: aliases (*...) repeat too often what anchors (&...) name: write some of it out',
      ]);
    });

    it('has another port for the administration than for the operations, or leaves both to the system', () => {
      expect(problems('server:\n  admin_port: 8080')).toEqual(['switchyard.yaml:2:15: server.admin_port must not be server.port']);
      expect(load('server: {port: 0, admin_port: 0}').server.admin_port).toBe(0);
    });

    it('takes origins as browsers send them', () => {
      const origins = [
        'https://a.example',
        'http://localhost:5173',
        'http://[::1]:8080',
        'chrome-extension://abcdef',
        'capacitor://localhost',
      ];
      expect(load(`server: {cors_origins: ${JSON.stringify(origins)}}`).server.cors_origins).toEqual(origins);
      const wrong = ['https://a.example/', 'https://a.example:443', 'https://A.example', 'a.example', 'null', 'https://*.a.example'];
      expect(problems(`server: {cors_origins: ${JSON.stringify(['*', ...wrong])}}`)).toEqual([
        'switchyard.yaml:1:25: server.cors_origins.0 must name each origin; * would let every page call',
        ...wrong.map(() => expect.stringMatching(/cors_origins\.\d must be an origin as browsers send it, such as https:/)),
      ]);
    });

    it('never shows a value that it refuses', () => {
      for (const yaml of [
        `server: {port: ${SECRET}}`,
        `providers: {a: {base_url: "${SECRET}", api_key: [${SECRET}]}}`,
        `routing: {best_of_ranking: ${SECRET}}`,
        `keys: ${SECRET}`,
      ])
        expect(problems(yaml).length).toBeGreaterThan(0);
    });
  });

  describe('${NAME} in the file', () => {
    const yaml =
      'server: {port: "${MY_PORT}"}\nproviders:\n  a: {base_url: "http://${MY_HOST}/v1", api_key: "${MY_KEY}", free: "${FREE}"}\n';

    it('is replaced from the environment, in the kind of value that its place wants', () => {
      const config = load(yaml, { MY_PORT: '9100', MY_HOST: 'h:1', MY_KEY: SECRET, FREE: 'true' });
      expect(config.server.port).toBe(9100);
      expect(config.providers['a']).toMatchObject({ base_url: 'http://h:1/v1', api_key: SECRET, free: true });
    });

    it('that is not set is named with its place', () => {
      expect(problems(yaml, { MY_PORT: '9100', MY_HOST: 'h', FREE: 'false' })).toEqual([
        'switchyard.yaml:3:50: providers.a.api_key needs the environment variable MY_KEY, which is not set',
      ]);
    });

    it('stays with a second dollar', () =>
      expect(load('providers: {a: {base_url: "http://x", name: "$${A}"}}').providers['a']?.name).toBe('${A}'));
  });

  describe('the environment', () => {
    it.each([
      [{ SWITCHYARD_SERVER_PORT: '9001' }, { server: { port: 9001 } }],
      [{ PORT: '9002', HOST: '0.0.0.0' }, { server: { port: 9002, host: '0.0.0.0' } }],
      [{ PORT: '9002', SWITCHYARD_SERVER_PORT: '9003' }, { server: { port: 9003 } }],
      [{ DATABASE_URL: 'postgres://x' }, { store: { database_url: 'postgres://x' } }],
      [{ SWITCHYARD_PEPPER: SECRET }, { keys: { pepper: SECRET } }],
      [{ SWITCHYARD_KEYS_TEST_KEYS_REACH_PROVIDERS: 'true' }, { keys: { test_keys_reach_providers: true } }],
      [{ SWITCHYARD_PROVIDERS_LOCAL_LLM_API_KEY: '123' }, { providers: { 'local-llm': { api_key: '123', base_url: 'http://file' } } }],
      [
        { SWITCHYARD_PROVIDERS_MY_NEW_ONE_BASE_URL: 'http://env', SWITCHYARD_PROVIDERS_MY_NEW_ONE_TIMEOUTS_CONNECT: '5' },
        { providers: { 'my-new-one': { base_url: 'http://env', timeouts: { connect: 5, idle: 120_000 } } } },
      ],
      [{ SWITCHYARD_MODELS_A_B_C_ACTIVE: 'false' }, { models: { 'a/b.c': { active: false } } }],
      [{ SWITCHYARD_MODULES: '["a","b"]' }, { modules: ['a', 'b'] }],
      [{ SWITCHYARD_PROVIDERS: '{"x":{"base_url":"http://x"}}' }, { providers: { x: { base_url: 'http://x' } } }],
      [{ SWITCHYARD_SERVER_PORT: '' }, { server: { port: 9000 } }],
    ] as [Record<string, string>, object][])('%j wins over the file', (env, expected) => {
      const yaml = 'server: {port: 9000}\nproviders: {local-llm: {base_url: "http://file"}}\nmodels: {a/b.c: {active: true}}\n';
      expect(load(yaml, env)).toMatchObject(expected);
    });

    it.each([
      [{ SWITCHYARD_SERVER_PORT: 'http' }, 'SWITCHYARD_SERVER_PORT: server.port must be a number, not text'],
      [{ PORT: '99999' }, 'PORT: server.port must be at most 65535'],
      [{ SWITCHYARD_SERVER_PROT: '1' }, 'SWITCHYARD_SERVER_PROT: server.prot is unknown; did you mean port?'],
      [{ SWITCHYARD_KEYS_PREFIX: 'No!' }, 'SWITCHYARD_KEYS_PREFIX: keys.prefix must match /^[a-z][a-z0-9]{0,15}$/'],
      [{ SWITCHYARD_PROVIDERS: SECRET }, 'SWITCHYARD_PROVIDERS: providers must be a section, not text'],
    ] as [Record<string, string>, string][])('%j is refused by name', (env, problem) => expect(problems('', env)).toEqual([problem]));

    it('is named where an entry that it alone makes lacks something, and not a place in the file', () => {
      const yaml = 'providers:\n  house: {base_url: "http://x"}\n  bare: {}\n';
      const env = { SWITCHYARD_PROVIDERS_MISTRL_API_KEY: SECRET, SWITCHYARD_PROVIDERS_BARE_API_KEY: SECRET };
      expect(problems(yaml, env)).toEqual([
        'switchyard.yaml:3:9: providers.bare.base_url is missing',
        'SWITCHYARD_PROVIDERS_MISTRL_API_KEY: providers.mistrl.base_url is missing',
      ]);
    });

    it('is left alone where it is not ours', () => {
      const env = {
        SWITCHYARD_PORT: 'tcp://10.0.0.1:80',
        SWITCHYARD_SERVICE_HOST: '10.0.0.1',
        SWITCHYARD_PORT_80_TCP: 'tcp://10.0.0.1:80',
      };
      expect(load('', env)).toEqual(configSchema.parse({}));
    });
  });
});

describe('types of providers', () => {
  let cwd: string;
  beforeEach(() => (cwd = mkdtempSync(join(tmpdir(), 'switchyard-types-'))));
  afterEach(() => rmSync(cwd, { recursive: true, force: true }));

  const types: ProviderType[] = [
    { type: 'acme', name: 'Acme', baseUrl: 'https://acme.example/v1', environment: { apiKey: 'ACME_API_KEY' } },
    { type: 'cloud', name: 'Cloud', environment: { apiKey: 'CLOUD_KEY', address: 'CLOUD_ENDPOINT' } },
    { type: 'shed', name: 'Shed', baseUrl: 'http://127.0.0.1:99/v1', free: true, environment: { address: 'SHED_HOST', port: 99 } },
  ];
  const load = (yaml: string, env: Record<string, string> = {}, modules?: LoadedModules) => {
    writeFileSync(join(cwd, 'switchyard.yaml'), yaml);
    return loadConfig({ cwd, env, types, modules });
  };
  const problems = (yaml: string, env: Record<string, string> = {}, modules?: LoadedModules): readonly string[] => {
    try {
      load(yaml, env, modules);
    } catch (error) {
      return (error as ConfigError).problems;
    }
    throw new Error('the configuration was accepted');
  };

  it('complete an entry with their address, and with the key of the environment', () => {
    const { providers } = load('providers: {mine: {type: acme}, shed: {}}', { ACME_API_KEY: SECRET });
    expect(providers['mine']).toMatchObject({ type: 'acme', base_url: 'https://acme.example/v1', api_key: SECRET, free: false });
    expect(providers['shed']).toMatchObject({ type: 'shed', base_url: 'http://127.0.0.1:99/v1', free: true });
  });

  it('leave what an entry says', () => {
    const entry = '{api_key: own, name: Mine, free: false, base_url: "http://127.0.0.1:1"}';
    const { providers } = load(`providers: {shed: ${entry}, acme: {api_key: own}}`, { SHED_HOST: 'elsewhere', ACME_API_KEY: SECRET });
    expect(providers['shed']).toMatchObject({ base_url: 'http://127.0.0.1:1', name: 'Mine', free: false });
    expect(providers['acme']?.api_key).toBe('own');
  });

  it('give no key of the environment to an address that the file names', () => {
    const { providers } = load('providers: {acme: {base_url: "https://other.example"}}', { ACME_API_KEY: SECRET });
    expect(providers['acme']?.type).toBe('acme');
    expect(providers['acme']?.api_key).toBeUndefined();
  });

  it.each([
    [{ ACME_API_KEY: 'k' }, { acme: { type: 'acme', api_key: 'k', base_url: 'https://acme.example/v1' } }],
    [{ CLOUD_KEY: 'k', CLOUD_ENDPOINT: 'https://me.cloud.example' }, { cloud: { api_key: 'k', base_url: 'https://me.cloud.example' } }],
    [{ CLOUD_KEY: 'k' }, {}],
    [{ SHED_HOST: '10.0.0.7' }, { shed: { base_url: 'http://10.0.0.7:99', free: true } }],
    [{ SHED_HOST: '0.0.0.0:7' }, { shed: { base_url: 'http://127.0.0.1:7' } }],
    [{ SHED_HOST: 'http://shed.example/v1' }, { shed: { base_url: 'http://shed.example/v1' } }],
    [{ ACME_API_KEY: '' }, {}],
    [
      { ACME_API_KEY: 'k', SWITCHYARD_PROVIDERS_ACME_BASE_URL: 'http://127.0.0.1:5' },
      { acme: { api_key: 'k', base_url: 'http://127.0.0.1:5' } },
    ],
  ] as [Record<string, string>, Record<string, object>][])('are switched on by %j alone', (env, expected) => {
    const { providers } = load('', env);
    expect(Object.keys(providers)).toEqual(Object.keys(expected));
    expect(providers).toMatchObject(expected);
  });

  it('are not switched on a second time, nor in the place of another', () => {
    const env = { ACME_API_KEY: 'k', SHED_HOST: 'h' };
    const { providers } = load('providers: {mine: {type: acme}, shed: {type: cloud, base_url: "http://x"}}', env);
    expect(Object.keys(providers)).toEqual(['mine', 'shed']);
    expect(providers['shed']?.type).toBe('cloud');
  });

  it('are named where one is unknown, needs an address, or got a bad one', () => {
    expect(problems('providers:\n  a: {type: acne, base_url: "http://x"}\n  cloud: {}')).toEqual([
      'switchyard.yaml:3:10: providers.cloud.base_url is missing',
      'switchyard.yaml:2:13: providers.a.type is unknown; did you mean acme?',
    ]);
    expect(problems('', { SHED_HOST: 'http://' })).toEqual(['SHED_HOST: providers.shed.base_url must be a valid URL']);
  });

  describe('brought by modules', () => {
    const yaml = 'modules: [./mine.js]\nproviders: {mine: {}, a: {type: mine}, b: {type: acme}}';
    const mine = { type: 'mine', name: 'Mine', baseUrl: 'http://mine', environment: { apiKey: 'MINE_API_KEY' } };

    it('complete entries as ours do', () => {
      const { providers } = load(yaml, { MINE_API_KEY: 'k' }, { names: ['./mine.js'], types: [mine] });
      expect(providers).toMatchObject({
        mine: { type: 'mine', base_url: 'http://mine', api_key: 'k' },
        a: { type: 'mine', base_url: 'http://mine', api_key: 'k' },
      });
    });

    it('are left out where the modules are not loaded', () => {
      expect(Object.keys(load(yaml).providers)).toEqual(['b']);
    });

    it('may be what is missing where other modules are loaded than the file names', () => {
      const loaded = { names: [], types: [] };
      expect(problems(yaml, {}, loaded)).toEqual([
        'switchyard.yaml:2:19: providers.mine.base_url is missing: mine is no known type, so it needs one',
        'switchyard.yaml:2:26: providers.a.base_url is missing',
        'switchyard.yaml:2:33: providers.a.type is unknown; known here: openai-compatible, acme, cloud, shed',
        'switchyard.yaml:1:10: modules changed, which are loaded when the gateway starts',
      ]);
      expect(problems('modules: []\nproviders: {a: {type: mine}}', {}, loaded).at(-1)).toContain('providers.a.type is unknown');
    });
  });
});

describe('loadProviderEntry', () => {
  const types: ProviderType[] = [
    { type: 'vendor', name: 'Vendor', baseUrl: 'https://vendor.example', environment: { apiKey: 'VENDOR_KEY', address: 'VENDOR_URL' } },
  ];
  const env = { VENDOR_KEY: SECRET, VENDOR_URL: 'https://elsewhere.example', HTTPS_PROXY: 'http://proxy.example:3128' };
  const entry = (id: string, given: object) => loadProviderEntry(id, given, types, { ...env, SWITCHYARD_PROVIDERS_VENDOR_API_KEY: SECRET });

  it('completes an entry by its type, and gives it the proxy of the environment and no key', () => {
    for (const [id, given] of [
      ['vendor', {}],
      ['other', { type: 'vendor' }],
    ] as const) {
      const made = entry(id, given);
      expect(made).toMatchObject({ type: 'vendor', base_url: 'https://vendor.example', proxy: 'http://proxy.example:3128' });
      expect(made).not.toHaveProperty('api_key');
      expect(Object.isFrozen(made.timeouts)).toBe(true);
    }
  });

  it('leaves ${NAME} as it is', () => expect(entry('vendor', { api_key: '${VENDOR_KEY}' }).api_key).toBe('${VENDOR_KEY}'));

  it('names what is wrong by its place in the settings', () => {
    const wrong = { type: 'vendors', free: 'yes', timeouts: { idle: 0 }, api_kay: SECRET };
    expect(() => entry('vendor', wrong)).toThrow(
      expect.objectContaining({
        problems: expect.arrayContaining([
          'settings.base_url is missing',
          'settings.free must be true or false, not text',
          'settings.timeouts.idle must be at least 1',
          'settings.api_kay is unknown; did you mean api_key?',
          expect.stringMatching(/^settings\.type is unknown/),
        ]) as string[],
      }) as Error,
    );
  });
});

const HTTPS_PROXY = 'http://proxy.example:3128';

describe('environmentProxy', () => {
  it.each([
    ['https://api.openai.com/v1', { HTTPS_PROXY }, HTTPS_PROXY],
    ['https://api.openai.com/v1', { HTTPS_PROXY, https_proxy: 'http://lower.example' }, 'http://lower.example'],
    ['https://api.openai.com/v1', { HTTPS_PROXY: 'proxy.example:3128' }, HTTPS_PROXY],
    ['https://api.openai.com/v1', { HTTP_PROXY: HTTPS_PROXY }, undefined],
    ['http://10.0.0.7:8000/v1', { HTTP_PROXY: HTTPS_PROXY, HTTPS_PROXY: 'http://other' }, HTTPS_PROXY],
    ['https://api.openai.com/v1', {}, undefined],
    ['https://api.openai.com/v1', { HTTPS_PROXY: '' }, undefined],
  ] as [string, Record<string, string>, string | undefined][])('of %s, where the environment has %j', (address, env, expected) =>
    expect(environmentProxy(address, env)?.value).toBe(expected),
  );

  it.each(['localhost', '127.0.0.1', '127.9.9.9', '[::1]', 'models.localhost'])('is never asked for %s', (host) =>
    expect(environmentProxy(`https://${host}:11434`, { HTTPS_PROXY })).toBeUndefined(),
  );

  it.each([
    ['api.example.com', 'api.example.com', false],
    ['example.com', 'api.example.com', false],
    ['.example.com', 'api.example.com', false],
    ['*.example.com', 'API.example.com', false],
    ['example.com', 'notexample.com', true],
    ['other, example.com', 'example.com', false],
    ['*', 'example.com', false],
    ['example.com:443', 'example.com', false],
    ['example.com:8443', 'example.com', true],
    ['10.0.0.0/8', '10.1.2.3', false],
    ['10.0.0.0/8', '11.1.2.3', true],
    ['10.0.0.0/8', 'ten.example.com', true],
    ['fd00::/8', '[fd00::1]', false],
    ['fd00::1', '[fd00::1]', false],
    ['10.0.0.0/99', '10.1.2.3', true],
    ['192.168.1.7', '192.168.1.7', false],
  ])('NO_PROXY=%s, %s: asked %p', (NO_PROXY, host, asked) =>
    expect(environmentProxy(`https://${host}/v1`, { HTTPS_PROXY, NO_PROXY }) !== undefined).toBe(asked),
  );
});

describe('unsupportedNode', () => {
  it('accepts the Node that runs', () => expect(unsupportedNode(process.versions.node)).toBeUndefined());

  it.each(['24.15.0', '23.11.1', '9.0.0'])('refuses %s in one line that names both versions', (version) => {
    expect(unsupportedNode(version, false)).toMatch(/^.*Node 24\.16.*$/);
    expect(unsupportedNode(version, false)).toContain(version);
  });
});
