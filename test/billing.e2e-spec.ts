import { charge, formatCredits, parsePrice, type Price } from '../src/common/prices/credits.js';
import type { Completion } from '../src/wire/completion.js';
import type { ModelList } from '../src/wire/model.js';
import type { Usage } from '../src/wire/usage.js';
import type { Customer } from './support/customer.js';
import { eventsOf } from './support/event-stream.js';
import { Gateway, type UsageRow } from './support/gateway.js';
import { useGateway, useUpstream } from './support/started.js';
import { expectError } from './support/wire-schemas.js';

const CREDIT = 1_000_000_000n;
const prompt = 'The kitchen was warm and';
const sse = { 'content-type': 'text/event-stream' };

describe('credits', () => {
  const upstream = useUpstream();
  const gateway = useGateway(() =>
    Gateway.start({
      routing: { retries: 0 },
      providers: {
        upstream: {
          base_url: `${upstream.origin}/v1`,
          models: {
            'upstream-text': {
              pricing: { prompt: '0.000000007', completion: '0.333333333' },
              capabilities: { completion: true },
              context_length: 10_000,
              max_tokens: 1000,
            },
          },
        },
      },
    }),
  );

  const post = (customer: Customer, fields: object = {}, key = customer.liveKey) =>
    gateway.post('completions', { model: 'sandbox-text', prompt, max_tokens: 10, ...fields }, key);

  async function priceOf(id: string): Promise<Price> {
    const { data } = (await gateway.get('models?active_only=false')).body as ModelList;
    return parsePrice(data.find((model) => model.id === id)!.pricing);
  }
  const chargeOf = async (model: string, usage: Usage): Promise<bigint> =>
    charge(await priceOf(model), usage.prompt_tokens, usage.completion_tokens);

  describe('a completed request', () => {
    it('costs its tokens at the catalogue’s price, exactly, and says so', async () => {
      const customer = await gateway.newCustomer('1');
      const answer = await post(customer);
      const { usage } = answer.body as Completion;
      const cost = await chargeOf('sandbox-text', usage!);
      expect(cost).toBeGreaterThan(0n);
      expect(answer.headers['x-switchyard-cost']).toBe(formatCredits(cost));
      expect(await gateway.balance(customer)).toBe(CREDIT - cost);
      expect(await gateway.usage(1, customer)).toMatchObject([
        {
          account_id: customer.accountId,
          environment: 'live',
          operation: 'completion',
          model: 'sandbox-text',
          provider: 'sandbox',
          prompt_tokens: BigInt(usage!.prompt_tokens),
          completion_tokens: BigInt(usage!.completion_tokens),
          amount: cost,
          uncollected: 0n,
          outcome: 'completed',
          estimated: 0n,
        },
      ]);
    });

    it('costs the same streamed, and by chat', async () => {
      const customer = await gateway.newCustomer('1');
      const fields = { model: 'sandbox-omni', messages: [{ role: 'user', content: prompt }], max_tokens: 10, seed: 1 };
      const whole = await gateway.post('chat/completions', fields, customer.liveKey);
      const stream = await gateway.stream(
        'chat/completions',
        { ...fields, stream_options: { include_usage: true } },
        { key: customer.liveKey },
      );
      const { usage } = eventsOf<{ usage: Usage }>(await stream.text()).at(-1)!;
      expect(usage).toEqual((whole.body as { usage: Usage }).usage);
      const cost = await chargeOf('sandbox-omni', usage);
      expect(await gateway.balance(customer)).toBe(CREDIT - 2n * cost);
      expect((await gateway.usage(2, customer)).map(({ amount, operation }) => [amount, operation])).toEqual([
        [cost, 'chat'],
        [cost, 'chat'],
      ]);
    });

    it('is paid from the balance of its key’s environment', async () => {
      const customer = await gateway.newCustomer('1');
      await post(customer, {}, customer.testKey);
      expect(await gateway.balance(customer, 'live')).toBe(CREDIT);
      expect(await gateway.balance(customer, 'test')).toBeLessThan(CREDIT);
      expect(await gateway.usage(1, customer)).toMatchObject([{ environment: 'test' }]);
    });
  });

  describe('when credits run out', () => {
    it.each(['live', 'test'] as const)('a request with a %s key fails with 402', async (environment) => {
      const poor = await gateway.newCustomer('0');
      const answer = await post(poor, {}, environment === 'live' ? poor.liveKey : poor.testKey);
      expectError(answer, 402, 'insufficient_credits');
      expect(answer.body).toMatchObject({
        error: { type: 'payment_required', message: expect.stringMatching(/^Insufficient credits\b.*add credits/) },
      });
      expectError(
        await gateway.post('chat/completions', { model: 'sandbox-chat', messages: [{ role: 'user', content: 'x' }] }, poor.liveKey),
        402,
        'insufficient_credits',
      );
      expect((await gateway.get('models', poor.liveKey)).status).toBe(200);
    });

    it('many requests at once spend no more than there is', async () => {
      const granted = 50_000n;
      const customer = await gateway.newCustomer(formatCredits(granted));
      const answers = await Promise.all(Array.from({ length: 60 }, () => post(customer, { max_tokens: 20 })));
      const served = answers.filter(({ status }) => status === 200);
      expect(served.length).toBeGreaterThan(0);
      expect(served.length).toBeLessThan(60);
      for (const answer of answers) if (answer.status !== 200) expectError(answer, 402, 'insufficient_credits');
      const left = await gateway.balance(customer);
      const rows = await gateway.usage(served.length, customer);
      expect(rows).toHaveLength(served.length);
      expect(left).toBeGreaterThanOrEqual(0n);
      expect(left + total(rows)).toBe(granted);
    });
  });

  it('nothing is charged where the client left before the first token, but after the first event', async () => {
    const customer = await gateway.newCustomer('1');
    const role = { index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null };
    upstream.replies({ headers: sse, body: `data: ${JSON.stringify({ choices: [role] })}\n\n`, ending: 'stall' });
    const messages = [{ role: 'user', content: prompt }];
    const answer = await gateway.stream('chat/completions', { model: 'upstream-text', messages }, { key: customer.liveKey });
    await answer.next();
    answer.leave();
    expect(await gateway.usage(1, customer)).toMatchObject([{ outcome: 'client_left', amount: 0n, completion_tokens: 0n }]);
    expect(await gateway.balance(customer)).toBe(CREDIT);
  });
});

function total(rows: readonly UsageRow[]): bigint {
  return rows.reduce((sum, { amount }) => sum + amount, 0n);
}
