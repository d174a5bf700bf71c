import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { LeaseLedger } from '../src/billing/leases/lease-ledger.js';
import { verifyLedger } from '../src/billing/verify-ledger.js';
import { formatCredits } from '../src/common/prices/credits.js';
import { ManualClock } from '../src/common/testing/manual-clock.js';
import { Database } from '../src/database/database.js';
import { openDatabase } from '../src/database/open-database.js';
import { OpenRequests } from '../src/http/server/open-requests.js';
import { RequestHistories } from '../src/observability/request-history.js';
import { LoopbackUpstream, type RecordedRequest, type Reply } from '../src/providers/testing/loopback-upstream.js';
import { buildProgram } from './support/built-program.js';
import type { Customer } from './support/customer.js';
import { openStream } from './support/event-stream.js';
import { GatewayProcess } from './support/gateway-process.js';
import { Gateway, type UsageRow } from './support/gateway.js';
import { jsonReply } from './support/openai-bytes.js';
import { useGateway, useUpstream } from './support/started.js';
import { until } from './support/until.js';
import { expectError } from './support/wire-schemas.js';

const CREDIT = 1_000_000_000n;
/** 26 bytes: 4 tokens by our own count, and at most 58 with what a chat template may put around. */
const prompt = 'Tell me about the weather.';
/** 500 nano-credits a prompt token, 1,500 a completion token. */
const pricing = { prompt: '0.0005', completion: '0.0015' };
/** What a request of 10 tokens holds: 58 x 500 + 10 x 1,500. */
const HOLD = 44_000n;

/** Milliseconds of silence, and of an answer, that are too many. */
const SILENCE = 30_000;
const LONGEST = 20_000;

const json = (body: object): Reply => jsonReply(body);
const sse = (events: readonly object[], more: Partial<Reply> = {}): Reply => ({
  headers: { 'content-type': 'text/event-stream' },
  body: events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''),
  ...more,
});
const choice = (text: string, finish_reason: string | null, index = 0) => ({ index, text, logprobs: null, finish_reason });
const pieces = ['w1 ', 'w2 ', 'w3 '].map((text) => ({ choices: [choice(text, null)] }));
const last = { choices: [choice('', 'stop')] };
const counted = (prompt_tokens: number, completion_tokens: number) => ({
  usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
});
const whole = (more: object = counted(7, 3)): Reply => json({ choices: [choice('w1 w2 w3 ', 'stop')], ...more });
const done = (reply: Reply): Reply => ({ ...reply, body: `${String(reply.body)}data: [DONE]\n\n` });
const streamed = done(sse([...pieces, last, { choices: [], ...counted(7, 3) }]));
const failure: Reply = { ...json({ error: { message: 'no' } }), status: 500 };

const offer = {
  pricing,
  context_length: 10_000,
  max_tokens: 1_000,
  capabilities: { chat: true, completion: true, function_calling: true },
};
const provider = (upstream: LoopbackUpstream, models: object) => ({
  base_url: `${upstream.origin}/v1`,
  models: models as Record<string, typeof offer>,
});

/** The first column of the table in billing's README. */
const rows = Array.from(
  /## What a request costs\n[^]*?\n\| -[^\n]*\n((?:\|[^\n]*\n)+)/
    .exec(readFileSync(resolve(import.meta.dirname, '../src/billing/README.md'), 'utf8'))![1]!
    .matchAll(/^\| (.*?) +\|/gm),
  ([, cell]) => cell!,
);

describe('What a request costs that', () => {
  const tested: string[] = [];
  /** A row of the table. */
  const row = (name: string, test: () => Promise<void>, tag = ''): void => {
    tested.push(name);
    it(`${name}${tag}`, test);
  };

  const clock = ManualClock.running();
  let customer: Customer;

  const upstream = useUpstream();
  const other = useUpstream();
  const gateway = useGateway(() => {
    const settings: Parameters<typeof Gateway.start>[0] = {
      routing: { retries: 1, idle_timeout: SILENCE },
      providers: {
        only: provider(upstream, {
          weather: offer,
          talk: { ...offer, max_tokens: 5_000 },
          taught: offer,
          'one-at-a-time': { ...offer, parameters: ['max_tokens'] } as typeof offer,
          fine: { ...offer, pricing: { prompt: '0.000000007', completion: '0.333333333' } },
        }),
        hurried: { ...provider(upstream, { hasty: offer }), timeouts: { total: LONGEST } },
        steady: provider(upstream, { 'second-time': offer }),
        cheap: provider(upstream, { 'two-offers': offer }),
        dear: provider(other, { 'two-offers': { ...offer, pricing: { prompt: '0.001', completion: '0.002' } } }),
      },
      models: { 'two-offers': { strategy: 'priority', offers: [{ provider: 'cheap' }, { provider: 'dear' }] } },
    };
    return Gateway.start(settings, undefined, clock);
  });
  beforeEach(async () => {
    customer = await gateway.newCustomer('1');
  });

  const ask = (fields: object = {}) =>
    gateway.post('completions', { model: 'weather', prompt, max_tokens: 10, ...fields }, customer.liveKey);
  const stream = (fields: object = {}, signal?: AbortSignal) =>
    gateway.stream('completions', { model: 'weather', prompt, max_tokens: 10, ...fields }, { key: customer.liveKey, signal });

  /** A client that reads nothing of its stream until it is told to read all of it. */
  const slowReader = (fields: object, { url }: Gateway = gateway): Promise<() => Promise<string>> =>
    new Promise((opened, failed) => {
      const headers = { authorization: `Bearer ${customer.liveKey}`, 'content-type': 'application/json' };
      const outgoing = httpRequest(`${url}/v1/completions`, { method: 'POST', agent: false, headers }, (response) => {
        response.on('error', () => undefined);
        opened(async () => Buffer.concat(await response.toArray()).toString());
      });
      outgoing.on('error', failed);
      outgoing.end(JSON.stringify({ model: 'weather', prompt, max_tokens: 10, stream: true, ...fields }));
    });

  /** Resolves when an endless answer comes no further, because its client does not read. */
  const heldBack = ({ sent }: RecordedRequest): Promise<void> =>
    until(async () => {
      const before = sent();
      for (let turn = 0; turn < 100; turn++) await nextTurn();
      return before > 0 && sent() === before;
    }, 'an answer that the client holds back');

  /** What is answered when a provider that has been asked has taken too long. */
  async function late<T>(send: () => PromiseLike<T>): Promise<T> {
    const asked = upstream.nextRequest();
    const answer = Promise.resolve(send());
    await asked;
    await clock.advance(LONGEST);
    return answer;
  }

  /** The customer's one request was charged so, and nothing else was. */
  async function expectCharge(amount: bigint, outcome: string, more: Partial<UsageRow> = {}, granted = CREDIT): Promise<void> {
    const usage = await gateway.usage(1, customer);
    expect(usage).toEqual([expect.objectContaining({ amount, outcome, uncollected: 0n, ...more })]);
    expect(await gateway.balance(customer)).toBe(granted - amount);
  }

  row('is answered', async () => {
    upstream.replies(({ body }) => (body.includes('"stream":true') ? streamed : whole()));
    const answer = await ask();
    expect(answer.headers['x-switchyard-cost']).toBe('0.000008');
    await expectCharge(8_000n, 'completed', { prompt_tokens: 7n, completion_tokens: 3n, estimated: 0n, hold: HOLD });
    customer = await gateway.newCustomer('1');
    expect(await (await stream()).text()).toContain('[DONE]');
    await expectCharge(8_000n, 'completed', { prompt_tokens: 7n, completion_tokens: 3n, estimated: 0n });
  });

  /** A client that asks, and leaves as soon as its provider has been asked. */
  async function leaveEarly(fields: object, from: Gateway = gateway): Promise<void> {
    const abort = new AbortController();
    const asked = upstream.nextRequest();
    const body = { model: 'weather', prompt, max_tokens: 10, ...fields };
    const left = from.stream('completions', body, { key: customer.liveKey, signal: abort.signal });
    const { closed } = await asked;
    abort.abort();
    await expect(left).rejects.toThrow('aborted');
    await closed;
  }

  /** Leaves twice, where once a minute is free, and once where the provider bills nothing for it. */
  async function expectOnceFree(fields: object): Promise<void> {
    await leaveEarly(fields);
    await expectCharge(0n, 'client_left', { completion_tokens: 0n });
    await using strict = await Gateway.start({
      limits: { unpaid_leavings: 1 },
      providers: { only: provider(upstream, { weather: offer, kind: { ...offer, bills_aborted: false } }) },
    });
    customer = await strict.newCustomer('1');
    for (const model of ['kind', 'weather', 'kind', 'weather', 'kind']) await leaveEarly({ ...fields, model }, strict);
    const usage = await strict.usage(5, customer);
    // 4 x 500
    expect(usage.map(({ amount }) => amount)).toEqual([0n, 0n, 0n, 2_000n, 0n]);
    expect(usage[3]).toMatchObject({ outcome: 'client_left', prompt_tokens: 4n, completion_tokens: 0n, estimated: 1n });
  }

  /** Where one unpaid leaving a minute is free, the second one that a limit of ours ends is paid for. */
  async function expectPaidThen(status: number): Promise<void> {
    const limits = { unpaid_leavings: 1 };
    const models = { weather: offer, kind: { ...offer, bills_aborted: false } };
    const only = { ...provider(upstream, models), timeouts: { total: LONGEST } };
    await using strict = await Gateway.start({ limits, providers: { only } }, undefined, clock);
    customer = await strict.newCustomer('1');
    for (const model of ['kind', 'weather', 'weather', 'kind'])
      expect((await late(() => strict.post('completions', { model, prompt, max_tokens: 10 }, customer.liveKey))).status).toBe(status);
    const usage = await strict.usage(4, customer);
    // 4 x 500
    expect(usage.map(({ amount, outcome }) => [amount, outcome])).toEqual([0n, 0n, 2_000n, 0n].map((due) => [due, 'limit_reached']));
  }

  row('its client leaves before the first token', async () => {
    upstream.replies({ ending: 'silent' });
    await expectOnceFree({});
  });

  it('is free and counts for nothing while its provider has seen nothing of it', async () => {
    const sockets: Socket[] = [];
    // It takes connections and never greets: requests wait for TLS.
    const mute = createServer((socket) => void sockets.push(socket.on('error', () => undefined))).listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const { port } = mute.address() as AddressInfo;
    const strict = await Gateway.start({
      limits: { unpaid_leavings: 1 },
      providers: { only: { ...provider(upstream, { weather: offer }), base_url: `https://127.0.0.1:${port}/v1` } },
    });
    try {
      customer = await strict.newCustomer('1');
      for (let leaving = 1; leaving <= 3; leaving++) {
        const abort = new AbortController();
        const left = strict.stream(
          'completions',
          { model: 'weather', prompt, max_tokens: 10 },
          { key: customer.liveKey, signal: abort.signal },
        );
        await until(() => sockets.length === leaving, 'a connection');
        abort.abort();
        await expect(left).rejects.toThrow('aborted');
        await strict.usage(leaving, customer);
      }
      expect((await strict.usage(3, customer)).map(({ amount }) => amount)).toEqual([0n, 0n, 0n]);
    } finally {
      await strict.close();
      for (const socket of sockets) socket.destroy();
      mute.close();
    }
  });

  row('its client leaves before an answer that is not streamed', async () => {
    upstream.replies({ ...whole(), after: 20, ending: 'stall' });
    await expectOnceFree({ stream: false });
  });

  row('its client leaves in the middle of a stream', async () => {
    upstream.replies(sse(pieces, { ending: 'stall' }));
    const asked = upstream.nextRequest();
    const answer = await stream();
    for (let piece = 0; piece < 3; piece++) await answer.next();
    answer.leave();
    await (
      await asked
    ).closed;
    // 4 x 500 + 3 x 1,500
    await expectCharge(6_500n, 'client_left', { prompt_tokens: 4n, completion_tokens: 3n, estimated: 1n });
    // What the provider has told by then is charged at least, and beyond the hold.
    customer = await gateway.newCustomer('1');
    upstream.replies(sse([{ ...pieces[0], ...counted(900, 100) }, pieces[1]!], { ending: 'stall' }));
    const telling = await stream();
    for (let piece = 0; piece < 2; piece++) await telling.next();
    telling.leave();
    await until(async () => (await gateway.usage(1, customer)).length > 0, 'the charge');
    await expectCharge(900n * 500n + 100n * 1_500n, 'client_left', { prompt_tokens: 900n, completion_tokens: 100n, hold: HOLD });
  });

  row('its client leaves in the middle of a stream, after 20 answers of the model', async () => {
    const text = 'The harbour was quiet when the first boats came back. '.repeat(4);
    const long = { model: 'taught', prompt: prompt.repeat(10) };
    upstream.replies(json({ choices: [choice(text, 'stop')], ...counted(60, 44) }));
    for (let answers = 0; answers < 20; answers++) await ask(long);
    customer = await gateway.newCustomer('1');
    upstream.replies(sse([{ choices: [choice(text, null)] }], { ending: 'stall' }));
    const answer = await stream(long);
    await answer.next();
    answer.leave();
    const [usage] = await gateway.usage(1, customer);
    expect(usage).toMatchObject({ outcome: 'client_left', estimated: 1n });
    // 260 and 216 bytes: by facts alone 43 and 36.
    for (const [tokens, due] of [
      [usage!.prompt_tokens, 60],
      [usage!.completion_tokens, 44],
    ] as const) {
      expect(Number(tokens)).toBeGreaterThan(0.85 * due);
      expect(Number(tokens)).toBeLessThanOrEqual(due);
    }
  });

  row('its client leaves after the last token', async () => {
    const usage = sse([{ choices: [], ...counted(7, 3) }]).body as string;
    const ended = sse([...pieces, last]);
    const later = { ...done({ ...ended, body: `${String(ended.body)}${usage}` }), cuts: [String(ended.body).length], pace: 300 };
    const leaveAtEnd = async (): Promise<void> => {
      const answer = await stream();
      // Its end comes with the last piece, and waits for the usage.
      for (let piece = 0; piece < 3; piece++) await answer.next();
      answer.leave();
      await until(() => gateway.running.app.get(OpenRequests).size === 0, 'the end of the request');
    };
    upstream.replies(later);
    await leaveAtEnd();
    await expectCharge(8_000n, 'client_left', { prompt_tokens: 7n, completion_tokens: 3n, estimated: 0n });
    const [{ request_id }] = (await gateway.usage(1, customer)) as [UsageRow];
    const stored = () => new RequestHistories(gateway.running.app.get(Database)).find(request_id);
    await until(async () => ((await stored())?.status ?? null) !== null, 'the record of the request');
    const record = (await stored())!;
    expect(record).toMatchObject({ outcome: 'client_left', prompt_tokens: 7n, completion_tokens: 3n });
    expect(record.attempts).toMatchObject([{ outcome: 'served' }]);
    customer = await gateway.newCustomer('1');
    upstream.replies({ ...ended, ending: 'stall' });
    const asked = upstream.nextRequest();
    await leaveAtEnd();
    await clock.advance(2_000);
    await (
      await asked
    ).closed;
    await expectCharge(6_500n, 'client_left', { prompt_tokens: 4n, completion_tokens: 3n, estimated: 1n });
    customer = await gateway.newCustomer('1');
    upstream.replies(streamed);
    const complete = await stream();
    for (let event = 0; event < 4; event++) await complete.next();
    expect(complete.received).toContain('"stop"');
    complete.leave();
    await expectCharge(8_000n, 'completed', { prompt_tokens: 7n, completion_tokens: 3n });
  });

  row('its provider fails before the first token', async () => {
    upstream.replies(failure);
    expectError(await ask(), 503, 'model_overloaded');
    await expectCharge(0n, 'provider_failed');
  });

  row('its provider fails after some tokens', async () => {
    upstream.replies(sse(pieces, { ending: 'reset' }));
    const text = await (await stream()).text();
    expect(text).toContain('w3');
    expect(text).toContain('"error"');
    await expectCharge(0n, 'provider_failed', { completion_tokens: 3n });
  });

  row('its provider falls silent', async () => {
    upstream.replies(sse(pieces, { ending: 'stall' }));
    const answer = await stream();
    for (const piece of pieces) expect(await answer.next()).toMatchObject(piece);
    // Silence ends a call after one to two idle timeouts.
    await clock.advance(2 * SILENCE);
    expect(await answer.text()).toContain('upstream_timeout');
    await expectCharge(0n, 'idle_timeout', { completion_tokens: 3n });
  });

  row('its provider refuses in the middle for what it asks', async () => {
    for (const code of ['content_filter', 'context_length_exceeded', 'invalid_request_error']) {
      customer = await gateway.newCustomer('1');
      upstream.replies(sse([...pieces, { error: { message: 'no', code, type: code } }]));
      expect(await (await stream()).text()).toContain('"error"');
      await expectCharge(4n * 500n + 3n * 1_500n, 'request_failed', { completion_tokens: 3n });
    }
  });

  row('its provider gives up a client that reads too slowly', async () => {
    const event = sse([{ choices: [choice('word '.repeat(10_000), null)] }]);
    upstream.replies({ ...event, endless: true });
    const asked = upstream.nextRequest();
    const reading = await slowReader({ max_tokens: 100 });
    const held = await asked;
    await heldBack(held);
    await clock.advance(3_000);
    upstream.closeConnections();
    expect(await reading()).toContain('"error"');
    const [usage] = await gateway.usage(1, customer);
    expect(usage).toMatchObject({ outcome: 'client_slow', uncollected: 0n });
    expect(usage!.amount).toBeGreaterThanOrEqual(usage!.hold);
  });

  row('its client reads nothing for `server.stall_timeout`', async () => {
    await using strict = await Gateway.start({ providers: { only: provider(upstream, { weather: offer }) } }, undefined, clock);
    upstream.replies({ ...sse([{ choices: [choice('word '.repeat(10_000), null)] }]), endless: true });
    customer = await strict.newCustomer('1');
    const asked = upstream.nextRequest();
    const reading = await slowReader({ max_tokens: 100 }, strict);
    const held = await asked;
    await heldBack(held);
    await clock.advance(strict.running.config.server.stall_timeout + 1_000);
    const [usage] = await strict.usage(1, customer);
    expect(usage).toMatchObject({ outcome: 'client_left', uncollected: 0n });
    expect(usage!.amount).toBeGreaterThanOrEqual(usage!.hold);
    await expect(reading()).rejects.toThrow('aborted');
  });

  row('takes longer than `routing.total_timeout`, or than its provider may', async () => {
    upstream.replies(sse(pieces, { ending: 'stall' }));
    const answer = await stream({ model: 'hasty' });
    for (const piece of pieces) expect(await answer.next()).toMatchObject(piece);
    await clock.advance(LONGEST);
    expect(await answer.text()).toContain('upstream_timeout');
    // 4 x 500 + 3 x 1,500
    await expectCharge(6_500n, 'limit_reached', { prompt_tokens: 4n, completion_tokens: 3n, estimated: 1n });
    customer = await gateway.newCustomer('1');
    upstream.replies({ ...whole(), after: 20, ending: 'stall' });
    expectError(await late(() => ask({ model: 'hasty' })), 504, 'upstream_timeout');
    await expectCharge(0n, 'limit_reached');
    await expectPaidThen(504);
  });

  row('is answered beyond a limit of the gateway', async () => {
    const call = (index: number) => ({ index, id: `c${index}`, type: 'function', function: { name: 'f', arguments: '{}' } });
    const calls = Array.from({ length: 1_025 }, (_, index) => ({
      choices: [{ index: 0, delta: { tool_calls: [call(index)] }, finish_reason: null }],
    }));
    upstream.replies(sse(calls, { ending: 'stall' }));
    const chat = { model: 'talk', messages: [{ role: 'user', content: prompt }] };
    const answer = await gateway.stream('chat/completions', { ...chat, max_tokens: 2_000 }, { key: customer.liveKey });
    expect(await answer.text()).toContain('more than 1024 tool calls');
    const [usage] = await gateway.usage(1, customer);
    // Two tokens a call, and its text; it costs no more than was held.
    expect(usage).toMatchObject({ outcome: 'limit_reached', completion_tokens: 3_123n, amount: usage!.hold });
    customer = await gateway.newCustomer('1');
    const deep = `{"choices":[{"index":0,"text":"a","finish_reason":"stop","logprobs":${'['.repeat(5_000)}${']'.repeat(5_000)}}],"usage":{"prompt_tokens":7,"completion_tokens":3}}`;
    upstream.replies({ ...whole(), body: deep });
    expectError(await ask(), 502, 'upstream_error');
    await expectCharge(0n, 'limit_reached');
    await expectPaidThen(502);
  });

  row('is answered with nothing', async () => {
    upstream.replies(done(sse([last, { choices: [], ...counted(7, 0) }])));
    expect(await (await stream()).text()).toContain('[DONE]');
    await expectCharge(0n, 'empty', { prompt_tokens: 7n });
    // Stop sequences make such answers, for which the provider bills the prompt.
    upstream.replies(({ body }) => (body.includes('"stream":true') ? streamed : json({ choices: [choice('', 'stop')], ...counted(7, 0) })));
    for (let index = 0; index < 10; index++) expect((await ask()).status).toBe(200);
    const usages = await gateway.usage(11, customer);
    expect(usages.filter(({ outcome, amount }) => outcome === 'empty' && amount === 0n)).toHaveLength(10);
    expect(usages.filter(({ outcome, amount }) => outcome === 'completed' && amount === 3_500n)).toHaveLength(1);
  });

  row('is refused', async () => {
    upstream.replies(whole());
    expectError(await ask({ temperature: 9 }), 400, 'invalid_request');
    expectError(await ask({ model: 'nothing' }), 404, 'model_not_found');
    expect(upstream.requests).toHaveLength(0);
    expect(await gateway.balance(customer)).toBe(CREDIT);
    expect(await gateway.usage(0, customer)).toEqual([]);
  });

  row('its gateway shuts down in the middle of', async () => {
    upstream.replies(sse(pieces, { ending: 'stall' }));
    const ending = await Gateway.start({
      server: { drain_timeout: 50 },
      providers: { only: provider(upstream, { weather: offer }) },
    });
    const { app, config } = ending.running;
    const { accountId } = ending.customer;
    const answer = await ending.stream('completions', { model: 'weather', prompt, max_tokens: 10 });
    for (let piece = 0; piece < 3; piece++) await answer.next();
    await app.close();
    expect(await answer.text()).toContain('service_unavailable');
    const store = await openDatabase(config.store);
    const usage = await store.db.selectFrom('usage').select(['account_id', 'amount', 'outcome']).execute();
    const balance = await store.db.selectFrom('balance').select(['posted', 'reserved']).where('account_id', '=', accountId).execute();
    const { findings } = await verifyLedger(store);
    await store.close();
    rmSync(config.store.data_dir, { recursive: true });
    expect(usage).toEqual([{ account_id: accountId, amount: 0n, outcome: 'shutdown' }]);
    expect(balance).toEqual(Array.from({ length: 2 }, () => ({ posted: 1_000n * CREDIT, reserved: 0n })));
    expect(findings).toEqual([]);
  });

  row(
    'its gateway dies in the middle of',
    async () => {
      upstream.replies(sse(pieces, { ending: 'stall' }));
      const program = await buildProgram();
      const cwd = mkdtempSync(join(tmpdir(), 'switchyard-endings-'));
      const settings = { observability: { log_level: 'error' }, providers: { only: provider(upstream, { weather: offer }) } };
      // JSON is YAML.
      writeFileSync(join(cwd, 'switchyard.yaml'), JSON.stringify(settings));
      const start = () => new GatewayProcess([process.execPath, join(program, 'dist/main.js')], { cwd });
      const first = start();
      let second: GatewayProcess | undefined;
      try {
        const baseURL = await first.listening();
        const [key] = await first.output(/\bsy-live-\w{32}\b/);
        const answer = await openStream({
          url: `${baseURL}/completions`,
          key,
          body: { model: 'weather', prompt, max_tokens: 10, stream: true },
        });
        for (let piece = 0; piece < 3; piece++) await answer.next();
        const store = await openDatabase({ data_dir: join(cwd, 'data') });
        // A crash may lose the charge of the last write; this one has been seen by the store.
        const known = () => store.db.selectFrom('inflight').select('completion_tokens').execute();
        await until(async () => (await known())[0]?.completion_tokens === 3n, 'the store’s word on the third piece');
        first.signal('SIGKILL');
        await first.exited;
        second = start();
        await second.listening();
        const usage = await store.db.selectFrom('usage').selectAll().execute();
        const { findings } = await verifyLedger(store);
        await store.close();
        expect(usage).toMatchObject([{ amount: 6_500n, outcome: 'crashed', prompt_tokens: 4n, completion_tokens: 3n, estimated: 1n }]);
        expect(findings).toEqual([]);
        const id = answer.headers['x-request-id'] as string;
        const told = async (...args: string[]) => {
          const command = [join(program, 'dist/cli/main.js'), 'requests', ...args];
          return (await promisify(execFile)(process.execPath, command, { cwd })).stdout;
        };
        expect(await told('show', id)).toMatch(/^answered +crashed: its gateway has not written more .+\n.*^charged +0\.0000065 credits/ms);
        const shown = { request_id: id, outcome: 'crashed', status: null, charged: '0.0000065', attempts: [] };
        expect(JSON.parse(await told('show', id, '--json'))).toMatchObject(shown);
        expect(await told('list')).toMatch(new RegExp(`${id} +weather +crashed +4 \\+ 3 +0\\.0000065\\n`));
        expect(JSON.parse(await told('list', '--json'))).toMatchObject([shown]);
      } finally {
        await first.stop();
        await second?.stop();
        for (const folder of [cwd, program]) rmSync(folder, { recursive: true });
      }
    },
    ' [program]',
  );

  row('is answered at a second attempt', async () => {
    let calls = 0;
    upstream.replies(() => (calls++ === 0 ? failure : whole()));
    expect((await ask({ model: 'second-time' })).status).toBe(200);
    expect(upstream.requests).toHaveLength(2);
    await expectCharge(8_000n, 'completed');
  });

  row('is answered by another offer, dearer or cheaper', async () => {
    upstream.replies(failure);
    other.replies(whole());
    // 7 x 1,000 + 3 x 2,000
    expect((await ask({ model: 'two-offers' })).headers['x-switchyard-served-by']).toBe('dear/two-offers');
    await expectCharge(13_000n, 'completed', { provider: 'dear', hold: 78_000n });
    customer = await gateway.newCustomer('1');
    upstream.replies(whole());
    await until(async () => {
      const answer = await ask({ model: 'two-offers' });
      return answer.headers['x-switchyard-served-by'] === 'cheap/two-offers';
    }, 'an answer of the cheap offer');
    // The hold covers the dearest: whoever cannot pay for it is not served by chance.
    const poor = await gateway.newCustomer(formatCredits(HOLD));
    expectError(
      await gateway.post('completions', { model: 'two-offers', prompt, max_tokens: 10 }, poor.liveKey),
      402,
      'insufficient_credits',
    );
  });

  row('is cut and goes on at another offer (`routing.resume`)', async () => {
    await using resuming = await Gateway.start({
      routing: { resume: true, retries: 0 },
      providers: {
        cheap: provider(upstream, { 'two-offers': offer }),
        dear: provider(other, { 'two-offers': { ...offer, continues: true, pricing: { prompt: '0.001', completion: '0.001' } } }),
      },
      models: { 'two-offers': { strategy: 'priority', offers: [{ provider: 'cheap' }, { provider: 'dear' }] } },
    });
    upstream.replies(sse(pieces, { ending: 'reset' }));
    other.replies(
      done(sse([{ choices: [choice('w4 ', null)] }, { choices: [choice('w5 ', null)] }, last, { choices: [], ...counted(7, 2) }])),
    );
    const text = await (await resuming.stream('completions', { model: 'two-offers', prompt, max_tokens: 10 })).text();
    expect(text).toContain('w5');
    expect(text).toContain('[DONE]');
    const before = (await resuming.usage(1))[0]!;
    // 4 x 500 + 5 x 1,000
    expect(before).toMatchObject({ amount: 7_000n, outcome: 'completed', prompt_tokens: 4n, completion_tokens: 5n });
    expect(await resuming.balance()).toBe(1_000n * CREDIT - 7_000n);
    expect((await verifyLedger(resuming.running.app.get(Database))).findings).toEqual([]);
  });

  row('is sent again with its `Idempotency-Key`', async () => {
    upstream.replies(whole());
    const first = await ask().set('idempotency-key', 'endings');
    const again = await ask().set('idempotency-key', 'endings');
    expect(again.text).toBe(first.text);
    expect(again.headers['x-switchyard-cost']).toBe('0');
    await expectCharge(8_000n, 'completed');
  });

  row('its provider does not count', async () => {
    upstream.replies(({ body }) => (body.includes('"stream":true') ? done(sse([...pieces, last])) : whole({})));
    expect((await ask()).body).toMatchObject({ usage: { prompt_tokens: 4, completion_tokens: 2 } });
    // 9 bytes in one piece, with a digit beside a letter twice: 4 x 500 + 2 x 1,500
    await expectCharge(5_000n, 'completed', { estimated: 1n });
    customer = await gateway.newCustomer('1');
    await (await stream()).text();
    // The same in three pieces
    await expectCharge(6_500n, 'completed', { estimated: 1n, completion_tokens: 3n });
  });

  row('its provider counts as nothing', async () => {
    upstream.replies(whole(counted(0, 0)));
    expect((await ask()).body).toMatchObject({ usage: { prompt_tokens: 0, completion_tokens: 0 } });
    await expectCharge(0n, 'completed', { estimated: 0n });
  });

  row('its provider counts below zero', async () => {
    upstream.replies(whole(counted(7, -3)));
    await ask();
    // 4 x 500 + 2 x 1,500
    await expectCharge(5_000n, 'completed', { completion_tokens: 2n, estimated: 1n });
    customer = await gateway.newCustomer('1');
    upstream.replies(whole(counted(-7, 3)));
    await ask();
    await expectCharge(5_000n, 'completed', { completion_tokens: 2n, estimated: 1n });
  });

  row('its provider counts in fractions', async () => {
    upstream.replies(whole(counted(1.5, 3)));
    await ask();
    await expectCharge(5_500n, 'completed', { prompt_tokens: 2n });
  });

  row('its provider counts more than was held', async () => {
    upstream.replies(whole(counted(7, 900)));
    expect((await ask()).headers['x-switchyard-cost']).toBe('0.0013535');
    // 7 x 500 + 900 x 1,500
    await expectCharge(1_353_500n, 'completed', { hold: HOLD, collected: 1_353_500n - HOLD });
    customer = await gateway.newCustomer('0.001');
    await ask();
    await expectCharge(1_000_000n, 'completed', { uncollected: 353_500n }, 1_000_000n);
  });

  row('its provider counts more output than its model generates', async () => {
    upstream.replies(whole(counted(7, 9_000)));
    expect((await ask()).body).toMatchObject({ usage: { prompt_tokens: 7, completion_tokens: 1_000 } });
    await expectCharge(1_503_500n, 'completed', { estimated: 0n });
  });

  row("its provider counts more than its model's context holds", async () => {
    upstream.replies(whole(counted(2_000_000, 9_000_000)));
    expect((await ask()).body).toMatchObject({ usage: { prompt_tokens: 4, completion_tokens: 2 } });
    await expectCharge(5_000n, 'completed', { estimated: 1n });
  });

  row('names no `max_tokens` on a low balance', async () => {
    // 58 x 500 + 4 x 1,500
    customer = await gateway.newCustomer(formatCredits(35_000n));
    upstream.replies((request: RecordedRequest) => {
      expect(JSON.parse(request.body)).toMatchObject({ max_tokens: 4 });
      return whole(counted(7, 4));
    });
    expect((await ask({ max_tokens: undefined })).status).toBe(200);
    await expectCharge(9_500n, 'completed', { hold: 35_000n }, 35_000n);
  });

  row('names more `max_tokens` than the balance can pay for', async () => {
    customer = await gateway.newCustomer(formatCredits(HOLD - 1n));
    upstream.replies(whole());
    expectError(await ask(), 402, 'insufficient_credits');
    expect(upstream.requests).toHaveLength(0);
    expect(await gateway.balance(customer)).toBe(HOLD - 1n);
    expect(await gateway.usage(0, customer)).toEqual([]);
  });

  row('asks for `n` answers, or the best of `best_of`', async () => {
    const logprobs = { tokens: ['w1 '], token_logprobs: [-1], top_logprobs: null, text_offset: [0] };
    upstream.replies(({ body }) => {
      const { n = 1 } = JSON.parse(body) as { n?: number };
      const choices = Array.from({ length: n }, (_, index) => ({ ...choice('w1 ', 'stop', index), logprobs }));
      return json({ choices, ...counted(7, 3 * n) });
    });
    expect((await ask({ n: 2 })).body).toMatchObject({ choices: [{ index: 0 }, { index: 1 }] });
    // 7 x 500 + 2 x 3 x 1,500, of 2 x (58 x 500 + 10 x 1,500): another provider may ignore n
    await expectCharge(12_500n, 'completed', { hold: 88_000n });
    customer = await gateway.newCustomer('1');
    expect(((await ask({ best_of: 3 })).body as { choices: object[] }).choices).toHaveLength(1);
    await expectCharge(17_000n, 'completed', { hold: 132_000n, completion_tokens: 9n });
  });

  row('asks for them where the provider lacks `n`', async () => {
    upstream.replies(whole());
    const { body } = await ask({ model: 'one-at-a-time', n: 3 });
    expect(body).toMatchObject({ choices: [{ index: 0 }, { index: 1 }, { index: 2 }], ...counted(21, 9) });
    expect(upstream.requests).toHaveLength(3);
    // 3 x (7 x 500 + 3 x 1,500), of 3 x (58 x 500 + 10 x 1,500)
    await expectCharge(24_000n, 'completed', { hold: 132_000n, prompt_tokens: 21n, completion_tokens: 9n });
    customer = await gateway.newCustomer('1');
    upstream.replies(done(sse([...pieces, last, { choices: [], ...counted(7, 3) }])));
    expect(await (await stream({ n: 2 })).text()).toContain('data: [DONE]');
    expect(upstream.requests).toHaveLength(2);
    await expectCharge(2n * (7n * 500n + 3n * 1_500n), 'completed', { hold: 88_000n, prompt_tokens: 14n, completion_tokens: 6n });
  });

  row('has several prompts', async () => {
    upstream.replies(whole());
    expect((await ask({ model: 'fine', prompt: [prompt, prompt] })).body).toMatchObject({ choices: [{ index: 0 }, { index: 1 }] });
    expect(upstream.requests).toHaveLength(2);
    // 2 x (7 x 7 + 3 x 333,333,333) / 1,000 = 2,000,000.096, rounded up once
    await expectCharge(2_000_001n, 'completed', { prompt_tokens: 14n, completion_tokens: 6n });
  });

  it('every row of the table is a test here, and every test a row', () => {
    expect(rows.length).toBeGreaterThan(15);
    expect(tested).toEqual(rows);
  });

  it('the ledger agrees with every row, and nothing is held or unwritten', async () => {
    await until(() => gateway.running.app.get(LeaseLedger).unwritten === 0, 'the last settlement');
    const { findings, usages } = await verifyLedger(gateway.running.app.get(Database));
    expect(findings).toEqual([]);
    expect(usages).toBeGreaterThan(20);
  });
});
