import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { started } from '../../src/common/testing/started.js';
import { loadConfig } from '../../src/config/load-config.js';
import { describePostgres } from '../../src/database/testing/describe-engines.js';
import { TemporaryPostgres } from '../../src/database/testing/temporary-postgres.js';
import { providerTypes } from '../../src/providers/registry/provider-types.js';
import { buildProgram } from '../support/built-program.js';
import { blocksOf } from '../support/markdown-blocks.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { until } from '../support/until.js';

const run = promisify(execFile);
const root = process.cwd();
/** Without the keys of providers that a developer may have: nothing here asks one. */
const clean = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' };
const read = (page: string): string => readFileSync(join(root, page), 'utf8');
/**
 * The README and its chapters, but for that on providers, whose blocks are run by test/long/provider-modules.spec.ts.
 */
const chapters = globSync(['src/*/README.md', 'src/providers/*/README.md'], { cwd: root }).filter(
  (page) => page !== 'src/providers/README.md',
);
const pages = ['README.md', ...chapters.sort()];
const readme = pages.map(read).join('\n');

const blocks = (language: string, page = readme): string[] => blocksOf(page, language);

describe('The chapter on security', () => {
  const shown = /## What is promised\n[^]*?\n\| -[^\n]*\n((?:\|[^\n]*\n)+)/.exec(read('src/http/README.md'))![1]!.trimEnd().split('\n');

  it.each(shown.map((row) => [row.split('|')[1]!.trim(), row.split('|').at(-2)!]))('names specs that there are: %s', (_, cell) => {
    const specs = Array.from(cell.matchAll(/`([^`]+)`/g), ([, name]) => name!);
    expect(specs.length).toBeGreaterThan(0);
    for (const name of specs)
      expect([name, existsSync(join(root, `${name}${/^test\/(?!long)/.test(name) ? '.e2e-spec.ts' : '.spec.ts'}`))]).toEqual([name, true]);
  });
});

describe('Documents, messages and generated files', () => {
  it('run and import this package and no other', () => {
    const files = globSync(['README.md', '{src,test}/**/*.{md,ts}'], { cwd: root }).filter((file) => file !== 'test/long/readme.spec.ts');
    expect(files.length).toBeGreaterThan(500);
    // `npx NAME` fetches and runs what somebody has published under that name.
    const foreign = /\b(npx (?!--no-install\s)|npm (exec|x) (?!--no ))\S+|\b(from|import|import\() ?['"]switchyard[/'"]/g;
    expect(files.flatMap((file) => (read(file).match(foreign) ?? []).map((found) => `${file}: ${found}`))).toEqual([]);
  });
});

/**
 * Every block of the README and its chapters, as a reader would use it, but for the first two: .ci/run is what runs
 * those.
 */
describe('README', () => {
  let program: string;
  let folder: string;
  let gateway: ChildProcess;
  let url: string;
  let testKey: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'switchyard-readme-'));
    program = await buildProgram();
    gateway = spawn(process.execPath, [join(program, 'dist/main.js')], { cwd: folder, env: { ...clean, PORT: '0' } });
    let output = '';
    await new Promise<void>((resolve, reject) => {
      gateway.on('exit', () => reject(new Error(output)));
      gateway.stdout!.on('data', (data: Buffer) => {
        output += data.toString();
        if (/curl .*\n/.test(output)) resolve();
      });
    });
    url = /http:\/\/\S+\/v1/.exec(output)![0];
    testKey = /sy-test-\w{32}/.exec(output)![0];
  });

  afterAll(async () => {
    gateway.removeAllListeners('exit');
    const ended = new Promise((resolve) => gateway.once('exit', resolve));
    gateway.kill('SIGTERM');
    await ended;
    for (const made of [folder, program]) rmSync(made, { recursive: true, force: true });
  });

  const environment = () => ({
    ...clean,
    SWITCHYARD_URL: url,
    SWITCHYARD_API_KEY: testKey,
    SWITCHYARD_STORE_DATA_DIR: join(folder, 'data'),
  });

  it('begins with the two commands that start it and test it', () => {
    expect(blocks('sh').slice(0, 2)).toEqual(['npm ci && npm start\n', 'npm ci && npm test\n']);
  });

  it('shows pictures that are shipped, of 100 KB at most', () => {
    const pictures = Array.from(read('README.md').matchAll(/!\[[^\]]+\]\((.+)\)/g), ([, path]) => path!);
    const { files } = JSON.parse(read('package.json')) as { files: string[] };
    expect(pictures.map((path) => files.includes(path) && statSync(join(root, path)).size <= 100_000)).toEqual([true]);
  });

  it('has curl lines that answer', async () => {
    const calls = blocks('sh').find((block) => block.includes('curl '));
    const script = calls!.replace(/^export .*$/gm, '').replace(/^curl /gm, 'curl -sS --fail-with-body ');
    const { stdout } = await run('bash', ['-e', '-c', script], { env: environment() });
    expect(stdout).toContain('"object":"list"');
    expect(stdout).toContain('"object":"chat.completion"');
  });

  it('has client code that runs', async () => {
    const [code] = blocks('js');
    const file = join(root, 'node_modules', `.readme-${process.pid}.mjs`);
    writeFileSync(file, code!);
    try {
      const { stdout } = await run(process.execPath, [file], { env: environment() });
      expect(stdout.length).toBeGreaterThan(0);
    } finally {
      rmSync(file);
    }
  });

  it('has configurations that load', () => {
    const env = Object.fromEntries(Array.from(readme.matchAll(/\$\{([A-Z_]+)\}/g), ([, name]) => [name!, 'secret-of-the-test']));
    const found = blocks('yaml');
    expect(found.length).toBeGreaterThanOrEqual(3);
    for (const [index, text] of found.entries()) {
      const file = join(folder, `block-${index}.yaml`);
      writeFileSync(file, text);
      expect(() => loadConfig({ file, env, cwd: folder, types: providerTypes })).not.toThrow();
    }
  });

  it('quotes the defaults truly', () => {
    const defaults = blocks('yaml').find((block) => block.startsWith('server:'))!;
    const file = join(folder, 'defaults.yaml');
    writeFileSync(file, defaults);
    const { store: stated, ...rest } = loadConfig({ file, env: {}, cwd: folder });
    const { store, ...plain } = loadConfig({ env: {}, cwd: folder });
    expect(rest).toEqual(plain);
    expect(dirname(stated.data_dir)).toBe(dirname(store.data_dir));
  });

  /** Runs commands as they stand in the text, with this program as `npx --no-install switchyard`. */
  const shell = async (commands: string, env: Record<string, string> = environment()): Promise<string> => {
    const script = commands.replaceAll(
      'npx --no-install switchyard',
      `"${process.execPath}" --disable-warning=ExperimentalWarning "${join(program, 'dist/cli/main.js')}"`,
    );
    const { stdout } = await run('bash', ['-e', '-c', script], { env: { ...clean, ...env, ACME_API_KEY: 'k' }, cwd: folder });
    return stdout;
  };

  it('has a provider module that is made and loaded', async () => {
    const made = await shell(blocks('sh').find((block) => block.includes('providers new'))!);
    expect(made).toContain('Made ');
    writeFileSync(
      join(folder, 'modules.yaml'),
      blocks('yaml').find((block) => block.startsWith('modules:'))!,
    );
    const checked = await shell('npx --no-install switchyard config check modules.yaml');
    expect(checked).toMatch(/^acme +acme +api\.acme\.example/m);
  });

  it('has a story of the administration, which changes nothing when it is told again', async () => {
    const [tokens, story, usage] = blocks('sh', read('src/admin/README.md')) as [string, string, string];
    const [token = ''] = /sy-admin-\w{32}/.exec(await shell(tokens)) ?? [];
    const origin = url.replace(/\/v1$/, '');
    const tell = (block: string) => shell(block.replace(/^export .*$/gm, ''), { SWITCHYARD: origin, TOKEN: token });
    const told = async (path: string): Promise<unknown> =>
      (await fetch(`${origin}/admin/v1/${path}`, { headers: { authorization: `Bearer ${token}` } })).json();
    // When a key was last used is to the minute.
    const withoutUse = (text: string) => text.replace(/"last_used_at":[^,}]+/g, '');
    const first = withoutUse(await tell(story));
    expect(first).toContain('"object":"chat.completion"');
    await until(async () => (await tell(usage)).includes('"requests":1'), 'the usage');
    // The repeated generation is replayed: it costs nothing, and leaves a record that says so.
    const state = async () => [
      (await tell(usage)).replace(/\{"request_id":[^{}]*"outcome":"replayed"[^{}]*\},?/g, ''),
      await told('audit-log'),
      withoutUse(JSON.stringify(await told('accounts/acme-labs/keys'))),
    ];
    const before = await state();
    expect(JSON.stringify(before[1])).toContain('POST /admin/v1/accounts/:account/keys');
    const again = withoutUse(await tell(story));
    expect(again).toBe(first.replace(/"key":"sy-test-\w{32}"/, '"key":null'));
    expect(again).not.toBe(first);
    expect(await state()).toEqual(before);
  });

  describePostgres('on several machines', () => {
    const postgres = started(() => TemporaryPostgres.start());
    const gateways: GatewayProcess[] = [];
    afterAll(async () => {
      await Promise.all(gateways.map((one) => one.stop()));
      await postgres.stop();
    });

    it('has a switch of two variables', async () => {
      const chapter = blocks('sh', read('src/database/README.md'));
      expect(chapter).toHaveLength(2);
      const [commands, start] = chapter as [string, string];
      expect(commands.match(/^export \w+/gm)).toEqual(['export DATABASE_URL', 'export SWITCHYARD_PEPPER']);
      expect(start).toBe('npm start\n');
      const env = { DATABASE_URL: postgres.url, SWITCHYARD_PEPPER: 'the pepper of the README, the same everywhere' };
      const made = await shell(commands.replace(/^export .*$/gm, ''), env);
      const [key] = /sy-test-\w{32}/.exec(made)!;
      for (const machine of ['one', 'two']) {
        const cwd = join(folder, machine);
        mkdirSync(cwd);
        gateways.push(new GatewayProcess([process.execPath, join(program, 'dist/main.js')], { cwd, env }));
      }
      for (const one of gateways) {
        const response = await fetch(`${await one.listening()}/models`, { headers: { authorization: `Bearer ${key}` } });
        expect(response.status).toBe(200);
      }
    });
  });

  it('has a chapter on money without commands', () => {
    expect(blocks('sh', read('src/billing/README.md'))).toEqual([]);
  });

  it('has operator’s commands that work beside the running gateway', async () => {
    const commands = blocks('sh').filter((block) => block.startsWith('npx --no-install switchyard') && !block.includes('providers new'));
    const stdout = await shell(commands.join(''));
    expect(stdout).toContain('Granted 25.5 credits');
    expect(stdout).toMatch(/sy-live-\w{32}/);
    expect(stdout).toContain('OK: ');
    expect(stdout).toContain('Usage: switchyard');
  });
});
