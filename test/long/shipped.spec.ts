import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { jest } from '@jest/globals';
import { parse } from 'yaml';
import { useServer } from '../support/started.js';
import { describePostgres } from '../../src/database/testing/describe-engines.js';
import { TemporaryPostgres } from '../../src/database/testing/temporary-postgres.js';
import { LoopbackUpstream } from '../../src/providers/testing/loopback-upstream.js';
import { GatewayProcess } from '../support/gateway-process.js';

const run = promisify(execFile);
const repository = resolve(import.meta.dirname, '../..');
/** As a machine has it: the Node and npm of the system, nothing of the repository. */
const path = (process.env['PATH'] ?? '').split(':').filter((folder) => !folder.includes('node_modules')).join(':'); // prettier-ignore
const stranger = { PATH: path, HOME: process.env['HOME'] ?? '', npm_config_audit: 'false', npm_config_prefer_offline: 'true' };
/** Whoever runs the tests as root runs containers' processes as nobody. */
const nobody = process.getuid?.() === 0 ? 65_534 : undefined;

const MB = 1_000_000;
const BLOCK = 4_096;

jest.setTimeout(600_000);

/** Everything that a stranger does with nothing but the packed gateway. */
describe('What is shipped', () => {
  let folder: string;
  let upstream: LoopbackUpstream;
  const processes: GatewayProcess[] = [];
  const at = (...names: string[]): string => join(folder, ...names);
  const command = async (cwd: string, ...args: [string, ...string[]]): Promise<string> => {
    const [program, ...rest] = args;
    const { stdout, stderr } = await run(program, rest, { cwd, env: stranger, maxBuffer: 64 * MB }).catch(
      (error: { stdout: string; stderr: string }) => Promise.reject(new Error(`${args.join(' ')}:\n${error.stdout}${error.stderr}`)),
    );
    return stdout + stderr;
  };
  /** The deployment: its package.json, what it has installed, and the packages that it has that from. */
  const deployment = (...names: string[]): string => at('deployment', ...names);
  const packed = (name: string): string => globSync(`${name}-*.tgz`, { cwd: deployment() })[0]!;
  const start = (args: readonly [string, ...string[]], options: ConstructorParameters<typeof GatewayProcess>[1]): GatewayProcess => {
    const started = new GatewayProcess(args, options);
    processes.push(started);
    return started;
  };
  /** A chat with the model of the provider that the generated package brings. */
  const answerOf = async (baseUrl: string, key: string): Promise<unknown> => {
    const response = await fetch(`${baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'acme-large', messages: [{ role: 'user', content: 'Ahoj' }] }),
    });
    return ((await response.json()) as { choices?: [{ message: { content: string } }] }).choices?.[0].message.content;
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'switchyard-shipped-'));
    chmodSync(folder, 0o755);
    upstream = await LoopbackUpstream.start();
    mkdirSync(deployment());
    const manifest = { name: 'deployment', private: true, scripts: { start: 'exec switchyard start' } };
    writeFileSync(deployment('package.json'), JSON.stringify(manifest));
    // It builds where the sources are newer.
    await run('npm', ['run', '-s', 'prestart'], { cwd: repository });
    await run('npm', ['pack', '--ignore-scripts', '--pack-destination', deployment()], { cwd: repository, maxBuffer: 64 * MB });
    await command(deployment(), 'npm', 'install', `./${packed('switchyard-gateway-switchyard')}`);
  });
  afterAll(async () => {
    await Promise.all(processes.map((one) => one.stop()));
    await upstream.stop();
    rmSync(folder, { recursive: true });
  });

  it('is not built again in its clone by the first npx, which runs what npm install does there', async () => {
    const built = () => statSync(join(repository, 'dist/main.js')).mtimeMs;
    const before = built();
    await run('npm', ['run', '-s', 'prepare'], { cwd: repository });
    expect(built()).toBe(before);
  });

  it('takes less than 126 MB beside Node itself', () => {
    const files = globSync('**/*', { cwd: deployment() }).filter((name) => !/node_modules\/node-\w+-\w+|\.tgz$/.test(name));
    const blocks = files.reduce((sum, name) => sum + Math.ceil(Math.max(1, lstatSync(deployment(name)).size) / BLOCK), 0);
    expect(blocks * BLOCK).toBeLessThan(126 * MB);
  });

  it('begins a provider that passes its suite and the type check, and packs it as JavaScript with types', async () => {
    await command(deployment(), 'npx', '--no-install', 'switchyard', 'providers', 'new', 'acme', '--dir', '..');
    const acme = at('acme');
    await command(acme, 'npm', 'install');
    expect(await command(acme, 'npm', 'test')).toMatch(/Tests: +\d+ passed, \d+ total/);
    await command(acme, 'npm', 'run', 'typecheck');
    await command(acme, 'npm', 'pack', '--pack-destination', deployment());
    const files = (await command(deployment(), 'tar', '-tzf', packed('switchyard-acme'))).trim().split('\n');
    expect(files).toEqual(expect.arrayContaining(['package/dist/index.js', 'package/dist/index.d.ts', 'package/package.json']));
    expect(files.filter((name) => /spec|(?<!\.d)\.ts$|fixtures/.test(name))).toEqual([]);
    expect(JSON.parse(readFileSync(join(acme, 'package.json'), 'utf8'))).toMatchObject({
      license: 'UNLICENSED',
      files: ['dist'],
      exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
      peerDependencies: { '@switchyard-gateway/switchyard': expect.stringMatching(/^\^\d/) as string },
    });
    upstream.replies({ headers: { 'content-type': 'application/json' }, body: readFileSync(join(acme, '__fixtures__/text.json'), 'utf8') });
  });

  it('is a deployment folder with a package.json, a switchyard.yaml and the provider’s package, that npm start serves', async () => {
    await command(deployment(), 'npm', 'install', `./${packed('switchyard-acme')}`);
    const providers = { acme: { base_url: `${upstream.origin}/v1`, api_key: 'key-of-acme' } };
    writeFileSync(deployment('switchyard.yaml'), JSON.stringify({ modules: ['switchyard-acme'], providers }));
    expect(await command(deployment(), 'npx', '--no-install', 'switchyard', 'config', 'check')).toContain('OK: ');
    const gateway = start(['npm', 'start'], { cwd: deployment(), env: stranger });
    const baseUrl = await gateway.listening();
    const [key] = await gateway.output(/\bsy-live-\w{32}\b/);
    expect(await answerOf(baseUrl, key)).toBe('Ahoj, Žofia! 👋');
    const page = await (await fetch(new URL('/dashboard', baseUrl))).text();
    const script = /src="(\/dashboard\/assets\/[^"]+\.js)"/.exec(page)![1]!;
    expect((await fetch(new URL(script, baseUrl))).status).toBe(200);
    gateway.signal('SIGTERM');
    expect((await gateway.exited).code).toBe(0);
  });

  /** The commands of Dockerfile and compose.yaml, by hand: the folders that they make, the user, the environment. */
  describe('for containers', () => {
    const dockerfile = readFileSync(join(repository, 'src/deployment/Dockerfile'), 'utf8');
    const lines = (word: string): string[] => Array.from(dockerfile.matchAll(new RegExp(`^${word} (.*)$`, 'gm')), ([, rest]) => rest!);
    const [install, final] = dockerfile.split(/^(?=FROM )/m).slice(1) as [string, string];
    const pairs = lines('ENV').flatMap((line) => line.split(' ').map((pair) => pair.split('=')));
    const environment = Object.fromEntries(pairs) as Record<string, string>;
    const startCommand = JSON.parse(lines('CMD').at(-1)!) as [string, ...string[]];
    const check = JSON.parse(/^HEALTHCHECK .*CMD (.*)$/m.exec(final)![1]!) as [string, ...string[]];
    let app: string;
    let image: Record<string, string>;

    const dataFolder = (name: string): string => {
      mkdirSync(at(name), { mode: 0o700 });
      if (nobody !== undefined) chownSync(at(name), nobody, nobody);
      return at(name);
    };
    const container = (data: string, env: Record<string, string> = {}) => ({
      cwd: app,
      uid: nobody,
      env: { ...image, HOME: '/nonexistent', PORT: '0', HOST: '127.0.0.1', SWITCHYARD_STORE_DATA_DIR: data, ...env },
    });
    const healthy = async (baseUrl: string): Promise<boolean> => {
      const env = { ...image, PORT: new URL(baseUrl).port };
      return run(check[0], check.slice(1), { cwd: app, env }).then(() => true, () => false); // prettier-ignore
    };
    const contents = () => globSync('**/*', { cwd: app }).map((name) => `${name} ${lstatSync(join(app, name)).mtimeMs}`);

    beforeAll(async () => {
      app = at('app');
      const ignored = readFileSync(join(repository, 'src/deployment/.dockerignore'), 'utf8').split('\n');
      cpSync(deployment(), app, {
        recursive: true,
        filter: (name) => !ignored.includes(name.slice(deployment().length + 1) || '.'),
      });
      mkdirSync(at('bin'));
      copyFileSync(process.execPath, at('bin/node'));
      image = { ...environment, PATH: `${at('bin')}:${path}` };
      // npm looks for the machine's settings (its registry, whom it trusts) beside the Node that runs it.
      const npm_config_globalconfig = (await run('npm', ['config', 'get', 'globalconfig'], { env: stranger })).stdout.trim();
      for (const [, shell] of install.matchAll(/^RUN (.*)$/gm))
        await run('sh', ['-c', shell!], { cwd: app, env: { ...stranger, ...image, HOME: stranger.HOME, npm_config_globalconfig } });
      await run('chmod', ['-R', nobody === undefined ? 'a-w' : 'go-w', app]);
    });
    afterAll(() => run('chmod', ['-R', 'u+w', app]));

    it('is installed without a second Node', () => {
      expect(globSync('node_modules/node-*', { cwd: app })).toEqual([]);
      expect(globSync('node_modules/switchyard-acme/dist/index.js', { cwd: app })).toHaveLength(1);
    });

    it('serves as a user who may write nothing but /data, is healthy while it does, and ends on SIGTERM', async () => {
      expect(final).toMatch(/^USER node$/m);
      const before = contents();
      const gateway = start(startCommand, container(dataFolder('data-alone')));
      const baseUrl = await gateway.listening();
      const [key] = await gateway.output(/\bsy-live-\w{32}\b/);
      expect(await healthy(baseUrl)).toBe(true);
      expect(await answerOf(baseUrl, key)).toBe('Ahoj, Žofia! 👋');
      gateway.signal('SIGTERM');
      expect((await gateway.exited).code).toBe(0);
      expect(await healthy(baseUrl)).toBe(false);
      expect(contents()).toEqual(before);
    });

    describePostgres('with compose', () => {
      const postgres = useServer(() => TemporaryPostgres.start());

      it('two gateways share a PostgreSQL and serve the module', async () => {
        interface Service {
          environment: Record<string, string>;
          volumes: string[];
          read_only: boolean;
        }
        const { services } = parse(readFileSync(join(repository, 'src/deployment/compose.yaml'), 'utf8'), { merge: true }) as { services: Record<string, Service> }; // prettier-ignore
        const gateways = Object.entries(services).filter(([name]) => name.startsWith('gateway'));
        expect(gateways).toHaveLength(2);
        const secrets = { POSTGRES_PASSWORD: 'secret', SWITCHYARD_PEPPER: 'the pepper of the deployment, the same everywhere' };
        let key: string | undefined;
        for (const [name, service] of gateways) {
          expect(service.read_only).toBe(true);
          expect(service.volumes).toEqual([expect.stringMatching(/:\/data$/)]);
          const filled = Object.entries(service.environment).map(([variable, text]) => [
            variable,
            text.replace(/\$\{(\w+):\?\}/g, (_, secret: keyof typeof secrets) => secrets[secret]).replace(/^postgres:.*$/, postgres.url),
          ]);
          const options = container(dataFolder(name), Object.fromEntries(filled) as Record<string, string>);
          if (key === undefined) {
            const operator = (...args: string[]) => run(startCommand[0], args, { cwd: app, uid: nobody, env: options.env });
            await operator('accounts', 'create', 'Acme');
            await operator('credits', 'grant', '-a', 'Acme', '5');
            key = /sy-live-\w{32}/.exec((await operator('keys', 'create', '-a', 'Acme', '-e', 'live')).stdout)![0];
          }
          const gateway = start(startCommand, options);
          expect(await answerOf(await gateway.listening(), key)).toBe('Ahoj, Žofia! 👋');
        }
        for (const gateway of processes.slice(-2)) {
          gateway.signal('SIGTERM');
          expect((await gateway.exited).code).toBe(0);
        }
      });
    });
  });

  it('asks for the packages of a vendor in one line, where an entry needs them, and only there', async () => {
    const check = () => command(deployment(), 'npx', '--no-install', 'switchyard', 'config', 'check');
    expect(globSync('node_modules/{@aws-sdk,@smithy}', { cwd: deployment() })).toEqual([]);
    const options = { region: 'eu-central-1' };
    writeFileSync(deployment('switchyard.yaml'), JSON.stringify({ providers: { bedrock: { options, models: { m: {} } } } }));
    const line = /^.*providers\.bedrock: it needs packages that are not installed: (npm install .*)$/m;
    const refused = await check().catch((error: Error) => error.message);
    expect(refused).toMatch(line);
    const started = await command(deployment(), 'npx', '--no-install', 'switchyard', 'start').catch((error: Error) => error.message);
    expect(started).toMatch(line);
    await command(deployment(), 'npm', ...(line.exec(refused)![1]!.split(' ').slice(1) as [string, ...string[]]));
    expect(await check()).toContain('OK: ');
  });
});
