import { charge, formatCredits, parsePrice, type Price } from '../src/common/credits.js';
import { LoopbackUpstream, type Reply } from '../src/providers/testing/loopback-upstream.js';
import type { Completion } from '../src/wire/completion.js';
import type { ModelList } from '../src/wire/model.js';
import type { Usage } from '../src/wire/usage.js';
import type { Customer } from './support/customer.js';
import { eventsOf } from './support/event-stream.js';
import { Gateway, type UsageRow } from './support/gateway.js';
import { until } from './support/until.js';
import { expectError } from './support/wire-schemas.js';

const CREDIT = 1_000_000_000n;
const prompt = 'The kitchen was warm and';
const sse = { 'content-type': 'text/event-stream' };

describe('credits', () => {
  let upstream: LoopbackUpstream;
  let gateway: Gateway;
  beforeAll(async () => {
    upstream = await LoopbackUpstream.start();
    gateway = await Gateway.start({
      routing: { idle_timeout: 1_000, first_token_timeout: 4_000, retries: 0 },
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
    });
  });
  afterAll(async () => {
    await gateway.close();
    await upstream.stop();
  });

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

    it('is on the metrics page while it is held, and as a flush once it is written', async () => {
      const customer = await gateway.newCustomer('1');
      const figure = async (name: string): Promise<number> => {
        const page = await (await fetch(`${gateway.url}/metrics`)).text();
        return Number(
          page
            .split('\n')
            .find((line) => line.startsWith(`switchyard_ledger_${name} `))!
            .split(' ')[1],
        );
      };
      const [held, flushes] = ['held_credits{environment="live"}', 'flush_seconds_count'];
      const [before, flushed] = [await figure(held), await figure(flushes)];
      upstream.replies({ headers: sse, ending: 'stall', body: '' });
      const leaving = new AbortController();
      const answer = gateway.stream('completions', { model: 'upstream-text', prompt, max_tokens: 2 }, { key: customer.liveKey, signal: leaving.signal }); // prettier-ignore
      await until(async () => (await figure(held)) > before, 'a hold');
      leaving.abort();
      await answer.catch(() => undefined);
      await gateway.balance(customer);
      expect(await figure(held)).toBe(before);
      expect(await figure(flushes)).toBeGreaterThan(flushed);
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

    it('costs all its prompts, and all that best_of generated, in one charge with one rounding', async () => {
      const customer = await gateway.newCustomer('1');
      const all = await post(customer, { prompt: [prompt, 'Two fish'], n: 4, seed: 3, temperature: 1.5 });
      const best = await post(customer, { prompt: [prompt, 'Two fish'], best_of: 4, seed: 3, temperature: 1.5 });
      const { usage } = best.body as Completion;
      expect(usage).toEqual((all.body as Completion).usage);
      expect(usage!.completion_tokens).toBeGreaterThan(20);
      const cost = await chargeOf('sandbox-text', usage!);
      expect((await gateway.usage(2, customer)).map(({ amount }) => amount)).toEqual([cost, cost]);
      expect(await gateway.balance(customer)).toBe(CREDIT - 2n * cost);
    });

    it('costs what the provider counted, rounded up once to a nano-credit', async () => {
      const customer = await gateway.newCustomer('1');
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
      upstream.replies(json({ choices: [{ index: 0, text: 'x', logprobs: null, finish_reason: 'stop' }], usage }));
      const answer = await post(customer, { model: 'upstream-text' });
      expect((answer.body as Completion).usage).toEqual(usage);
      // (1 x 7 + 1 x 333,333,333) / 1000 = 333,333.34
      expect(answer.headers['x-switchyard-cost']).toBe('0.000333334');
      expect(await gateway.balance(customer)).toBe(CREDIT - 333_334n);
    });

    it('costs what the gateway counted where the provider counts more than its model can come to', async () => {
      const customer = await gateway.newCustomer('1');
      const usage = { prompt_tokens: 2_000_000, completion_tokens: 9_000_000, total_tokens: 11_000_000 };
      upstream.replies(json({ choices: [{ index: 0, text: 'x', logprobs: null, finish_reason: 'stop' }], usage }));
      await post(customer, { model: 'upstream-text' });
      const [row] = await gateway.usage(1, customer);
      expect(row).toMatchObject({ completion_tokens: 1n, estimated: 1n });
      expect(row!.amount).toBeLessThanOrEqual(row!.hold);
      expect(row!.hold).toBeLessThan(CREDIT / 100n);
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

    it('nothing is asked of a provider', async () => {
      const poor = await gateway.newCustomer('0');
      upstream.replies({ status: 500 });
      expectError(await post(poor, { model: 'upstream-text', stream: true }), 402, 'insufficient_credits');
      expect(upstream.requests).toHaveLength(0);
    });

    it('what is left buys a shorter answer, unless the client insists on a length', async () => {
      const price = await priceOf('sandbox-text');
      const enough = charge(price, 300, 4);
      const poor = await gateway.newCustomer(formatCredits(enough));
      expectError(await post(poor, { max_tokens: 4096, temperature: 2 }), 402, 'insufficient_credits');
      const answer = await post(poor, { prompt: 'x', max_tokens: undefined });
      expect(answer.status).toBe(200);
      expect(await gateway.balance(poor)).toBe(enough - (await chargeOf('sandbox-text', (answer.body as Completion).usage!)));
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

  describe('a request that did not end well', () => {
    async function costOf(act: (customer: Customer) => Promise<unknown>): Promise<UsageRow> {
      const customer = await gateway.newCustomer('1');
      await act(customer);
      const [row, ...more] = await gateway.usage(1, customer);
      expect(more).toEqual([]);
      expect(await gateway.balance(customer)).toBe(CREDIT - row!.amount);
      return row!;
    }
    const stream = (customer: Customer, model: string, signal?: AbortSignal) =>
      gateway.stream('completions', { model, prompt, max_tokens: 50, seed: 7 }, { key: customer.liveKey, signal });

    it('costs nothing when the provider failed before any output', async () => {
      const row = await costOf(async (customer) =>
        expectError(await post(customer, { model: 'sandbox-overloaded' }), 503, 'model_overloaded'),
      );
      expect(row).toMatchObject({ outcome: 'provider_failed', amount: 0n });
    });

    it('costs nothing when the provider failed after some output', async () => {
      const row = await costOf(async (customer) => {
        expect(await (await stream(customer, 'sandbox-cut')).text()).toContain('"error"');
      });
      expect(row).toMatchObject({ outcome: 'provider_failed', amount: 0n });
    });

    it('costs nothing when the provider fell silent', async () => {
      const row = await costOf(async (customer) => (await stream(customer, 'sandbox-stall')).text());
      expect(row).toMatchObject({ outcome: 'idle_timeout', amount: 0n });
    });

    it('costs nothing when the client left before the first token', async () => {
      const row = await costOf(async (customer) => {
        const abort = new AbortController();
        const answer = stream(customer, 'sandbox-slow', abort.signal);
        await until(async () => (await gateway.held(customer)) > 0n, 'the hold');
        abort.abort();
        await expect(answer).rejects.toThrow();
      });
      expect(row).toMatchObject({ outcome: 'client_left', amount: 0n, completion_tokens: 0n });
    });

    it('costs nothing when the client left before the first token, but after the first event', async () => {
      const role = { index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null };
      upstream.replies({ headers: sse, body: `data: ${JSON.stringify({ choices: [role] })}\n\n`, ending: 'stall' });
      const row = await costOf(async (customer) => {
        const messages = [{ role: 'user', content: prompt }];
        const answer = await gateway.stream('chat/completions', { model: 'upstream-text', messages }, { key: customer.liveKey });
        await answer.next();
        answer.leave();
      });
      expect(row).toMatchObject({ outcome: 'client_left', amount: 0n, completion_tokens: 0n });
    });

    it('costs prompt and delivered tokens when the client left later', async () => {
      const row = await costOf(async (customer) => {
        const answer = await stream(customer, 'sandbox-stall');
        for (let event = 0; event < 5; event++) await answer.next();
        answer.leave();
      });
      expect(row.outcome).toBe('client_left');
      expect(row.completion_tokens).toBeGreaterThanOrEqual(1n);
      expect(row.completion_tokens).toBeLessThanOrEqual(5n);
      expect(row.prompt_tokens).toBeGreaterThan(0n);
      expect(row.amount).toBe(charge(await priceOf('sandbox-stall'), Number(row.prompt_tokens), Number(row.completion_tokens)));
    });

    it('costs nothing when the answer is empty', async () => {
      const usage = { prompt_tokens: 5, completion_tokens: 0, total_tokens: 5 };
      upstream.replies({
        headers: sse,
        body: `data: ${JSON.stringify({ choices: [{ index: 0, text: '', logprobs: null, finish_reason: 'stop' }], usage })}\n\ndata: [DONE]\n\n`,
      });
      const row = await costOf(async (customer) => (await stream(customer, 'upstream-text')).text());
      expect(row).toMatchObject({ outcome: 'empty', amount: 0n });
    });

    it('is estimated, and marked so, where the provider counted nothing', async () => {
      upstream.replies(json({ choices: [{ index: 0, text: ' a good long answer', logprobs: null, finish_reason: 'stop' }] }));
      const row = await costOf(async (customer) => {
        const { usage } = (await post(customer, { model: 'upstream-text' })).body as Completion;
        expect(usage!.completion_tokens).toBeGreaterThan(0);
        expect(usage!.total_tokens).toBe(usage!.prompt_tokens + usage!.completion_tokens);
      });
      expect(row).toMatchObject({ outcome: 'completed', estimated: 1n });
      expect(row.amount).toBeGreaterThan(0n);
    });

    it('leaves no trace on the balance when it was refused', async () => {
      const customer = await gateway.newCustomer('1');
      await post(customer, { temperature: 9 });
      await post(customer, { model: 'none' });
      await post(customer, { model: 'sandbox-chat' });
      expect(await gateway.balance(customer)).toBe(CREDIT);
      expect(await gateway.usage(0, customer)).toEqual([]);
    });
  });
});

function json(body: object): Reply {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

function total(rows: readonly UsageRow[]): bigint {
  return rows.reduce((sum, { amount }) => sum + amount, 0n);
}
