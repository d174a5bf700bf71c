import { jest } from '@jest/globals';
import fc from 'fast-check';
import { sql } from 'kysely';
import OpenAI, { ConflictError } from 'openai';
import { IdempotencyStore } from '../src/billing/idempotency-store.js';
import { verifyLedger } from '../src/billing/verify-ledger.js';
import { AnswerBudget } from '../src/common/limits/byte-budget.js';
import { ManualClock } from '../src/common/testing/manual-clock.js';
import { Database } from '../src/database/database.js';
import { LoopbackUpstream, type Reply } from '../src/providers/testing/loopback-upstream.js';
import type { Customer } from './support/customer.js';
import { describeGateways, describeSharedGateways } from './support/describe-gateways.js';
import type { Gateway, UsageRow } from './support/gateway.js';
import { chatReply, jsonReply } from './support/openai-bytes.js';
import { sendRaw } from './support/raw-socket.js';
import { useGateway, useUpstream } from './support/started.js';
import { until } from './support/until.js';
import { expectError, expectShape } from './support/wire-schemas.js';

const clock = ManualClock.running();
const CREDIT = 1_000_000_000n;
/** 3 prompt tokens at 2 and 5 completion tokens at 4 credits per 1,000. */
const COST = 26_000_000n;
const usage = { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 };
const sse = { 'content-type': 'text/event-stream' };
const said = 'Clouds from the west, later rain.';

const whole = (content = said): Reply => chatReply(content, usage);
const text = (content: string): Reply =>
  jsonReply({ choices: [{ index: 0, text: content, logprobs: null, finish_reason: 'stop' }], usage });
const piece = (choice: object) => `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`;
const pieces = piece({ delta: { role: 'assistant', content: 'Clouds' }, finish_reason: null });
const streamed = `${pieces}${piece({ delta: {}, finish_reason: 'stop' })}data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`;
const refusal: Reply = { status: 500, headers: { 'content-type': 'application/json' }, body: '{"error":{"message":"no"}}' };

const operations = [
  ['chat/completions', { messages: [{ role: 'user', content: 'How will it be?' }] }, whole()],
  ['completions', { prompt: 'It will be' }, text(said)],
] as const;
const [[chat, question]] = operations;

const settingsFor = (upstream: LoopbackUpstream) => ({
  routing: { retries: 0 },
  // A client that left once too often pays for a call that answered nothing, and its key is not given back.
  limits: { unpaid_leavings: 1_000 },
  providers: {
    upstream: {
      base_url: `${upstream.origin}/v1`,
      models: {
        weather: { pricing: { prompt: 2, completion: 4 }, capabilities: { completion: true }, context_length: 1000, max_tokens: 50 },
      },
    },
  },
});

describeGateways('a request with an Idempotency-Key', (start) => {
  let customer: Customer;
  let keys = 0;
  let key: string;

  const upstream = useUpstream();
  const gateway = useGateway(() => start(settingsFor(upstream)));
  beforeEach(async () => {
    customer = await gateway.newCustomer('1');
    key = `order ${++keys}`;
    upstream.replies(whole());
  });

  const post = (fields: object = question, path: string = chat, apiKey = customer.liveKey) =>
    gateway.post(path, { model: 'weather', ...fields }, apiKey).set('idempotency-key', key);
  const stream = (signal?: AbortSignal) =>
    gateway.stream(chat, { model: 'weather', ...question }, { key: customer.liveKey, headers: { 'idempotency-key': key }, signal });
  const charged = async () => CREDIT - (await gateway.balance(customer));
  const database = () => gateway.running.app.get(Database);
  const stored = () => database().db.selectFrom('idempotency_key').selectAll().execute();

  it.each(operations)('to %s is answered once and its answer repeated to the letter', async (path, fields, reply) => {
    upstream.replies(reply);
    const first = await post(fields, path);
    expect(first.status).toBe(200);
    expectShape(path === chat ? 'chatCompletion' : 'completion', first.body);
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    for (let repeat = 0; repeat < 3; repeat++) {
      const again = await post(fields, path);
      expect(again.status).toBe(200);
      expect(again.text).toBe(first.text);
      expect(again.headers).toMatchObject({
        'idempotent-replayed': 'true',
        'content-type': first.headers['content-type'],
        'x-switchyard-cost': '0',
        'x-switchyard-served-by': 'upstream/weather',
      });
      expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    }
    expect(upstream.requests).toHaveLength(1);
    expect(await charged()).toBe(COST);
    expect(await gateway.usage(1, customer)).toHaveLength(1);
  });

  it('is the same request in whatever order its fields come', async () => {
    const first = await post({ temperature: 1, stop: ['x', 'y'], ...question });
    expect((await post({ ...question, stop: ['x', 'y'], temperature: 1 })).text).toBe(first.text);
    expectError(await post({ ...question, stop: ['y', 'x'], temperature: 1 }), 409, 'idempotency_conflict');
  });

  it('is known to its last character where it has megabytes', async () => {
    // The whole context is held.
    const { liveKey } = await gateway.newCustomer('5');
    const content = 'é\n'.repeat(700_000);
    const first = await post({ messages: [{ content, role: 'user' }], temperature: 1 }, chat, liveKey);
    expect(first.status).toBe(200);
    const again = await post({ temperature: 1, messages: [{ role: 'user', content }] }, chat, liveKey);
    expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
    const other = await post({ messages: [{ role: 'user', content: `${content}x` }], temperature: 1 }, chat, liveKey);
    expectError(other, 409, 'idempotency_conflict');
  });

  it('is refused with another body, and under another operation', async () => {
    await post();
    const other = await post({ ...question, temperature: 0 });
    expectError(other, 409, 'idempotency_conflict');
    expect(other.headers['x-should-retry']).toBe('false');
    expectError(await post({ prompt: 'It will be' }, 'completions'), 409, 'idempotency_conflict');
    expect(upstream.requests).toHaveLength(1);
    expect(await charged()).toBe(COST);
  });

  it('shares its key with nobody: not with the account’s other API keys, not with its other environment', async () => {
    const stranger = await gateway.newCustomer('1');
    await post();
    expect((await post(question, chat, stranger.liveKey)).headers['idempotent-replayed']).toBeUndefined();
    const inTestMode = await post({ ...question, model: 'sandbox-chat' }, chat, customer.testKey);
    expect(inTestMode.status).toBe(200);
    expect(inTestMode.headers['idempotent-replayed']).toBeUndefined();
    expect(await charged()).toBe(COST);
    expect(await gateway.balance(stranger)).toBe(CREDIT - COST);
  });

  it('that is sent many times at once is answered once; the others are told to wait', async () => {
    const told = Promise.withResolvers<void>();
    upstream.replies({ ...whole(), when: told.promise });
    let ended = 0;
    const sent = Array.from({ length: 8 }, () => post().then((answer) => (++ended === 7 && told.resolve(), answer)));
    const answers = await Promise.all(sent);
    const served = answers.filter(({ status }) => status === 200);
    expect(served).toHaveLength(1);
    for (const answer of answers) {
      if (answer === served[0]) continue;
      expectError(answer, 409, 'idempotency_conflict');
      expect(answer.headers['retry-after']).toBe('1');
    }
    expect((await post()).text).toBe(served[0]!.text);
    expect(upstream.requests).toHaveLength(1);
    expect(await charged()).toBe(COST);
  });

  it('that was streamed is not repeated', async () => {
    upstream.replies({ headers: sse, body: streamed });
    expect(await (await stream()).text()).toContain('[DONE]');
    const again = await stream();
    expect(again.status).toBe(409);
    expectError({ status: 409, body: JSON.parse(await again.text()) }, 409, 'idempotency_conflict');
    expect(await charged()).toBe(COST);
    const ended = await stream();
    expect(await ended.text()).toContain('has ended');
    expect(upstream.requests).toHaveLength(1);
  });

  it('keeps its key when its client left a stream that had begun', async () => {
    upstream.replies({ headers: sse, body: pieces, ending: 'stall' });
    const answer = await stream();
    await answer.next();
    answer.leave();
    const cost = await charged();
    expect(cost).toBeGreaterThan(0n);
    expect((await stream()).status).toBe(409);
    expect(upstream.requests).toHaveLength(1);
    expect(await charged()).toBe(cost);
  });

  it('gives its key back when its client left before anything was delivered', async () => {
    upstream.replies({ headers: sse, ending: 'silent' });
    const abort = new AbortController();
    const asked = upstream.nextRequest();
    const left = stream(abort.signal);
    const { closed } = await asked;
    abort.abort();
    await expect(left).rejects.toThrow('aborted');
    await closed;
    upstream.replies({ headers: sse, body: streamed });
    await until(async () => (await stream()).status === 200, 'an answer to the repeat');
    expect(await charged()).toBe(COST);
  });

  it('gives its key back when it fails, whatever the reason', async () => {
    upstream.replies(refusal);
    expectError(await post(), 503, 'model_overloaded');
    expectError(await post({ ...question, model: 'nothing' }), 404, 'model_not_found');
    expectError(await post({ ...question, temperature: 9 }), 400, 'invalid_request');
    upstream.replies({ headers: sse, body: pieces, ending: 'reset' });
    expect(await (await stream()).text()).toContain('"error"');
    upstream.replies(whole());
    const poor = await gateway.newCustomer('0');
    expectError(await post(question, chat, poor.liveKey), 402, 'insufficient_credits');
    expect((await post()).status).toBe(200);
    expect(await charged()).toBe(COST);
  });

  it('with an answer that is too large to be kept is refused the next time', async () => {
    upstream.replies(whole('x'.repeat(1_048_577)));
    expect((await post()).status).toBe(200);
    expect(await charged()).toBe(COST);
    expectError(await post(), 409, 'idempotency_conflict');
    expect(upstream.requests).toHaveLength(1);
  });

  it('has its answer in the budget of answers until it is stored; one without room there is not kept', async () => {
    await using full = await start({ ...settingsFor(upstream), server: { answer_budget: 4_000_000 } });
    const send = (name: string) => full.post(chat, { model: 'weather', ...question }).set('idempotency-key', name);
    const [answers, store] = [full.running.app.get(AnswerBudget), full.running.app.get(IdempotencyStore)];
    const { promise: writable, resolve: letWrite } = Promise.withResolvers<void>();
    const keep = store.keep.bind(store);
    jest.spyOn(store, 'keep').mockImplementation((...all) => writable.then(() => keep(...all)));
    try {
      upstream.replies(whole('x'.repeat(900_000)));
      expect((await send('large')).status).toBe(200);
      expect(answers.used).toBeGreaterThan(1_800_000);
      upstream.replies(whole('x'.repeat(150_000)));
      expect((await send('small')).status).toBe(200);
      expectError(await send('small'), 409, 'idempotency_conflict');
    } finally {
      letWrite();
    }
    expect((await send('large')).headers['idempotent-replayed']).toBe('true');
    expect(answers.used).toBe(0);
  });

  it('leaves neither its key nor a word of its answer in the store', async () => {
    await post();
    await post();
    const rows = await stored();
    expect(rows.some(({ answer }) => answer !== null)).toBe(true);
    for (const { digest, fingerprint, answer, ...rest } of rows) {
      expect([digest, fingerprint]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), expect.stringMatching(/^[0-9a-f]{64}$/)]);
      expect(Object.keys(rest).sort()).toEqual(['account_id', 'bytes', 'created_at', 'request_id']);
      const bytes = Buffer.from(answer ?? []).toString('latin1');
      for (const word of ['Clouds', 'weather', 'content', key]) expect(bytes).not.toContain(word);
    }
  });

  it('is forgotten after a day, at the latest when old keys are swept, a few at a time', async () => {
    const first = await post();
    const age = (milliseconds: number) =>
      database()
        .db.updateTable('idempotency_key')
        .set({ created_at: BigInt(Date.now() - milliseconds) })
        .execute();
    await age(86_000_000);
    expect((await post()).text).toBe(first.text);
    await age(86_500_000);
    const fresh = await post();
    expect(fresh.headers['idempotent-replayed']).toBeUndefined();
    expect((await post()).text).toBe(fresh.text);
    expect(await charged()).toBe(2n * COST);

    const old = Array.from({ length: 1_201 }, (_, number) => ({
      digest: number.toString(16).padStart(64, '0'),
      fingerprint: '0'.repeat(64),
      request_id: 'old',
      created_at: Date.now() - 86_500_000,
    }));
    await database().db.insertInto('idempotency_key').values(old).execute();
    const before = (await stored()).length;
    const swept = await gateway.running.app.get(IdempotencyStore).sweep();
    expect(swept).toBeGreaterThanOrEqual(1_201);
    expect(await stored()).toHaveLength(before - swept);
    expect((await post()).text).toBe(fresh.text);
  });

  it.each([
    ['empty', ''],
    ['longer than 255 characters', 'k'.repeat(256)],
    ['with a tab', 'a\tb'],
    ['beyond ASCII', 'caf\u00e9'],
  ])('whose key is %s is refused and costs nothing', async (_what, malformed) => {
    const body = JSON.stringify({ model: 'weather', ...question });
    const head = `POST /v1/${chat} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${customer.liveKey}\r\ncontent-type: application/json\r\n`;
    const bytes = Buffer.from(`${head}content-length: ${body.length}\r\nidempotency-key: ${malformed}\r\n\r\n${body}`, 'latin1');
    const answer = await sendRaw(gateway.running.port, bytes);
    expectError({ status: answer.status, body: JSON.parse(answer.body) }, 400, 'invalid_request');
    expect(answer.body).toContain('Idempotency-Key');
    expect(upstream.requests).toHaveLength(0);
    expect(await charged()).toBe(0n);
  });

  it.each([
    [
      'its own idempotencyKey',
      class extends OpenAI {
        protected override idempotencyHeader = 'Idempotency-Key';
      },
      () => ({ idempotencyKey: key }),
    ],
    ['the header as a request option', OpenAI, () => ({ headers: { 'Idempotency-Key': key } })],
  ])('is sent by the official client with %s, and by its own retries', async (_how, Client, option) => {
    const client = new Client({ baseURL: `${gateway.url}/v1`, apiKey: customer.liveKey, maxRetries: 1 });
    let calls = 0;
    upstream.replies(() => (calls++ === 0 ? refusal : whole()));
    const ask = async () => client.chat.completions.create({ model: 'weather', messages: [...question.messages] }, option());
    const first = await ask();
    expect(first.choices[0]!.message.content).toBe(said);
    expect(await ask()).toEqual(first);
    expect(upstream.requests).toHaveLength(2);
    expect(await charged()).toBe(COST);
    const other = client.chat.completions.create({ model: 'weather', messages: [{ role: 'user', content: 'And tomorrow?' }] }, option());
    await expect(other).rejects.toBeInstanceOf(ConflictError);
    expect(upstream.requests).toHaveLength(2);
  });

  it('leaves requests without the header alone', async () => {
    const before = (await stored()).length;
    for (let request = 0; request < 2; request++) await gateway.post(chat, { model: 'weather', ...question }, customer.liveKey);
    expect(await stored()).toHaveLength(before);
    expect(await charged()).toBe(2n * COST);
  });

  it('is refused with 503 while it cannot be known whether its key was sent before', async () => {
    const { db } = database();
    await sql`alter table idempotency_key rename to elsewhere`.execute(db);
    try {
      const answer = await post();
      expectError(answer, 503, 'service_unavailable');
      expect(answer.headers['retry-after']).toBe('1');
    } finally {
      await sql`alter table elsewhere rename to idempotency_key`.execute(db);
    }
    expect(upstream.requests).toHaveLength(0);
    expect((await post()).status).toBe(200);
    expect(await charged()).toBe(COST);
  });

  it('is not lost while its gateway has yet to tell the store that it has ended', async () => {
    const settings = settingsFor(upstream);
    const routing = { ...settings.routing, total_timeout: 2_000 };
    const store = { keep_answers: false, flush_interval: 5_000, lease_ttl: 600_000 };
    await using late = await start({ ...settings, routing, store }, clock);
    const send = (name: string) => late.post(chat, { model: 'weather', ...question }).set('idempotency-key', name);
    // The transaction after the first one comes 5 s later.
    expect((await send('first')).status).toBe(200);
    await clock.advance(5_000);
    await late.usage(1);
    expect((await send('second')).status).toBe(200);
    await clock.advance(2_100);
    expectError(await send('second'), 409, 'idempotency_conflict');
    expect(upstream.requests).toHaveLength(2);
  });

  it('keeps no answer where the operator does not want it', async () => {
    await using silent = await start({ ...settingsFor(upstream), store: { keep_answers: false } });
    const body = { model: 'weather', ...question };
    const send = () => silent.post(chat, body).set('idempotency-key', key);
    expect((await send()).status).toBe(200);
    expectError(await send(), 409, 'idempotency_conflict');
    const [{ request_id }, ...more] = (await silent.usage(1)) as [UsageRow, ...UsageRow[]];
    expect(more).toEqual([]);
    const rows = silent.running.app.get(Database).db.selectFrom('idempotency_key').select('answer').where('request_id', '=', request_id);
    expect(await rows.execute()).toEqual([{ answer: null }]);
  });
});

describeGateways('duplicates of a request', (start) => {
  let gateways: Gateway[];
  const upstream = useUpstream();
  beforeAll(async () => {
    gateways = [await start(settingsFor(upstream), clock)];
  });
  afterAll(() => Promise.all(gateways.map((gateway) => gateway.close())));

  it('come to one charge in whatever order they come, fail and are left', () => anyInterleaving(upstream, gateways));
});

describeSharedGateways('duplicates of a request to three gateways', (start) => {
  const gateways: Gateway[] = [];
  const upstream = useUpstream();
  beforeAll(async () => {
    for (let count = 0; count < 3; count++) gateways.push(await start(settingsFor(upstream), clock));
  });
  afterAll(() => Promise.all(gateways.map((gateway) => gateway.close())));

  it('are answered by one of them, and repeated by each', async () => {
    const told = Promise.withResolvers<void>();
    upstream.replies({ ...whole(), when: told.promise });
    const { liveKey } = gateways[0]!.customer;
    const send = (gateway: Gateway) => gateway.post(chat, { model: 'weather', ...question }, liveKey).set('idempotency-key', 'everywhere');
    await until(async () => (await gateways[2]!.get('models', liveKey)).status === 200, 'the key at every gateway');
    await until(async () => (await gateways[1]!.get('models', liveKey)).status === 200, 'the key at every gateway');
    let ended = 0;
    const sent = gateways.map((gateway) => send(gateway).then((answer) => (++ended === 2 && told.resolve(), answer)));
    const answers = await Promise.all(sent);
    expect(answers.map(({ status }) => String(status)).sort()).toEqual(['200', '409', '409']);
    const { text: first } = answers.find(({ status }) => status === 200)!;
    await until(async () => (await send(gateways[0]!)).status === 200, 'the answer in the store');
    for (const gateway of gateways) expect((await send(gateway)).text).toBe(first);
    expect(upstream.requests).toHaveLength(1);
  });

  it('come to one charge in whatever order they come, fail and are left', () => anyInterleaving(upstream, gateways));
});

/** Waves of the same request, each wave at once; some clients go away, and the provider fails some calls. */
async function anyInterleaving(upstream: LoopbackUpstream, gateways: readonly Gateway[]): Promise<void> {
  const [home] = gateways as [Gateway];
  const customer = await home.newCustomer('100');
  for (const gateway of gateways)
    await until(async () => (await gateway.get('models', customer.liveKey)).status === 200, 'the key at every gateway');
  let runs = 0;
  const attempt = fc.record({
    gateway: fc.nat({ max: gateways.length - 1 }),
    wait: fc.constantFrom(0, 1, 5, 15),
    leaveAfter: fc.constantFrom(undefined, undefined, undefined, 0, 5, 15, 25),
  });
  const calls = fc.array(fc.record({ fails: fc.boolean(), delay: fc.constantFrom(0, 5, 20) }), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(attempt, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 }),
      calls,
      async (waves, plan) => {
        const key = `run ${++runs}`;
        let call = 0;
        upstream.replies(() => {
          const { fails, delay } = plan[call++] ?? { fails: false, delay: 0 };
          return { ...(fails ? refusal : whole(`answer ${call}`)), delay };
        });
        const body = JSON.stringify({ model: 'weather', ...question });
        const send = async (gateway: Gateway, signal?: AbortSignal): Promise<{ status: number; text: string } | undefined> => {
          const headers = { authorization: `Bearer ${customer.liveKey}`, 'content-type': 'application/json', 'idempotency-key': key };
          try {
            const answer = await fetch(`${gateway.url}/v1/${chat}`, { method: 'POST', headers, body, signal });
            return { status: answer.status, text: await answer.text() };
          } catch (error) {
            if (signal?.aborted) return undefined;
            throw error;
          }
        };
        const answers: ({ status: number; text: string } | undefined)[] = [];
        for (const wave of waves) {
          const sent = wave.map(async ({ gateway, wait, leaveAfter }) => {
            await new Promise((resolve) => setTimeout(resolve, wait)); // A few milliseconds.
            return send(gateways[gateway]!, leaveAfter === undefined ? undefined : AbortSignal.timeout(leaveAfter));
          });
          answers.push(...(await Promise.all(sent)));
        }
        // A client that goes on asking is answered in the end.
        await until(async () => {
          // Failures have closed the way to the provider for a while.
          await clock.advance(500);
          const last = await send(home);
          answers.push(last);
          return last!.status === 200;
        }, 'an answer');
        const served = answers.filter((answer) => answer?.status === 200).map((answer) => answer!.text);
        expect(new Set(served).size).toBe(1);
        for (const answer of answers) if (answer) expect([200, 409, 503]).toContain(answer.status);
        for (const gateway of gateways) await gateway.balance(customer);
        const paid = (await home.usage(runs, customer)).filter(({ amount }) => amount > 0n);
        expect(paid.map(({ amount, outcome }) => ({ amount, outcome }))).toEqual(
          Array.from({ length: runs }, () => ({ amount: COST, outcome: 'completed' })),
        );
        expect(await home.balance(customer)).toBe(100n * CREDIT - BigInt(runs) * COST);
      },
    ),
    { numRuns: 20, endOnFailure: true },
  );
  expect((await verifyLedger(home.running.app.get(Database))).findings).toEqual([]);
}
