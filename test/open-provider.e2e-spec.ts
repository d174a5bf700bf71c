import { parseCredits } from '../src/common/prices/credits.js';
import type { ModelList } from '../src/wire/model.js';
import { Gateway } from './support/gateway.js';
import { chatReply } from './support/openai-bytes.js';
import { useGateway, useUpstream } from './support/started.js';
import { expectError } from './support/wire-schemas.js';

const terms = { context_length: 8_192, max_tokens: 1_024 };

describe('A provider that is open to any name', () => {
  const upstream = useUpstream();
  const gateway = useGateway(() => {
    const base_url = `${upstream.origin}/v1`;
    const listed = { listed: { context_length: 10, max_tokens: 10, pricing: { prompt: 1, completion: 1 } } };
    return Gateway.start({
      providers: {
        far: { base_url, open: { ...terms, pricing: { prompt: '0.001', completion: '0.002' } }, models: listed },
        unpriced: { base_url, open: terms, models: {} },
        free: { base_url, free: true, open: terms, models: {} },
        closed: { base_url, models: {} },
        claude: { type: 'anthropic', base_url: upstream.origin, open: { ...terms, pricing: { prompt: 1, completion: 1 } }, models: {} },
        gemini: { type: 'gemini', base_url: upstream.origin, open: { ...terms, pricing: { prompt: 1, completion: 1 } }, models: {} },
      },
      models: { 'far/vendor/special': { pricing: { prompt: '0.01', completion: '0.01' } } },
      routing: { aliases: { fast: 'far/vendor/quick:1' } },
    });
  });

  beforeEach(() => upstream.replies(chatReply('Čau', { prompt_tokens: 20, completion_tokens: 500, total_tokens: 520 })));

  const ask = (model: string, more: object = {}) =>
    gateway.post('chat/completions', { model, messages: [{ role: 'user', content: 'Ahoj' }], ...more });

  it('passes a name on that nobody listed, at the configured price', async () => {
    const before = await gateway.balance();
    const answer = await ask('far/vendor/model-7b:beta').expect(200);
    expect(answer.body).toMatchObject({ model: 'far/vendor/model-7b:beta', choices: [{ message: { content: 'Čau' } }] });
    expect(answer.headers['x-switchyard-served-by']).toBe('far/vendor/model-7b:beta');
    expect(JSON.parse(upstream.requests[0]?.body ?? '')).toMatchObject({ model: 'vendor/model-7b:beta' });
    expect(before - (await gateway.balance())).toBe(parseCredits('0.00102'));
  });

  it.each(['@cf/meta/llama-3.1-8b-instruct', '~anthropic/claude-sonnet-latest'])(
    'passes on what vendors name a model: %s',
    async (name) => {
      await ask(`far/${name}`).expect(200);
      expect(JSON.parse(upstream.requests.at(-1)!.body)).toMatchObject({ model: name });
    },
  );

  it('counts all names that clients make up as one', async () => {
    for (const name of ['one', 'two', 'three']) await ask(`free/made-up-${name}`).expect(200);
    const page = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(page).toMatch(/switchyard_requests_total\{operation="chat",model="free\/\*",status="200",environment="live"\} 3\n/);
    expect(page).not.toContain('made-up');
  });

  it('overrides a name by configuration like any other model', async () => {
    const before = await gateway.balance();
    await ask('far/vendor/special').expect(200);
    expect(before - (await gateway.balance())).toBe(parseCredits('0.0052'));
  });

  it('prefers the listed model of that name', async () => {
    expectError(await ask('far/listed', { max_tokens: 11 }), 400, 'invalid_request');
    expectError(await ask('far/other', { max_tokens: 1_025 }), 400, 'invalid_request');
    await ask('far/other', { max_tokens: 1_024 }).expect(200);
  });

  it('serves for nothing only where it is said, and not at all without a price', async () => {
    const before = await gateway.balance();
    await ask('free/anything').expect(200);
    expect(before - (await gateway.balance())).toBe(0n);
    expectError(await ask('unpriced/anything'), 503, 'service_unavailable');
  });

  it('can be named by an alias', async () => {
    const answer = await ask('fast').expect(200);
    expect(answer.headers['x-switchyard-served-by']).toBe('far/vendor/quick:1');
  });

  it.each(['closed/anything', 'nobody/anything', 'far/', 'far/ two words', 'far/käse', `far/${'x'.repeat(201)}`])(
    'knows no %j',
    async (model) => expectError(await ask(model), 404, 'model_not_found'),
  );

  it.each(['claude/claude-next', 'gemini/gemini-next'])('speaks every protocol: %s', async (model) => {
    await ask(model);
    const { path, body } = upstream.requests[0]!;
    expect(path + body).toContain(model.split('/')[1]);
    if (model.startsWith('claude')) expect(JSON.parse(body)).toMatchObject({ max_tokens: 1_024 });
  });

  it('keeps nothing of the names, in the catalogue or in its figures', async () => {
    for (let i = 0; i < 20; i++) await ask(`far/made-up-${i}`).expect(200);
    const list = (await gateway.get('models?active_only=false')).body as ModelList;
    expect(list.data.some(({ id }) => id.includes('made-up'))).toBe(false);
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(metrics).toContain('switchyard_circuit_state{offer="far/*"}');
    expect(metrics).not.toContain('offer="far/made-up');
  });
});
