import { verifyLedger } from '../src/billing/verify-ledger.js';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../src/cli/testing/run-command.js';
import { Database } from '../src/database/database.js';
import { RequestHistories } from '../src/observability/request-history.js';
import { said } from '../src/wire/testing/said.js';
import { Gateway } from './support/gateway.js';
import { jsonReply } from './support/openai-bytes.js';
import { useUpstream } from './support/started.js';
import { until } from './support/until.js';
import { expectError } from './support/wire-schemas.js';

const base = { prompt: '0.001', completion: '0.01', cached_input: '0.0001' };
const service_tiers = {
  flex: { prompt: '0.0005', completion: '0.005', cached_input: '0.00005' },
  priority: { prompt: '0.002', completion: '0.02', cached_input: '0.0002' },
};
const facts = { context_length: 100_000, max_tokens: 1_000 };
const ask = { messages: [said.user('Hello')] };
const json = (body: object) => jsonReply(body);
const usage = { prompt_tokens: 1_000, completion_tokens: 10, prompt_tokens_details: { cached_tokens: 900 } };
const choice = { index: 0, message: said.assistant('Hi'), finish_reason: 'stop' };

/** `HH:MM` in UTC, so many minutes from now. */
const clock = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString().slice(11, 16);
const dear = { prompt: '0.003', completion: '0.03' };

describe('Prices at service tiers and hours', () => {
  let gateway: Gateway;
  let strict: Gateway;
  let settings: Parameters<typeof Gateway.start>[0];

  const upstream = useUpstream();
  beforeAll(async () => {
    const base_url = `${upstream.origin}/v1`;
    const { origin } = upstream;
    settings = {
      providers: {
        vendor: {
          base_url,
          models: {
            m: { ...facts, pricing: { ...base, service_tiers } },
            several: { ...facts, pricing: { ...base, service_tiers }, parameters: ['temperature'] },
            plain: { ...facts, pricing: base },
            busy: { ...facts, pricing: { ...base, hours: [{ from: clock(-60), to: clock(60), ...dear }] } },
            quiet: { ...facts, pricing: { ...base, hours: [{ from: clock(60), to: clock(120), ...dear }] } },
          },
        },
        named: { base_url, extra_parameters: ['service_tier'], models: { named: { ...facts, pricing: base } } },
        claude: {
          type: 'anthropic',
          base_url: origin,
          api_key: 'key',
          models: { claude: { ...facts, pricing: { ...base, service_tiers } } },
        },
        google: { type: 'gemini', base_url: origin, api_key: 'key', models: { gemini: { ...facts, pricing: { ...base, service_tiers } } } },
      },
    };
    [gateway, strict] = await Promise.all([
      Gateway.start(settings, '1000'),
      Gateway.start({ ...settings, routing: { strict_parameters: true } }, '1000'),
    ]);
  });
  beforeEach(() => (upstream.requests.length = 0));
  afterEach(async () => {
    await gateway.balance();
    expect((await verifyLedger(gateway.running.app.get(Database))).findings).toEqual([]);
  });
  afterAll(() => Promise.all([gateway.close(), strict.close()]));

  const answers = (service_tier?: string | null) => upstream.replies(json({ choices: [choice], usage, service_tier }));
  const costOf = async (body: object) => {
    const answer = await gateway.post('chat/completions', { ...ask, ...body });
    expect(answer.status).toBe(200);
    return answer.headers['x-switchyard-cost'];
  };
  const sent = () => JSON.parse(upstream.requests.at(-1)!.body) as Record<string, unknown>;

  // 100 x prompt + 900 x cached_input + 10 x completion
  const [standard, flex, priority] = ['0.00029', '0.000145', '0.00058'];

  it.each<[string | undefined, string | null | undefined, string]>([
    ['flex', 'flex', flex],
    ['flex', 'default', standard],
    ['flex', undefined, standard],
    ['flex', null, standard],
    ['priority', 'priority', priority],
    ['priority', 'default', standard],
    ['priority', undefined, priority],
    ['auto', 'flex', flex],
    ['auto', undefined, priority],
    ['default', undefined, standard],
    ['default', 'default', standard],
    [undefined, 'priority', priority],
    [undefined, undefined, standard],
    ['flex', 'never-heard-of', standard],
  ])('asked for %s, answered at %s: %s', async (asked, reported, cost) => {
    answers(reported);
    expect(await costOf({ model: 'm', ...(asked && { service_tier: asked }) })).toBe(cost);
    expect(sent()['service_tier']).toBe(asked);
  });

  it('charges a stream at the tier that its chunks report, and tells the client', async () => {
    const chunk = (delta: object, finish_reason: string | null, more = {}) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }], service_tier: 'flex', ...more })}\n\n`;
    upstream.replies({
      headers: { 'content-type': 'text/event-stream' },
      body: `${chunk(said.assistant('Hi'), null)}${chunk({}, 'stop')}${chunk({}, null, { choices: [], usage })}data: [DONE]\n\n`,
    });
    const before = await gateway.balance();
    const stream = await gateway.stream('chat/completions', {
      model: 'm',
      ...ask,
      service_tier: 'flex',
      stream_options: { include_usage: true },
    });
    expect(await stream.text()).toContain('"service_tier":"flex"');
    expect(before - (await gateway.balance())).toBe(145_000n);
  });

  it('charges a client that leaves in the middle at the tier that the first chunk has reported', async () => {
    const left = async (service_tier: string) => {
      const chunk = { choices: [{ index: 0, delta: said.assistant('Hi'), finish_reason: null }], service_tier };
      upstream.replies({ headers: { 'content-type': 'text/event-stream' }, body: `data: ${JSON.stringify(chunk)}\n\n`, ending: 'stall' });
      const customer = await gateway.newCustomer('1000');
      const controller = new AbortController();
      const body = { ...ask, model: 'm', service_tier: 'flex' };
      const stream = await gateway.stream('chat/completions', body, { key: customer.liveKey, signal: controller.signal });
      await stream.next();
      controller.abort();
      return (await gateway.usage(1, customer))[0]!.amount;
    };
    expect(await left('default')).toBe(2n * (await left('flex')));
  });

  it('charges each of several calls at its own tier', async () => {
    let calls = 0;
    upstream.replies(() => json({ choices: [choice], usage, service_tier: calls++ === 0 ? 'flex' : 'default' }));
    // 0.000145 + 0.00029
    expect(await costOf({ model: 'several', n: 2, service_tier: 'flex' })).toBe('0.000435');
  });

  it.each(['plain', 'named'])('passes no tier on that has no price: %s', async (model) => {
    answers();
    const answer = await gateway.post('chat/completions', { ...ask, model, service_tier: 'priority' });
    expect(answer.headers['x-switchyard-dropped-parameters']).toBe('service_tier');
    expect(sent()).not.toHaveProperty('service_tier');
    expectError(await strict.post('chat/completions', { ...ask, model, service_tier: 'priority' }), 400, 'unsupported_parameter');
  });

  it.each(['Priority', ['priority'], { tier: 'priority' }, 'fast'])('nor one that is spelt in another way: %j', async (service_tier) => {
    answers();
    expect(await costOf({ model: 'm', service_tier })).toBe(standard);
    expect(sent()).not.toHaveProperty('service_tier');
  });

  it.each([
    ['priority', 'auto', 'priority', priority],
    ['priority', 'auto', 'standard', standard],
    ['default', 'standard_only', 'standard', standard],
  ])('asks Anthropic in its words: %s', async (asked, word, reported, cost) => {
    const counts = { input_tokens: 100, cache_read_input_tokens: 900, output_tokens: 10, service_tier: reported };
    upstream.replies(json({ type: 'message', role: 'assistant', content: [said.text('Hi')], stop_reason: 'end_turn', usage: counts }));
    expect(await costOf({ model: 'claude', service_tier: asked })).toBe(cost);
    expect(sent()['service_tier']).toBe(word);
  });

  it.each([
    ['flex', { serviceTier: 'flex' }, flex],
    ['flex', { serviceTier: 'standard' }, standard],
    ['priority', { trafficType: 'ON_DEMAND_PRIORITY' }, priority],
    ['priority', { trafficType: 'ON_DEMAND' }, standard],
  ])('asks Google in its words: %s, %j', async (asked, reported, cost) => {
    const usageMetadata = { promptTokenCount: 1_000, cachedContentTokenCount: 900, candidatesTokenCount: 10, ...reported };
    upstream.replies(
      json({ candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }], usageMetadata }),
    );
    expect(await costOf({ model: 'gemini', service_tier: asked })).toBe(cost);
    expect(sent()['serviceTier']).toBe(asked);
  });

  it('holds the dearest of the tier that is asked for and of what the vendor may fall back to', async () => {
    upstream.replies({ ...json({}), ending: 'stall', body: '' });
    const held = (body: object) => gateway.heldFor({ ...ask, max_tokens: 1_000, ...body });
    const usual = await held({ model: 'm' });
    // The parameter is some bytes too, which are held as tokens.
    const times = async (body: object) => Math.floor((Number(await held(body)) / Number(usual)) * 10) / 10;
    expect(await times({ model: 'm', service_tier: 'flex' })).toBe(1);
    expect(await times({ model: 'm', service_tier: 'priority' })).toBe(2);
    expect(await times({ model: 'm', service_tier: 'auto' })).toBe(2);
    expect(await times({ model: 'busy' })).toBe(3);
    expect(await times({ model: 'quiet' })).toBe(1);
  });

  it('charges by the hour in which a request begins', async () => {
    answers();
    // 100 x 0.003 + 900 x 0.0001 + 10 x 0.03
    expect([await costOf({ model: 'busy' }), await costOf({ model: 'quiet' })]).toEqual(['0.00069', standard]);
  });

  it('tells tiers and hours in the catalogue, in the prices of a model, and in the lines of a charge', async () => {
    const { body } = await gateway.get('models?include_capabilities=true');
    const listed = (body as { data: { id: string; pricing: object; pricing_components: object }[] }).data;
    const find = (id: string) => listed.find((model) => model.id === id)!;
    expect(find('m').pricing).toMatchObject({ prompt: 0.001, completion: 0.01 });
    expect(find('m').pricing_components).toMatchObject({
      cached_input: 0.0001,
      service_tiers: { flex: { prompt: 0.0005, completion: 0.005, cached_input: 0.00005 }, priority: { prompt: 0.002 } },
    });
    expect(find('busy').pricing_components).toMatchObject({ hours: [{ from: expect.any(String), to: expect.any(String), prompt: 0.003 }] });

    answers('flex');
    const answer = await gateway.post('chat/completions', { ...ask, model: 'm', service_tier: 'flex' });
    const prices = await command('models', 'prices', 'm');
    expect(prices).toContain('service tier flex: prompt 0.0005, completion 0.005, cached_input 0.00005');
    expect(await command('models', 'prices', 'busy')).toMatch(/\d\d:\d\d-\d\d:\d\d UTC: prompt 0\.003, completion 0\.03/);
    const histories = new RequestHistories(gateway.running.app.get(Database));
    const id = answer.headers['x-request-id']!;
    await until(async () => (await histories.find(id))?.lines !== undefined, 'the lines of the charge');
    const shown = await command('requests', 'show', id);
    expect(shown).toMatch(/cached_input at flex +900 +0\.00005 +0\.000045/);
    expect(shown).toMatch(/completion at flex +10 +0\.005 +0\.00005/);
  });

  async function command(...args: string[]): Promise<string> {
    const file = join(gateway.running.config.store.data_dir, 'for-the-command-line.json');
    writeFileSync(file, JSON.stringify({ store: gateway.running.config.store }));
    return (await runCommand(...args, '--config', file)).out;
  }
});
