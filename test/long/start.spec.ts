import { execFile } from 'node:child_process';
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { buildProgram } from '../support/built-program.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { open, readAnswer, sendRaw } from '../support/raw-socket.js';
import { startFlags } from '../support/start-flags.js';

const run = promisify(execFile);

const repository = resolve(import.meta.dirname, '../..');

/** Generous: the machine that runs this may be busy. */
const SOON = 10_000;

describe('Start and stop', () => {
  let cwd: string;
  const processes: GatewayProcess[] = [];
  const servers: Server[] = [];

  let program: string;

  beforeAll(async () => (program = await buildProgram()));
  afterAll(() => rmSync(program, { recursive: true }));
  beforeEach(() => (cwd = mkdtempSync(join(tmpdir(), 'switchyard-start-'))));
  afterEach(async () => {
    await Promise.all(processes.splice(0).map((process) => process.stop()));
    for (const server of servers.splice(0)) server.close();
    rmSync(cwd, { recursive: true });
  });

  const gateway = (env: Record<string, string> = {}, command?: readonly [string, ...string[]], uid?: number): GatewayProcess => {
    const started = new GatewayProcess(command ?? [process.execPath, join(program, 'dist/main.js')], { cwd, env, uid });
    processes.push(started);
    return started;
  };
  const listen = async (server: Server): Promise<number> => {
    servers.push(server);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return (server.address() as AddressInfo).port;
  };
  const models = async (address: string, key: string): Promise<number> =>
    (await fetch(`${address}/models`, { headers: { authorization: `Bearer ${key}` } })).status;
  const keysOf = (stdout: string): { live: string; test: string } => ({
    live: /\bsy-live-[0-9A-Za-z]{32}\b/.exec(stdout)![0],
    test: /\bsy-test-[0-9A-Za-z]{32}\b/.exec(stdout)![0],
  });

  describe('the first start', () => {
    it('prints address, account, credits and two keys that work, and keeps its data to itself', async () => {
      const process = gateway();
      const address = await process.listening();
      await process.output(/^curl .*$/m);
      expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
      expect(process.stdout).toMatch(/account +\S+/);
      expect(process.stdout).toMatch(/credits +10 live, 10 test/);
      const { live, test } = keysOf(process.stdout);
      expect(await models(address, live)).toBe(200);
      expect(await models(address, test)).toBe(200);
      expect(statSync(join(cwd, 'data')).mode & 0o777).toBe(0o700);
      expect(process.stderr).not.toContain(live);
    });

    it('prints a link that signs the owner in, once', async () => {
      const process = gateway();
      const address = await process.listening();
      const [, page, token] = await process.output(/^ +sign in +(\S+)\?link=(\S+)$/m);
      expect(page).toBe(address.replace(/v1$/, 'dashboard/sign-in'));
      const signIn = () =>
        fetch(address.replace(/v1$/, 'admin/v1/session/link'), {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ token }),
        });
      expect(await (await signIn()).json()).toMatchObject({ user: { email: 'owner@localhost', operator: true } });
      expect((await signIn()).status).toBe(401);
      expect(process.stdout + process.stderr).not.toMatch(/sy-session-/);
      expect(process.stderr).not.toContain(token);
    });

    it('prints a curl line that answers when it is pasted', async () => {
      const process = gateway();
      const [line] = await process.output(/^curl .*$/m);
      const { stdout } = await run('sh', ['-c', `${line} --silent --show-error`]);
      expect(JSON.parse(stdout)).toMatchObject({ object: 'chat.completion', model: 'sandbox-chat' });
    });
  });

  it('the second start keeps everything and prints no key', async () => {
    const first = gateway();
    await first.output(/^curl .*$/m);
    const { live, test } = keysOf(first.stdout);
    first.signal('SIGTERM');
    expect((await first.exited).code).toBe(0);

    const second = gateway();
    const address = await second.listening();
    expect(await models(address, live)).toBe(200);
    expect(await models(address, test)).toBe(200);
    expect(
      await models(
        address,
        live.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a')),
      ),
    ).toBe(401);
    await second.output(/^Providers: /m);
    const origin = address.replace(/\/v1$/, '');
    expect(second.stdout).toBe(
      `Switchyard is listening on ${address}\nDashboard: ${origin}/dashboard\nDocs: ${origin}/docs\nProviders: sandbox\n`,
    );
  });

  describe('switchyard start', () => {
    const cli = () => join(program, 'dist/cli/main.js');
    const commandOf = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');

    it('becomes the gateway of the folder, with the flags of npm start, and ends on a signal', async () => {
      writeFileSync(join(cwd, 'other.yaml'), 'server: { public_url: "http://127.0.0.1:1/from-the-file" }\n');
      const started = gateway({}, [process.execPath, cli(), 'start', '--config', 'other.yaml']);
      expect(await started.listening()).toBe('http://127.0.0.1:1/from-the-file/v1');
      expect(commandOf(started.pid)).toEqual([process.execPath, ...startFlags, realpathSync(join(program, 'dist/main.js')), '']);
      started.signal('SIGTERM');
      expect((await started.exited).code).toBe(0);
    });

    it('says why it does not start', async () => {
      writeFileSync(join(cwd, 'switchyard.yaml'), 'sevrer: {}\n');
      const { code, stderr } = await gateway({}, [process.execPath, cli(), 'start']).exited;
      expect([code, stderr]).toEqual([1, 'Configuration: switchyard.yaml:1:1: sevrer is unknown; did you mean server?\n']);
    });

    it('runs on the Node that came with it where that of the machine is too old', async () => {
      const old = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.0.0' } });`;
      const started = gateway({}, [process.execPath, '--import', old, cli(), 'start']);
      await started.listening();
      started.signal('SIGTERM');
      expect((await started.exited).code).toBe(0);
    });
  });

  it('gives a provider module the classes that the gateway has', async () => {
    const ownModule = pathToFileURL(join(program, 'dist/providers/contract/model-provider.js')).href;
    writeFileSync(
      join(cwd, 'shared.mjs'),
      `import { ModelProvider } from '@switchyard-gateway/switchyard/provider';
      import { ModelProvider as own } from '${ownModule}';
      console.error('shares', ModelProvider === own);`,
    );
    writeFileSync(join(cwd, 'switchyard.yaml'), 'modules: [./shared.mjs]\n');
    const [, answer] = await gateway().output(/^shares (\w+)$/m);
    expect(answer).toBe('true');
  });

  it('names the lines of the source where it fails by a fault of ours', async () => {
    const fault = `data:text/javascript,const { on } = process;
      process.on = function (name, listener) { if (name === 'SIGTERM') throw new Error('a fault'); return on.call(process, name, listener); };`;
    const { code, stderr } = await gateway({}, [process.execPath, '--import', fault, join(program, 'dist/main.js')]).exited;
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Error: a fault\n[^]* at onEndSignal \(file:\/\/\S+\/src\/process\/signals\.ts:\d+:\d+\)/m);
  });

  it('logs health checks at debug alone', async () => {
    const logged = async (level: string): Promise<unknown[]> => {
      const process = gateway({ SWITCHYARD_OBSERVABILITY_LOG_LEVEL: level });
      const origin = new URL('/', await process.listening());
      for (const path of ['health/live', 'health/ready', '']) expect((await fetch(new URL(path, origin))).status).toBe(200);
      await process.output(/"route":"\/","status":200/);
      process.signal('SIGTERM');
      const lines = (await process.exited).stderr.trim().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>); // prettier-ignore
      return lines.filter(({ msg }) => msg === 'request').map((line) => [line['level'], line['route']]);
    };
    expect(await logged('info')).toEqual([['info', '/']]);
    expect(await logged('debug')).toEqual([
      ['debug', '/health/live'],
      ['debug', '/health/ready'],
      ['info', '/'],
    ]);
  });

  it('logs readable lines where standard error is a terminal', async () => {
    // A terminal, as `script` of util-linux makes one; with exec no shell keeps the signal that ends it.
    const command = `exec '${process.execPath}' '${join(program, 'dist/main.js')}'`;
    const onTerminal = gateway({}, ['script', '--quiet', '--return', '--flush', '--command', command, '/dev/null']);
    try {
      const address = await onTerminal.listening();
      await fetch(`${address}/models`);
      await onTerminal.output(/^\d\d:\d\d:\d\d\.\d{3} INFO  request .*route=\/v1\/models status=401 code=missing_api_key .*$/m);
      expect(onTerminal.stdout).not.toContain('{"level"');
    } finally {
      // It passes the signal on; killed, it would leave the gateway behind, which is in a session of its own.
      onTerminal.signal('SIGTERM');
      await onTerminal.exited;
    }
  });

  it('logs one JSON line a request on standard error, without the key and without a word of the prompt', async () => {
    const process = gateway();
    const address = await process.listening();
    await process.output(/^curl .*$/m);
    const { test } = keysOf(process.stdout);
    const answer = await fetch(`${address}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${test}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'no-such-model', messages: [{ role: 'user', content: 'a very private prompt' }] }),
    });
    await process.output(/"msg":"request"/);
    process.signal('SIGTERM');
    const { stderr } = await process.exited;
    const lines = stderr.trim().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>); // prettier-ignore
    expect(lines.filter(({ msg }) => msg === 'request')).toEqual([
      expect.objectContaining({
        level: 'info',
        id: answer.headers.get('x-request-id'),
        method: 'POST',
        route: '/v1/chat/completions',
        status: 404,
        code: 'model_not_found',
        answered: true,
        model: 'no-such-model',
        key: expect.stringMatching(/^key_/),
        ms: expect.any(Number),
      }),
    ]);
    expect(stderr).not.toContain(test);
    expect(stderr).not.toContain('private');
  });

  describe('what cannot start says why in one line and exits with 1', () => {
    const startupError = async (env: Record<string, string>, uid?: number): Promise<string> => {
      const { code, stdout, stderr } = await gateway(env, undefined, uid).exited;
      expect(code).toBe(1);
      expect(stdout).toBe('');
      expect(stderr).toMatch(/^[^\n]+\n$/);
      expect(stderr).not.toMatch(/\n\s+at /);
      return stderr.trim();
    };

    it('port in use, and the first start is still to come', async () => {
      const port = await listen(createServer());
      expect(await startupError({ PORT: String(port) })).toBe(
        `Port ${port} on 127.0.0.1 is in use. Choose another one with PORT or server.port, or stop what listens there.`,
      );
      await gateway().output(/^curl .*$/m);
    });

    it('a host that is not of this machine', async () => {
      expect(await startupError({ HOST: '192.0.2.1' })).toContain('192.0.2.1 is no address of this machine');
    });

    it('configuration with a wrong field', async () => {
      writeFileSync(join(cwd, 'switchyard.yaml'), 'server:\n  port: 1\n  prot: 2\n');
      expect(await startupError({})).toBe('Configuration: switchyard.yaml:3:3: server.prot is unknown; did you mean port?');
    });

    it('configuration that is no YAML', async () => {
      writeFileSync(join(cwd, 'switchyard.yaml'), 'server:\n\tport: 1\n');
      expect(await startupError({})).toBe('Configuration: switchyard.yaml:2:1: not valid YAML (tab as indent)');
    });

    it('configuration that is not there', async () => {
      expect(await startupError({ SWITCHYARD_CONFIG: 'other.yaml' })).toBe('Configuration: other.yaml cannot be read (ENOENT)');
    });

    it('a wrong variable', async () => {
      expect(await startupError({ PORT: 'http' })).toBe('Configuration: PORT: server.port must be a number, not text');
    });

    it('a data folder that cannot be made', async () => {
      writeFileSync(join(cwd, 'file'), '');
      const dataDir = join(cwd, 'file', 'data');
      expect(await startupError({ SWITCHYARD_STORE_DATA_DIR: dataDir })).toContain(dataDir);
    });

    it('a data folder where the file system takes none', async () => {
      expect(await startupError({ SWITCHYARD_STORE_DATA_DIR: '/proc/switchyard/data' })).toContain(
        '/proc/switchyard/data cannot be opened',
      );
    });

    it('a data folder that others can write to', async () => {
      mkdirSync(join(cwd, 'data'));
      chmodSync(join(cwd, 'data'), 0o777);
      expect(await startupError({})).toMatch(
        /^\/\S+\/data is not safe: every user of this machine can write to it\. Run chmod 700 \/\S+\/data, or .+$/,
      );
      expect(readdirSync(join(cwd, 'data'))).toEqual([]);
    });

    it('a store whose file this user may only read', async () => {
      // Root may write to every file.
      const uid = process.getuid?.() === 0 ? 65_534 : undefined;
      if (uid !== undefined) {
        chmodSync(program, 0o755);
        chownSync(cwd, uid, uid);
      }
      const first = gateway({}, undefined, uid);
      await first.output(/^curl .*$/m);
      first.signal('SIGTERM');
      await first.exited;
      chmodSync(join(cwd, 'data/switchyard.db'), 0o400);
      expect(await startupError({}, uid)).toMatch(
        /^The store in \S*data cannot be written to: attempt to write a readonly database\. Let this user write to \S*data\/switchyard\.db\.$/,
      );
    });

    it('a data folder that another gateway uses', async () => {
      await gateway().listening();
      expect(await startupError({})).toContain('data');
    });
  });

  describe('SIGTERM', () => {
    /** A provider whose streams send a word every 20 ms until `end` is called. */
    const talkative = async () => {
      const answers = new Set<ServerResponse>();
      const event = (delta: object, finish_reason: string | null = null): string =>
        `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
      const port = await listen(
        createHttpServer((request, answer) => {
          request.resume();
          answers.add(answer.writeHead(200, { 'content-type': 'text/event-stream' }));
          const timer = setInterval(() => answer.write(event({ content: 'word ' })), 20);
          answer.on('close', () => clearInterval(timer));
        }),
      );
      return {
        port,
        end: () => {
          for (const answer of answers) answer.end(`${event({}, 'stop')}data: [DONE]\n\n`);
        },
      };
    };
    const streaming = async (upstream: number, env: Record<string, string>) => {
      const process = gateway({
        SWITCHYARD_PROVIDERS: JSON.stringify({
          talk: { base_url: `http://127.0.0.1:${upstream}/v1`, free: true, models: { talk: { context_length: 8192, max_tokens: 1024 } } },
        }),
        ...env,
      });
      const address = await process.listening();
      await process.output(/^curl .*$/m);
      const answer = await fetch(`${address}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${keysOf(process.stdout).live}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'talk', stream: true, messages: [{ role: 'user', content: 'talk' }] }),
      });
      expect(answer.status).toBe(200);
      return { process, port: Number(new URL(address).port), text: answer.text() };
    };

    /** Resolves when no new connection is taken any more. */
    const refusal = async (port: number): Promise<void> => {
      for (;;) {
        const socket = await open(port).catch(() => undefined);
        if (!socket) return;
        socket.destroy();
      }
    };

    it('lets an open stream finish, takes no new connection and exits with 0', async () => {
      const upstream = await talkative();
      const { process, port, text } = await streaming(upstream.port, {});
      process.signal('SIGTERM');
      await refusal(port);
      upstream.end();
      expect(await text).toMatch(/data: \[DONE\]\n\n$/);
      expect((await process.exited).code).toBe(0);
    });

    it('answers a request that is still arriving and closes its connection', async () => {
      const process = gateway();
      const port = Number(new URL(await process.listening()).port);
      await process.output(/^curl .*$/m);
      const socket = await open(port);
      const headers = `Host: a\r\nAuthorization: Bearer ${keysOf(process.stdout).test}\r\nContent-Type: application/json\r\n`;
      socket.write(`POST /v1/completions HTTP/1.1\r\n${headers}Content-Length: 2\r\nExpect: 100-continue\r\n\r\n`);
      await new Promise((done) => socket.once('data', done));
      process.signal('SIGTERM');
      await refusal(port);
      socket.write('{}');
      expect(await readAnswer(socket)).toMatchObject({ status: 400, headers: { connection: 'close' } });
      expect((await process.exited).code).toBe(0);
    });

    it('ends an open stream with an error event at the deadline', async () => {
      const upstream = await talkative();
      const { process, text } = await streaming(upstream.port, { SWITCHYARD_SERVER_DRAIN_TIMEOUT: '500' });
      const start = performance.now();
      process.signal('SIGTERM');
      const events = (await text).trim().split('\n\n');
      expect(JSON.parse(events.at(-1)!.replace(/^data: /, ''))).toEqual({
        error: { message: expect.any(String), type: 'api_error', code: 'service_unavailable' },
      });
      expect((await process.exited).code).toBe(0);
      expect(performance.now() - start).toBeGreaterThan(450);
      expect(performance.now() - start).toBeLessThan(500 + SOON);
    });

    it('a second time exits at once with 1', async () => {
      const upstream = await talkative();
      const { process, text } = await streaming(upstream.port, { SWITCHYARD_SERVER_DRAIN_TIMEOUT: '60000' });
      text.catch(() => undefined);
      process.signal('SIGTERM');
      const again = setInterval(() => process.signal('SIGTERM'), 200);
      expect((await process.exited).code).toBe(1);
      clearInterval(again);
    });

    it('does not wait for connections that are kept open without a request', async () => {
      const process = gateway();
      const port = Number(new URL(await process.listening()).port);
      const idle = await open(port);
      const kept = await open(port);
      kept.write('GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n');
      await new Promise((done) => kept.once('data', done));
      const start = performance.now();
      process.signal('SIGTERM');
      expect((await process.exited).code).toBe(0);
      expect(performance.now() - start).toBeLessThan(SOON);
      idle.destroy();
      kept.destroy();
    });

    it('fails readiness first where there is a delay for load balancers', async () => {
      const process = gateway({ SWITCHYARD_SERVER_DRAIN_DELAY: '60000' });
      const port = Number(new URL(await process.listening()).port);
      process.signal('SIGTERM');
      let answer = await sendRaw(port, 'GET /health/ready HTTP/1.1\r\nHost: a\r\n\r\n');
      while (answer.status === 200) answer = await sendRaw(port, 'GET /health/ready HTTP/1.1\r\nHost: a\r\n\r\n');
      expect(answer).toMatchObject({ status: 503, headers: { connection: 'close' } });
      expect((await sendRaw(port, 'GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n')).status).toBe(200);
    });

    it.each(['SIGTERM', 'SIGINT'] as const)('through npm start: %s', async (signal) => {
      const process = gateway({ SWITCHYARD_STORE_DATA_DIR: join(cwd, 'data') }, ['npm', '--prefix', repository, 'start']);
      await process.listening();
      process.signal(signal);
      expect((await process.exited).code).toBe(0);
      expect(readdirSync(join(cwd, 'data'))).not.toEqual([]);
    });
  });
});
