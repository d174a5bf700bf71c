import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { LeaseLedger } from '../src/billing/leases/lease-ledger.js';
import { verifyLedger } from '../src/billing/verify-ledger.js';
import { formatCredits } from '../src/common/credits.js';
import { Database } from '../src/database/database.js';
import { openDatabase } from '../src/database/open-database.js';
import { LoopbackUpstream, type RecordedRequest, type Reply } from '../src/providers/testing/loopback-upstream.js';
import { buildProgram } from './support/built-program.js';
import type { Customer } from './support/customer.js';
import { openStream } from './support/event-stream.js';
import { GatewayProcess } from './support/gateway-process.js';
import { Gateway, type UsageRow } from './support/gateway.js';
import { until } from './support/until.js';
import { expectError } from './support/wire-schemas.js';

const CREDIT = 1_000_000_000n;
/** 26 bytes: 4 tokens by our own count, and at most 58 with what a chat template may put around. */
const prompt = 'Tell me about the weather.';
/** 500 nano-credits a prompt token, 1,500 a completion token. */
const pricing = { prompt: '0.0005', completion: '0.0015' };
/** What a request of 10 tokens holds: 58 x 500 + 10 x 1,500. */
const HOLD = 44_000n;

const json = (body: object): Reply => ({ headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
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

const offer = { pricing, context_length: 10_000, max_tokens: 1_000, capabilities: { completion: true } };
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
  const row = (name: string, test: () => Promise<void>): void => {
    tested.push(name);
    it(name, test);
  };

  let upstream: LoopbackUpstream;
  let other: LoopbackUpstream;
  let gateway: Gateway;
  let customer: Customer;

  beforeAll(async () => {
    upstream = await LoopbackUpstream.start();
    other = await LoopbackUpstream.start();
    gateway = await Gateway.start({
      routing: { retries: 1, idle_timeout: 1_000, first_token_timeout: 10_000 },
      providers: {
        only: provider(upstream, { weather: offer, fine: { ...offer, pricing: { prompt: '0.000000007', completion: '0.333333333' } } }),
        steady: provider(upstream, { 'second-time': offer }),
        cheap: provider(upstream, { 'two-offers': offer }),
        dear: provider(other, { 'two-offers': { ...offer, pricing: { prompt: '0.001', completion: '0.002' } } }),
      },
      models: { 'two-offers': { strategy: 'priority', offers: [{ provider: 'cheap' }, { provider: 'dear' }] } },
    });
  });
  afterAll(async () => {
    await gateway.close();
    await upstream.stop();
    await other.stop();
  });
  beforeEach(async () => {
    customer = await gateway.newCustomer('1');
  });

  const ask = (fields: object = {}) =>
    gateway.post('completions', { model: 'weather', prompt, max_tokens: 10, ...fields }, customer.liveKey);
  const stream = (fields: object = {}, signal?: AbortSignal) =>
    gateway.stream('completions', { model: 'weather', prompt, max_tokens: 10, ...fields }, { key: customer.liveKey, signal });

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

  row('its client leaves before the first token', async () => {
    upstream.replies({ ending: 'silent' });
    const abort = new AbortController();
    const asked = upstream.nextRequest();
    const left = stream({}, abort.signal);
    await asked;
    abort.abort();
    await expect(left).rejects.toThrow('aborted');
    await expectCharge(0n, 'client_left', { completion_tokens: 0n });
  });

  row('its client leaves before an answer that is not streamed', async () => {
    upstream.replies({ ...whole(), after: 20, ending: 'stall' });
    const abort = new AbortController();
    const asked = upstream.nextRequest();
    const left = stream({ stream: false }, abort.signal);
    await asked;
    abort.abort();
    await expect(left).rejects.toThrow('aborted');
    await expectCharge(0n, 'client_left', { completion_tokens: 0n });
  });

  row('its client leaves in the middle of a stream', async () => {
    upstream.replies(sse(pieces, { ending: 'stall' }));
    const answer = await stream();
    for (let piece = 0; piece < 3; piece++) await answer.next();
    answer.leave();
    // 4 x 500 + 3 x 1,500
    await expectCharge(6_500n, 'client_left', { prompt_tokens: 4n, completion_tokens: 3n, estimated: 1n });
  });

  row('its client leaves after the last token', async () => {
    upstream.replies(sse([...pieces, last], { ending: 'stall' }));
    const answer = await stream();
    for (let event = 0; event < 3; event++) await answer.next();
    answer.leave();
    await expectCharge(6_500n, 'client_left', { prompt_tokens: 4n, completion_tokens: 3n });
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
    expect(await (await stream()).text()).toContain('upstream_timeout');
    await expectCharge(0n, 'idle_timeout', { completion_tokens: 3n });
  });

  row('is answered with nothing', async () => {
    upstream.replies(done(sse([last, { choices: [], ...counted(7, 0) }])));
    expect(await (await stream()).text()).toContain('[DONE]');
    await expectCharge(0n, 'empty', { prompt_tokens: 7n });
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

  row('its gateway dies in the middle of', async () => {
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
    } finally {
      await first.stop();
      await second?.stop();
      for (const folder of [cwd, program]) rmSync(folder, { recursive: true });
    }
  });

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
    const resuming = await Gateway.start({
      routing: { resume: true, retries: 0 },
      providers: {
        cheap: provider(upstream, { 'two-offers': offer }),
        dear: provider(other, { 'two-offers': { ...offer, continues: true, pricing: { prompt: '0.001', completion: '0.001' } } }),
      },
      models: { 'two-offers': { strategy: 'priority', offers: [{ provider: 'cheap' }, { provider: 'dear' }] } },
    });
    try {
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
    } finally {
      await resuming.close();
    }
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
    expect((await ask()).body).toMatchObject({ usage: { prompt_tokens: 4, completion_tokens: 1 } });
    // 9 bytes in one piece: 4 x 500 + 1 x 1,500
    await expectCharge(3_500n, 'completed', { estimated: 1n });
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

  row('its provider counts below zero, or in fractions', async () => {
    upstream.replies(whole(counted(7, -3)));
    await ask();
    await expectCharge(3_500n, 'completed', { completion_tokens: 0n });
    customer = await gateway.newCustomer('1');
    upstream.replies(whole(counted(1.5, 3)));
    await ask();
    await expectCharge(5_500n, 'completed', { prompt_tokens: 2n });
  });

  row('its provider counts beyond all measure', async () => {
    upstream.replies(whole(counted(2_000_000, 9_000_000)));
    await ask();
    await expectCharge(HOLD, 'completed', { hold: HOLD });
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
    // 7 x 500 + 2 x 3 x 1,500, of 58 x 500 + 2 x 10 x 1,500
    await expectCharge(12_500n, 'completed', { hold: 59_000n });
    customer = await gateway.newCustomer('1');
    expect(((await ask({ best_of: 3 })).body as { choices: object[] }).choices).toHaveLength(1);
    await expectCharge(17_000n, 'completed', { hold: 74_000n, completion_tokens: 9n });
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
