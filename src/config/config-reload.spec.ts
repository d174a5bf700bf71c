import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigReload } from './config-reload.js';
import { ConfigService } from './config.service.js';
import { loadConfig } from './load-config.js';

const SECRET = 'sk-nobody-may-see-this';

describe('ConfigReload', () => {
  let cwd: string;
  let service: ConfigService;
  let lines: string[];
  let reload: (yaml: string, env?: Record<string, string>) => Promise<void>;

  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), 'switchyard-reload-'));
    lines = [];
    service = new ConfigService(loadConfig({ cwd, env: {} }));
    const tell = (message: string) => void lines.push(message);
    reload = async (yaml, env = {}) => {
      // Editors replace a file in this way.
      writeFileSync(join(cwd, '.switchyard.yaml.swp'), yaml);
      renameSync(join(cwd, '.switchyard.yaml.swp'), join(cwd, 'switchyard.yaml'));
      await new ConfigReload(service, () => loadConfig({ cwd, env }), { log: tell, warn: tell, error: tell }).now();
    };
  });
  afterEach(() => rmSync(cwd, { recursive: true }));

  it('brings what changed into force, names it and shows no value', async () => {
    await reload(`routing: {retries: 3}\nproviders: {far: {base_url: "http://x", api_key: ${SECRET}}}`);
    expect(service.current.routing.retries).toBe(3);
    expect(lines).toEqual(['configuration read again: providers.far, routing.retries changed']);
    await reload(`routing: {retries: 3}\nproviders: {far: {base_url: "http://x", api_key: ${SECRET}-2}}`);
    expect(service.current.providers['far']?.api_key).toBe(`${SECRET}-2`);
    await reload('');
    expect(service.current.providers).toEqual({});
    expect(lines.slice(1)).toEqual([
      'configuration read again: providers.far changed',
      'configuration read again: providers.far, routing.retries changed',
    ]);
  });

  it('changes nothing, and calls nobody, where nothing changed', async () => {
    const { current } = service;
    let called = 0;
    service.onChange(() => called++);
    await reload('# a comment\nrouting: {retries: 1}');
    expect([service.current, called, lines]).toEqual([current, 0, ['configuration read again: nothing changed']]);
  });

  it.each([
    ['routing: {retires: 3}', 'switchyard.yaml:1:11: routing.retires is unknown; did you mean retries?'],
    [
      'routing: {retries: many}\nserver: {port: x}',
      'switchyard.yaml:2:16: server.port must be a number, not text; switchyard.yaml:1:20: routing.retries must be a number, not text',
    ],
    ['routing: {', 'switchyard.yaml:1:11: not valid YAML'],
    [`providers: {a: {base_url: "http://x", api_key: "\${NO_SUCH}${SECRET}"}}`, 'needs the environment variable NO_SUCH'],
  ])('leaves everything as it was when the file is bad: %s', async (yaml, problem) => {
    await reload('routing: {retries: 2}');
    const { current } = service;
    await reload(yaml);
    expect(service.current).toBe(current);
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain(`the new configuration cannot be used, the previous one stays: `);
    expect(lines[1]).toContain(problem);
    expect(lines[1]).not.toContain(SECRET);
    expect(lines[1]).not.toContain('\n');
    await reload('routing: {retries: 5}');
    expect(service.current.routing.retries).toBe(5);
  });

  it('leaves everything as it was when somebody objects', async () => {
    const { current } = service;
    service.beforeChange(() => {
      throw new Error("two providers have the id 'sandbox'");
    });
    await reload('routing: {retries: 2}');
    expect(service.current).toBe(current);
    expect(lines).toEqual(["the new configuration cannot be used, the previous one stays: two providers have the id 'sandbox'"]);
  });

  it('names what has to wait for a restart, and leaves it as it runs', async () => {
    await reload('server: {port: 9999, heartbeat: 5000}\nstore: {data_dir: elsewhere}\nkeys: {prefix: ab}\nmodules: [./x.js]');
    expect(service.current.server).toMatchObject({ port: 8080, heartbeat: 5_000 });
    expect(service.current).toMatchObject({ store: { data_dir: 'data' }, modules: [], keys: { prefix: 'ab' } });
    expect(Object.isFrozen(service.current.server)).toBe(true);
    expect(lines).toEqual([
      'configuration read again: server.heartbeat, keys.prefix changed',
      'server.port, store.data_dir, modules changed as well: in force after a restart',
    ]);
    await reload('server: {port: 9999, heartbeat: 5000}\nkeys: {prefix: ab}', { SWITCHYARD_PEPPER: 'p'.repeat(32) });
    expect(lines.slice(2)).toEqual([
      'configuration read again: nothing changed',
      'server.port, keys.pepper changed as well: in force after a restart',
    ]);
  });
});
