import * as fc from 'fast-check';
import { CreditStore } from '../src/billing/credit-store.js';
import { verifyLedger } from '../src/billing/verify-ledger.js';
import { charge, lesser, parsePrice } from '../src/common/prices/credits.js';
import { Database } from '../src/database/database.js';
import type { Reply } from '../src/providers/testing/loopback-upstream.js';
import type { Customer } from './support/customer.js';
import { describeGateways } from './support/describe-gateways.js';
import type { UsageRow } from './support/gateway.js';
import { chatReply } from './support/openai-bytes.js';
import { useGateway, useUpstream } from './support/started.js';
import { until } from './support/until.js';

const CREDIT = 1_000_000_000n;
const pricing = { prompt: '0.003', completion: '0.03' };
const price = parsePrice(pricing);
const [CONTEXT, MOST] = [20_000, 10_000];

/** 5 prompt tokens and 5,000 hidden ones, for one that can be read. */
const hidden = { prompt_tokens: 5, completion_tokens: 5_000, total_tokens: 5_005 };
const HIDDEN_COST = charge(price, 5, 5_000);

const choice = (text: string, finish_reason: string | null) => ({ index: 0, text, logprobs: null, finish_reason });
const whole = (usage: unknown): Reply => ({
  headers: { 'content-type': 'application/json' },
  body: `{"choices":[${JSON.stringify(choice('yes', 'length'))}]${usage === undefined ? '' : `,"usage":${text(usage)}`}}`,
});
const streamed = (usages: readonly unknown[]): Reply => ({
  headers: { 'content-type': 'text/event-stream' },
  body: [
    JSON.stringify({ choices: [choice('yes', null)] }),
    JSON.stringify({ choices: [choice('', 'length')] }),
    ...usages.map((usage) => `{"choices":[],"usage":${text(usage)}}`),
    '[DONE]',
  ]
    .map((data) => `data: ${data}\n\n`)
    .join(''),
});
/** JSON, with numbers that only a text can express. */
const text = (usage: unknown): string => JSON.stringify(usage).replaceAll(/"raw (.*?)"/g, '$1');

describeGateways('What a provider counts beyond the hold', (start) => {
  const upstream = useUpstream();
  const gateway = useGateway(() => {
    const offer = { pricing, context_length: CONTEXT, max_tokens: MOST, capabilities: { completion: true } };
    const chats = { ...offer, capabilities: { chat: true } };
    return start({
      // Leases come back soon when nothing is asked of them, so that nobody need wait.
      store: { lease_ttl: 4_000 },
      providers: { upstream: { base_url: `${upstream.origin}/v1`, models: { thinks: offer, chats } } },
    });
  });
  afterEach(async () => {
    expect((await verifyLedger(gateway.running.app.get(Database))).findings).toEqual([]);
  });

  const fields = { model: 'thinks', prompt: 'Is it?', max_tokens: 1 };
  const ask = (customer: Customer) => gateway.post('completions', fields, customer.liveKey);
  const stream = async (customer: Customer) => (await gateway.stream('completions', fields, { key: customer.liveKey })).text();

  it.each([{ reasoning_effort: 'high' }, { thinking: { type: 'enabled', budget_tokens: 5_000 } }, { enable_thinking: true }])(
    'is held where a request asks for reasoning: %j',
    async (asked) => {
      upstream.replies(chatReply('yes', hidden));
      const customer = await gateway.newCustomer('1');
      const chat = { model: 'chats', messages: [{ role: 'user', content: 'Is it?' }], max_tokens: 1 };
      expect((await gateway.post('chat/completions', { ...chat, ...asked }, customer.liveKey)).status).toBe(200);
      const [usage] = await gateway.usage(1, customer);
      expect(usage).toMatchObject({ amount: HIDDEN_COST });
      expect(usage!.hold).toBeGreaterThanOrEqual(charge(price, 0, MOST));
    },
  );

  it('overdraws nobody, however many requests end at once', async () => {
    const customer = await gateway.newCustomer('1');
    upstream.replies(whole(hidden));
    const answers = await Promise.all(Array.from({ length: 40 }, () => ask(customer)));
    const served = answers.filter(({ status }) => status === 200).length;
    expect(served).toBeGreaterThan(6);
    await gateway.usage(served, customer);
    // What the others had held pays, too, once they give back what they did not use.
    await until(async () => (await gateway.balance(customer)) === 0n, 'all collected');
    const rows = await gateway.usage(served, customer);
    for (const { amount, uncollected } of rows) expect(amount + uncollected).toBe(HIDDEN_COST);
    expect(rows.reduce((sum, { amount }) => sum + amount, 0n)).toBe(CREDIT);
  });

  it('keeps the laws of the ledger whatever a provider reports', async () => {
    const number = fc.oneof(
      fc.integer({ min: -10, max: 30_000 }),
      fc.double({ min: -5, max: 2 ** 60, noNaN: true }),
      fc.constantFrom(2 ** 31, 2 ** 53, 2 ** 60, 'raw 1e400', 'raw -1e400', 'raw -0', '7', null, true, {}, []),
    );
    const details = fc.record({ cached_tokens: number, reasoning_tokens: number, audio_tokens: number }, { requiredKeys: [] });
    const usage = fc.oneof(
      {
        weight: 8,
        arbitrary: fc.record(
          {
            prompt_tokens: number,
            completion_tokens: number,
            total_tokens: number,
            prompt_tokens_details: details,
            completion_tokens_details: details,
          },
          { requiredKeys: [] },
        ),
      },
      { weight: 1, arbitrary: fc.constantFrom(null, 7, 'usage', [], {}) },
    );
    const plausible = fc
      .tuple(fc.integer({ min: 0, max: CONTEXT }), fc.integer({ min: 0, max: MOST }))
      .map(([prompt_tokens, completion_tokens]) => ({ prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }));
    const reports = fc.array(fc.oneof(usage, plausible), { minLength: 1, maxLength: 3 });

    const customer = await gateway.newCustomer('3');
    const rowOf = async (count: number): Promise<UsageRow> => (await gateway.usage(count, customer))[count - 1]!;
    let [balance, asked] = [3n * CREDIT, 0];
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.tuple(fc.constant(true), reports), fc.tuple(fc.constant(false), reports)), async ([whole_, said]) => {
        upstream.replies(whole_ ? whole(said.at(-1)) : streamed(said));
        if (whole_) expect((await ask(customer)).status).toBe(200);
        else await stream(customer);
        const row = await rowOf(++asked);
        const [prompt, completion] = [Number(row.prompt_tokens), Number(row.completion_tokens)];
        expect(prompt >= 0 && prompt <= CONTEXT && completion >= 0 && completion <= MOST).toBe(true);
        const full = charge(price, prompt, completion);
        const due = row.estimated === 1n ? lesser(full, row.hold) : full;
        const amount = lesser(due, balance);
        expect(row).toMatchObject({ outcome: 'completed', amount, uncollected: due - amount });
        balance -= amount;
        expect(await gateway.balance(customer)).toBe(balance);
        const told = whole_ ? said.slice(-1) : said;
        // Providers count from the beginning of an answer.
        const most = (count: 'prompt_tokens' | 'completion_tokens') => Math.max(...told.filter(isPlausible).map((one) => one[count]));
        if (told.every(isPlausible))
          expect([row.estimated, prompt, completion]).toEqual([0n, most('prompt_tokens'), most('completion_tokens')]);
        if (balance < CREDIT) balance += await topUp(customer);
      }),
      { numRuns: 150 },
    );
  });

  async function topUp({ accountId }: Customer): Promise<bigint> {
    await gateway.running.app.get(CreditStore).grant({ accountId, environment: 'live', amount: CREDIT });
    return CREDIT;
  }
});

function isPlausible(usage: unknown): usage is typeof hidden {
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total, ...more } = (usage ?? {}) as Partial<typeof hidden>;
  const counts = [prompt, completion, total].every((count) => Number.isInteger(count) && count! >= 0);
  return counts && total === prompt! + completion! && prompt! <= CONTEXT && completion! <= MOST && Object.keys(more).length === 0;
}
