import type { Customer } from './support/customer.js';
import { Gateway } from './support/gateway.js';
import { chatReply } from './support/openai-bytes.js';
import { useGateway, useUpstream } from './support/started.js';
import { expectError } from './support/wire-schemas.js';

const CREDIT = 1_000_000_000n;

/** What the provider counts for an answer of one token: its reasoning is not limited by max_tokens, and not shown. */
const counted = { prompt_tokens: 1, completion_tokens: 5_000, total_tokens: 5_001 };

describe('Reasoning that max_tokens does not limit', () => {
  let held: Promise<bigint>;

  const upstream = useUpstream();
  const gateway = useGateway(() => {
    const base_url = `${upstream.origin}/v1`;
    // A credit for a thousand tokens of output: the whole limit costs 50.
    const model = { pricing: { prompt: 0, completion: 1 }, max_tokens: 50_000, context_length: 100_000 };
    return Gateway.start({
      providers: {
        house: { base_url, models: { said: { ...model, hidden_reasoning: true }, 'qwen3-8b': model, plain: model } },
        vllm: { type: 'vllm', base_url: `${upstream.origin}/vllm/v1`, prefix: 'vllm/', free: false, models: { 'qwen3-8b': model } },
        denied: { base_url, prefix: 'denied/', models: { 'qwen3-8b': { ...model, hidden_reasoning: false } } },
      },
      models: { overridden: { hidden_reasoning: true, offers: [{ provider: 'house', model: 'plain' }] } },
    });
  });

  const ask = (model: string, customer: Customer, more: object = { max_tokens: 1 }) => {
    upstream.replies(() => {
      held = gateway.held(customer);
      return chatReply('Čau', counted);
    });
    return gateway.post('chat/completions', { model, messages: [{ role: 'user', content: 'Ahoj' }], ...more }, customer.liveKey);
  };

  it.each(['said', 'qwen3-8b', 'overridden'])('%s: the whole output limit is held, and what was counted is charged', async (model) => {
    const customer = await gateway.newCustomer('60');
    expect((await ask(model, customer)).status).toBe(200);
    expect(await held).toBe(50n * CREDIT);
    expect(await gateway.balance(customer)).toBe(55n * CREDIT);
    expect(JSON.parse(upstream.requests[0]!.body)).toMatchObject({ max_tokens: 1 });
  });

  it.each(['plain', 'vllm/qwen3-8b', 'denied/qwen3-8b'])('%s: max_tokens is held where it limits the answer', async (model) => {
    const customer = await gateway.newCustomer('60');
    expect((await ask(model, customer)).status).toBe(200);
    expect(await held).toBe(CREDIT / 1_000n);
  });

  it('holds what is affordable between max_tokens and the limit, and refuses where max_tokens is not', async () => {
    const customer = await gateway.newCustomer('7');
    expectError(await ask('said', customer, { max_tokens: 7_001 }), 402, 'insufficient_credits');
    expect((await ask('said', customer, { max_tokens: 7_000 })).status).toBe(200);
    expect(await held).toBe(7n * CREDIT);
    expect(await gateway.balance(customer)).toBe(2n * CREDIT);
  });
});
