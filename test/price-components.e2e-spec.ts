import { Database } from '../src/database/database.js';
import { RequestHistories } from '../src/observability/request-history.js';
import { requestView } from '../src/observability/request-view.js';
import { Gateway } from './support/gateway.js';
import { chatReply, jsonReply } from './support/openai-bytes.js';
import { useGateway, useLedgerChecks, useUpstream } from './support/started.js';
import { until } from './support/until.js';

const pricing = {
  prompt: '0.003',
  completion: '0.015',
  cached_input: '0.0003',
  cache_write_5m: '0.00375',
  tiers: [{ above: 200_000, prompt: '0.006', completion: '0.0225', cached_input: '0.0006', cache_write_5m: '0.0075' }],
};
const facts = { context_length: 1_000_000, max_tokens: 1_000, capabilities: { completion: true } };
const ask = { messages: [{ role: 'user', content: 'Hello' }] };
const mark = { cache_control: { type: 'ephemeral' } };
const lasting = { cache_control: { type: 'ephemeral', ttl: '1h' } };
const marked = (cached: object) => ({ messages: [{ role: 'user', content: [{ type: 'text', text: 'x'.repeat(4_000), ...cached }] }] });

describe('Prices by components', () => {
  const upstream = useUpstream();
  const gateway = useGateway(() => {
    const base_url = `${upstream.origin}/v1`;
    return Gateway.start(
      {
        providers: {
          vendor: {
            base_url,
            models: {
              m: { ...facts, pricing },
              single: { ...facts, pricing, parameters: ['temperature'] },
              plain: { ...facts, pricing: { prompt: '0.003', completion: '0.015' } },
              searching: { ...facts, pricing: { prompt: '0.001', completion: '0.001', request: 5, search: '10' } },
            },
          },
          claude: {
            type: 'anthropic',
            base_url: upstream.origin,
            api_key: 'key',
            models: { claude: { ...facts, capabilities: {}, pricing } },
          },
          hourly: {
            type: 'anthropic',
            base_url: upstream.origin,
            api_key: 'key',
            models: { hourly: { ...facts, capabilities: {}, pricing: { ...pricing, cache_write_1h: '0.006' } } },
          },
          warm: { base_url, models: { shared: { ...facts, pricing: { prompt: '0.003', completion: '0.015', cached_input: '0.0001' } } } },
          cold: { base_url, models: { shared: { ...facts, pricing: { prompt: '0.002', completion: '0.015' } } } },
          bare: {
            type: 'anthropic',
            base_url: upstream.origin,
            api_key: 'key',
            models: { bare: { ...facts, capabilities: {}, pricing: { prompt: '0.003', completion: '0.015', cached_input: '0.0003' } } },
          },
        },
        models: { shared: { strategy: 'cheapest' } },
      },
      '1000',
    );
  });
  beforeEach(() => (upstream.requests.length = 0));
  useLedgerChecks(gateway);

  const json = (body: object) => jsonReply(body);
  const answers = (usage: object) => upstream.replies(chatReply('Hi', usage));
  const claudeAnswers = (usage: object) =>
    upstream.replies(json({ type: 'message', role: 'assistant', content: [{ type: 'text', text: 'Hi' }], stop_reason: 'end_turn', usage }));

  it('charges what was read from the cache at its own price, and tells the client how much it was', async () => {
    const usage = { prompt_tokens: 1_000, completion_tokens: 10, total_tokens: 1_010, prompt_tokens_details: { cached_tokens: 900 } };
    answers(usage);
    const answer = await gateway.post('chat/completions', { model: 'm', ...ask });
    // 100 x 0.003 + 900 x 0.0003 + 10 x 0.015
    expect(answer.headers['x-switchyard-cost']).toBe('0.00072');
    expect(answer.body.usage).toEqual(usage);
  });

  it('charges the same in a stream', async () => {
    const chunk = (delta: object, finish_reason: string | null, more = {}) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }], ...more })}\n\n`;
    const usage = { prompt_tokens: 1_000, completion_tokens: 10, prompt_tokens_details: { cached_tokens: 900 } };
    upstream.replies({
      headers: { 'content-type': 'text/event-stream' },
      body: `${chunk({ role: 'assistant', content: 'Hi' }, null)}${chunk({}, 'stop', { usage })}data: [DONE]\n\n`,
    });
    const before = await gateway.balance();
    const stream = await gateway.stream('chat/completions', { model: 'm', ...ask });
    await stream.text();
    expect(before - (await gateway.balance())).toBe(720_000n);
  });

  it('charges a long prompt at its tier', async () => {
    answers({ prompt_tokens: 250_000, completion_tokens: 10, prompt_tokens_details: { cached_tokens: 200_000 } });
    const body = { model: 'm', messages: [{ role: 'user', content: 'x'.repeat(250_000) }] };
    const answer = await gateway.post('chat/completions', body);
    // 50,000 x 0.006 + 200,000 x 0.0006 + 10 x 0.0225
    expect(answer.headers['x-switchyard-cost']).toBe('0.420225');
  });

  it('charges several calls at the tier of each', async () => {
    answers({ prompt_tokens: 150_000, completion_tokens: 10, prompt_tokens_details: { cached_tokens: 100_000 } });
    const prompts = [0, 1].map(() => 'x'.repeat(150_000));
    const answer = await gateway.post('completions', { model: 'single', prompt: prompts, max_tokens: 10 });
    expect(answer.status).toBe(200);
    // 2 x (50,000 x 0.003 + 100,000 x 0.0003 + 10 x 0.015), each below the tier
    expect(answer.headers['x-switchyard-cost']).toBe('0.3603');
    expect(answer.body.usage).toMatchObject({ prompt_tokens: 300_000, prompt_tokens_details: { cached_tokens: 200_000 } });
  });

  it('charges two numbers where the price has two', async () => {
    answers({ prompt_tokens: 1_000, completion_tokens: 10, prompt_tokens_details: { cached_tokens: 900 } });
    const answer = await gateway.post('chat/completions', { model: 'plain', ...ask });
    expect(answer.headers['x-switchyard-cost']).toBe('0.00315');
    await gateway.balance();
    const [row] = (await gateway.usage(1)).slice(-1);
    expect(row).toMatchObject({ parts: null, price_components: null });
  });

  it('passes marks of caching on where writing is priced, and charges it', async () => {
    claudeAnswers({ input_tokens: 10, cache_creation_input_tokens: 1_000, cache_read_input_tokens: 0, output_tokens: 10 });
    const answer = await gateway.post('chat/completions', { model: 'claude', ...marked(mark) });
    expect(upstream.requests[0]!.body).toContain('cache_control');
    // 10 x 0.003 + 1,000 x 0.00375 + 10 x 0.015
    expect(answer.headers['x-switchyard-cost']).toBe('0.00393');
    expect(answer.headers).not.toHaveProperty('x-switchyard-dropped-parameters');
  });

  it('passes them on for an hour only where an hour is priced', async () => {
    const usage = {
      input_tokens: 10,
      cache_creation_input_tokens: 1_000,
      cache_creation: { ephemeral_1h_input_tokens: 1_000 },
      output_tokens: 10,
    };
    claudeAnswers(usage);
    const refused = await gateway.post('chat/completions', { model: 'claude', ...marked(lasting) });
    expect(refused.headers['x-switchyard-dropped-parameters']).toBe('cache_control');
    const taken = await gateway.post('chat/completions', { model: 'hourly', ...marked(lasting) });
    expect(taken.headers['x-switchyard-cost']).toBe('0.00618');
    expect(upstream.requests.map(({ body }) => body.includes('cache_control'))).toEqual([false, true]);
  });

  it.each([
    ['claude, which does not split', 'hourly', lasting, {}, '0.00618'],
    ['which splits in part', 'hourly', lasting, { cache_creation: { ephemeral_5m_input_tokens: 400 } }, '0.00528'],
    ['for 5 minutes', 'hourly', mark, {}, '0.00393'],
  ])('charges what was written as it was asked for, where the vendor does not say: %s', async (_what, model, asked, more, cost) => {
    claudeAnswers({ input_tokens: 10, cache_creation_input_tokens: 1_000, output_tokens: 10, ...more });
    const answer = await gateway.post('chat/completions', { model, ...marked(asked) });
    expect(answer.headers['x-switchyard-cost']).toBe(cost);
  });

  it('holds cache writes where they are asked for, and the tier that can be reached', async () => {
    upstream.replies({ ...json({}), ending: 'stall', body: '' });
    const held = (body: object) => gateway.heldFor({ max_tokens: 100, ...body });
    const [unmarked, written] = [await held({ model: 'claude', ...marked({}) }), await held({ model: 'claude', ...marked(mark) })];
    expect(unmarked).toBeLessThan(written);
    const output = 100n * 15_000n;
    // A mark has some bytes too, which are held as tokens.
    expect(Number(written - output) / Number(unmarked - output)).toBeGreaterThan(1.25);
    expect(Number(written - output) / Number(unmarked - output)).toBeLessThan(1.35);
    const long = await held({ model: 'm', messages: [{ role: 'user', content: 'x'.repeat(250_000) }] });
    expect(long).toBeGreaterThan(250_000n * 7_500n);
  });

  it('asks the offer that will cost least, as its answers tell what it has in its cache', async () => {
    answers({ prompt_tokens: 1_000, completion_tokens: 10, prompt_tokens_details: { cached_tokens: 900 } });
    const body = { model: 'shared', messages: [{ role: 'user', content: 'x'.repeat(4_000) }] };
    const costAt = async (model: string) => (await gateway.post('chat/completions', { ...body, model })).headers['x-switchyard-cost'];
    const [cold, warm] = ['0.00215', '0.00054'];
    expect(await costAt('cold/shared')).toBe(cold);
    expect(await costAt('shared')).toBe(cold);
    expect(await costAt('warm/shared')).toBe(warm);
    expect(await costAt('shared')).toBe(warm);
  });

  it.each<[string, object, object, bigint]>([
    // 10 x 0.003 + 1,000 x 0.00375 + 1 x 0.015; the output is the gateway's count.
    ['wrote', { cache_creation_input_tokens: 1_000 }, { cache_write_5m: 1_000 }, 3_795_000n],
    ['read', { cache_read_input_tokens: 1_000 }, { cached_input: 1_000 }, 345_000n],
  ])('charges a client that leaves in the middle for what the provider %s', async (_what, cache, parts, amount) => {
    const event = (type: string, more: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
    const message = { type: 'message', role: 'assistant', content: [], usage: { input_tokens: 10, output_tokens: 1, ...cache } };
    upstream.replies({
      headers: { 'content-type': 'text/event-stream' },
      body:
        event('message_start', { message }) +
        event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }) +
        event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Hi' } }),
      ending: 'stall',
    });
    const customer = await gateway.newCustomer('1000');
    const controller = new AbortController();
    const body = { model: 'claude', ...marked(mark) };
    const stream = await gateway.stream('chat/completions', body, { key: customer.liveKey, signal: controller.signal });
    await stream.next();
    controller.abort();
    const [row] = await gateway.usage(1, customer);
    expect(row).toMatchObject({ outcome: 'client_left', estimated: 1n, amount });
    expect(JSON.parse(row!.parts!)).toEqual(parts);
  });

  it('explains a charge line by line', async () => {
    answers({ prompt_tokens: 1_000, completion_tokens: 10, prompt_tokens_details: { cached_tokens: 900 } });
    const answer = await gateway.post('chat/completions', { model: 'm', ...ask });
    const histories = new RequestHistories(gateway.running.app.get(Database));
    const id = answer.headers['x-request-id']!;
    await until(async () => (await histories.find(id))?.lines !== undefined, 'the lines of the charge');
    const { lines, saved, charged } = (await histories.find(id))!;
    expect(lines).toEqual([
      { name: 'prompt', count: 100n, rate: 3_000_000n },
      { name: 'completion', count: 10n, rate: 15_000_000n },
      { name: 'cached_input', count: 900, rate: 300_000n },
    ]);
    expect(lines!.reduce((sum, { count, rate }) => sum + BigInt(count) * rate, 0n)).toBe(charged! * 1_000n);
    expect(saved).toBe(900n * 2_700_000n);
  });

  const counts = { prompt_tokens: 293, completion_tokens: 58, total_tokens: 351 };
  const cached = { cached_tokens: 293 };
  const input = [{ role: 'user', content: 'Hello' }];

  it.each([
    ['chat/completions', ask, { ...counts, prompt_tokens_details: cached }],
    ['completions', { prompt: 'Hello' }, { ...counts, prompt_tokens_details: cached }],
    ['responses', { input }, { input_tokens: 293, input_tokens_details: cached, output_tokens: 58, total_tokens: 351 }],
    ['messages', { messages: input, max_tokens: 99 }, { input_tokens: 0, cache_read_input_tokens: 293, output_tokens: 58 }],
  ])('reads counts that contradict each other in one way, and marks the record: %s', async (path, asked, read) => {
    const choice = { index: 0, text: 'Hi', message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' };
    upstream.replies(json({ choices: [choice], usage: { ...counts, prompt_tokens_details: { cached_tokens: 387 } } }));
    const answer = await gateway.post(path, { model: 'm', ...asked }).expect(200);
    expect(answer.body.usage).toMatchObject(read);
    expect(answer.body.usage).not.toHaveProperty('contradictory');
    // 293 x 0.0003 + 58 x 0.015
    expect(answer.headers['x-switchyard-cost']).toBe('0.0009579');
    const histories = new RequestHistories(gateway.running.app.get(Database));
    const id = answer.headers['x-request-id']!;
    await until(async () => (await histories.find(id))?.status === 200n, 'the record');
    expect(requestView((await histories.find(id))!).contradictory).toBe(true);
  });
});
