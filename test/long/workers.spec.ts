import { execFile } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describePostgres } from '../../src/database/testing/describe-engines.js';
import { TemporaryPostgres } from '../../src/database/testing/temporary-postgres.js';
import { LoopbackUpstream, type Reply } from '../../src/providers/testing/loopback-upstream.js';
import { buildProgram } from '../support/built-program.js';
import { type CommandLine, commandLine } from '../support/command-line.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { Load } from '../support/load.js';
import { until } from '../support/until.js';

/** Generous: the machine that runs this may be busy. */
const SOON = 30_000;
const CLIENTS = 8;

const event = (choice: object | undefined, more: object = {}): string =>
  `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices: choice ? [{ index: 0, ...choice }] : [], ...more })}\n\n`;
const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const piece = event({ delta: { content: 'word ' }, finish_reason: null });
const streamed = `${piece}${piece}${event({ delta: {}, finish_reason: 'stop' })}${event(undefined, { usage })}data: [DONE]\n\n`;
const choice = { index: 0, message: { role: 'assistant', content: 'word word' }, finish_reason: 'stop' };
const whole = JSON.stringify({ id: 'x', object: 'chat.completion', created: 1, model: 'm', choices: [choice], usage });

describePostgres('several workers', () => {
  let program: string;
  let postgres: TemporaryPostgres;
  let upstream: LoopbackUpstream;
  let cwd: string;
  let gateway: GatewayProcess;
  let address: string;
  let administration: string;
  let key: string;
  let patient: boolean;

  const reply = ({ body }: { body: string }): Reply => {
    if (patient && body.includes('slowly'))
      return { headers: { 'content-type': 'text/event-stream' }, body: piece, endless: true, pace: 50 };
    return body.includes('"stream":true')
      ? { headers: { 'content-type': 'text/event-stream' }, body: streamed, delay: 5 }
      : { headers: { 'content-type': 'application/json' }, body: whole, delay: 5 };
  };
  const environment = (): Record<string, string> => ({
    DATABASE_URL: postgres.url,
    SWITCHYARD_PEPPER: 'a pepper of at least thirty-two characters',
    SWITCHYARD_WORKERS: '2',
  });
  const configure = (server: object): void =>
    writeFileSync(
      join(cwd, 'switchyard.yaml'),
      JSON.stringify({
        providers: {
          p: {
            base_url: `${upstream.origin}/v1`,
            models: { m: { pricing: { prompt: 1, completion: 1 }, context_length: 1000, max_tokens: 100 } },
          },
        },
        routing: { probe_interval: 0 },
        // For so long a worker that is replaced waits for requests on connections that are idle.
        server: { admin_port: 0, drain_timeout: 2_000, ...server },
      }),
    );
  const started: GatewayProcess[] = [];
  const start = (env: Record<string, string> = {}): GatewayProcess => {
    const one = new GatewayProcess([process.execPath, join(program, 'dist/main.js')], { cwd, env: { ...environment(), ...env } });
    started.push(one);
    return one;
  };
  let operator: CommandLine;
  const workers = async (): Promise<number[]> => {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'pid=', '--ppid', String(gateway.pid)]);
    return stdout.trim().split(/\s+/).map(Number);
  };
  const loads: Load[] = [];
  const load = (): Load => {
    const one = new Load({ address, key, model: 'm', clients: CLIENTS, patience: SOON });
    loads.push(one);
    return one;
  };
  const answered = async (): Promise<number> => {
    const page = await (await fetch(`${address.replace('/v1', '')}/metrics`)).text();
    const lines = page.split('\n').filter((line) => /^switchyard_requests_total\{operation="chat".*status="200"/.test(line));
    return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  };
  const logged = (pattern: RegExp): Record<string, unknown>[] =>
    gateway.stderr
      .split('\n')
      .filter((line) => pattern.test(line))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  /** Asks on a port until two workers have answered that are younger than some; each request has its own connection. */
  const twoAnswer = async (url: string, token: string, route: string, youngest = 0): Promise<void> => {
    const headers = { authorization: `Bearer ${token}`, connection: 'close' };
    const served = () =>
      new Set(
        logged(/"msg":"request"/)
          .filter((line) => line['route'] === route)
          .map(({ worker }) => worker as number)
          .filter((worker) => worker > youngest),
      );
    await until(
      async () => {
        expect((await fetch(url, { headers })).status).toBe(200);
        return served().size === 2;
      },
      `${route} at two workers`,
      SOON,
    );
  };
  const newest = (): number => Math.max(...logged(/"msg":"request"/).map(({ worker }) => worker as number));
  const settled = () =>
    until(
      async () => {
        const balances = (await operator('credits', 'show', '--account', 'Acme')) as { held: string }[];
        return balances.length > 0 && balances.every(({ held }) => held === '0');
      },
      'the end of all holds',
      SOON,
    );

  beforeAll(async () => {
    [program, postgres, upstream] = await Promise.all([buildProgram(), TemporaryPostgres.start(), LoopbackUpstream.start()]);
    cwd = mkdtempSync(join(tmpdir(), 'switchyard-workers-'));
    patient = true;
    upstream.replies(reply);
    configure({});
    operator = commandLine(join(program, 'dist'), { cwd, env: environment() });
    await operator('accounts', 'create', 'Acme');
    await operator('credits', 'grant', '--account', 'Acme', '--env', 'live', '1000000');
    ({ key } = (await operator('keys', 'create', '--account', 'Acme', '--env', 'live')) as { key: string });
    gateway = start();
    address = await gateway.listening();
    await gateway.output(/^Workers: 2$/m);
    administration = (await gateway.output(/^Administration: (\S+)$/m))[1]!;
  });
  afterEach(async () => {
    await Promise.all(loads.splice(0).map((one) => one.stop()));
  });
  afterAll(async () => {
    operator.end();
    await Promise.all(started.map((one) => one.stop()));
    await upstream.stop();
    await postgres.stop();
    for (const folder of [program, cwd]) rmSync(folder, { recursive: true });
  });

  it('greet once, all of them serve, and one page counts the requests of all, exactly', async () => {
    expect(gateway.stdout).toBe(
      `Switchyard is listening on ${address}
Administration: ${administration}
Dashboard: ${administration.replace('admin/v1', 'dashboard')}
Docs: ${address.replace('v1', 'docs')}
Providers: sandbox, p
Nobody can sign in yet. A link for the first operator: npx --no-install switchyard people invite EMAIL --operator
Workers: 2
`,
    );
    const clients = load();
    await until(() => clients.total >= 100, '100 requests', SOON);
    await clients.stop();
    expect(clients.tally).toMatchObject({ served: clients.total });
    expect(await answered()).toBe(clients.total);
    await until(
      () => logged(/"msg":"request".*/).filter(({ route }) => route === '/v1/chat/completions').length >= clients.total,
      'log lines',
    );
    expect(new Set(logged(/"msg":"request"/).map(({ worker }) => worker))).toEqual(new Set([1, 2]));
  });

  it('are replaced on SIGHUP and when the configuration changes: no request is dropped, and a stream that runs goes on', async () => {
    const before = await answered();
    const stream = await fetch(`${address}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'slowly' }] }),
    });
    const pieces = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
    const first = await workers();
    const clients = load();
    gateway.signal('SIGHUP');
    await until(() => logged(/nothing changed; 2 new workers serve/).length === 1, 'a reload on SIGHUP', SOON);
    configure({ max_open_requests: 5_000 });
    await until(() => logged(/server\.max_open_requests changed; 2 new workers serve/).length === 1, 'a reload by the file', SOON);
    configure({ max_open_requests: 0 });
    await until(
      () => logged(/cannot be used, the previous one stays: .*server\.max_open_requests must be at least 1/).length > 0,
      'a refusal',
    );
    const file = join(cwd, 'switchyard.yaml');
    renameSync(file, `${file}.away`);
    gateway.signal('SIGHUP');
    await until(() => logged(/the previous one stays: switchyard\.yaml cannot be read \(ENOENT\)/).length === 1, 'a missing file', SOON);
    renameSync(`${file}.away`, file);
    const soFar = clients.total;
    await until(() => clients.total > soFar + 50, 'requests to the new workers', SOON);
    await clients.stop();
    expect(clients.complaints).toEqual([]);
    expect(clients.tally).toMatchObject({ served: clients.total });
    expect(await answered()).toBe(before + clients.total);
    for (let read = 0; read < 5; read++) expect((await pieces.read()).value).toContain('word');
    // The worker of the stream is the only one that is left of the first.
    await until(async () => (await workers()).filter((pid) => first.includes(pid)).length === 1, 'the end of the others', SOON);
    await pieces.cancel();
    await until(async () => (await workers()).length === 2, 'the end of the last', SOON);
    expect((await workers()).some((pid) => first.includes(pid))).toBe(false);
    configure({});
  });

  it('all answer on the port of the administration too, before and after they are replaced, and tell where settings come from', async () => {
    const { token } = (await operator('tokens', 'create', '--role', 'operator')) as { token: string };
    const configuration = `${administration}/configuration`;
    const headers = { authorization: `Bearer ${token}`, connection: 'close' };
    const sources = async () => ((await (await fetch(configuration, { headers })).json()) as { sources: object }).sources;
    await until(() => logged(/2 new workers serve/).length === 3, 'the last change', SOON);
    await twoAnswer(configuration, token, '/admin/v1/configuration');
    const gateways = async () => {
      const { data } = (await (await fetch(`${administration}/gateways`, { headers })).json()) as {
        data: { pid: number; alive: boolean }[];
      };
      return data.filter(({ alive }) => alive).map(({ pid }) => pid);
    };
    const sorted = (pids: readonly number[]) => pids.toSorted((one, other) => one - other).join();
    // Until then one that was replaced may still be ending.
    await until(async () => (await workers()).length === 2 && (await gateways()).length === 2, 'two workers', SOON);
    expect(sorted(await gateways())).toBe(sorted(await workers()));
    expect(await sources()).toMatchObject({
      'server.workers': 'SWITCHYARD_WORKERS',
      'server.admin_port': expect.stringMatching(/^switchyard\.yaml:1:\d+$/) as string,
    });
    expect(await sources()).not.toHaveProperty('server.heartbeat');
    const youngest = newest();
    configure({ heartbeat: 10_000 });
    await until(() => logged(/server\.heartbeat changed; 2 new workers serve/).length === 1, 'a reload', SOON);
    await twoAnswer(`${address}/models`, key, '/v1/models', youngest);
    await twoAnswer(configuration, token, '/admin/v1/configuration', youngest);
    expect(await sources()).toHaveProperty(['server.heartbeat']);
    // What is on the one port is not on the other.
    const elsewhere = configuration.replace(new URL(administration).port, new URL(address).port);
    expect((await fetch(elsewhere, { headers: { ...headers, authorization: `Bearer ${key}` } })).status).toBe(404);
  });

  it('are started again when they die: no request is left without an answer or an error, and the ledger holds', async () => {
    const replaced = newest();
    configure({});
    await until(async () => logged(/2 new workers serve/).length === 5 && (await workers()).length === 2, 'the last change', SOON);
    // A worker that has not answered yet would pass for the one that is started after a death.
    await twoAnswer(`${address}/models`, key, '/v1/models', replaced);
    const clients = load();
    for (let deaths = 1; deaths <= 3; deaths++) {
      const soFar = clients.total;
      await until(() => clients.total > soFar + 30, 'requests', SOON);
      const [victim] = await workers();
      const youngest = newest();
      process.kill(victim!, 'SIGKILL');
      await until(() => logged(/worker \d+ ended \(SIGKILL\), another one starts in \d+ ms/).length === deaths, 'a line', SOON);
      // The clients keep their connections to the one that was left.
      const health = address.replace('v1', 'health/live');
      await until(
        async () => (await fetch(health, { headers: { connection: 'close' } })).ok && newest() > youngest,
        'requests to another worker',
        SOON,
      );
    }
    await clients.stop();
    const { served, broken, hung, dishonest, refused, cut } = clients.tally;
    expect({ hung, dishonest, refused, cut }).toEqual({ hung: 0, dishonest: 0, refused: 0, cut: 0 });
    // Those on the sockets of the dead, at most what was open.
    expect(broken).toBeLessThanOrEqual(3 * CLIENTS);
    expect(served).toBeGreaterThan(90);
    await settled();
    expect(await operator('ledger', 'verify')).toMatchObject({ findings: [] });
  });

  it('refuse in one line what cannot be', async () => {
    const complaint = async (env: Record<string, string>): Promise<string> => {
      const { code, stdout, stderr } = await start({ PORT: new URL(address).port, ...env }).exited;
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^[^\n]+\n$/);
      return stderr.trim();
    };
    expect(await complaint({})).toContain('is in use');
    expect(await complaint({ SWITCHYARD_WORKERS: 'two' })).toContain('server.workers must be a whole number from 1 to 256, or max');
    expect(await complaint({ DATABASE_URL: '' })).toContain('the embedded store belongs to one process');
  });

  it('drain, all of them, on SIGTERM', async () => {
    const ask = () =>
      fetch(`${address}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', connection: 'close' },
        body: JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'hello' }] }),
      });
    configure({ drain_timeout: SOON });
    // Connections that are idle are asked first: those to a worker that is replaced are closed when it ends.
    const replaced = () => logged(/server\.drain_timeout changed; 2 new workers serve/).length === 1;
    await until(async () => replaced() && (await workers()).length === 2, 'a patient drain', SOON);
    upstream.replies((request) => ({ ...reply(request), delay: 0, pace: 300, cuts: [piece.length] }));
    const answers = await Promise.all([ask(), ask(), ask(), ask()]);
    gateway.signal('SIGTERM');
    for (const answer of answers) expect(await answer.text()).toMatch(/data: \[DONE\]\n\n$/);
    expect((await gateway.exited).code).toBe(0);
  });
});
