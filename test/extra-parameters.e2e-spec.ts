import { said } from '../src/wire/testing/said.js';
import { Gateway } from './support/gateway.js';
import { chatReply, jsonReply } from './support/openai-bytes.js';
import { useUpstream } from './support/started.js';
import { expectError } from './support/wire-schemas.js';

/** Parameters that change the price of a request or what it reaches, at one vendor or another. */
const priced: Readonly<Record<string, unknown>> = {
  models: ['dearer'],
  route: 'fallback',
  provider: { order: ['somebody'] },
  plugins: [{ id: 'web' }],
  service_tier: 'priority',
  prediction: { type: 'content', content: 'x' },
  store: true,
  background: true,
  cache_control: { type: 'ephemeral' },
  search_parameters: { mode: 'on' },
  chat_template: '{% for i in range(1000000) %}x{% endfor %}',
  extra_body: { google: { cached_content: 'cachedContents/of-somebody' } },
  max_new_tokens: 100_000,
  num_predict: 100_000,
};

/** Names that a server which ignores case takes for those of the wire format. */
const variants = {
  N: 5,
  Max_Tokens: 9_999,
  MODEL: 'dearer',
  Messages: [],
  Max_Completion_Tokens: 9_999,
  'max_to\u212Aens': 9_999,
  ſtream: true,
};

describe('Parameters beyond the wire format', () => {
  let gateway: Gateway;
  let strict: Gateway;

  const upstream = useUpstream();
  beforeAll(async () => {
    const base_url = `${upstream.origin}/v1`;
    const model = { pricing: { prompt: 1, completion: 1 }, max_tokens: 100, context_length: 10_000 };
    const settings = {
      providers: {
        plain: { base_url, models: { plain: model } },
        open: { base_url, models: { open: model }, extra_parameters: ['*'] },
        starred: { base_url, models: { starred: { ...model, parameters: ['temperature', '*'] } } },
        named: {
          base_url,
          models: { named: { ...model, pricing: { ...model.pricing, search: 1, service_tiers: { priority: { prompt: 2 } } } } },
          extra_parameters: [...Object.keys(priced), ...Object.keys(variants)],
        },
        free: { base_url, free: true, models: { free: { max_tokens: 100, context_length: 10_000 } }, extra_parameters: ['cache_control'] },
        vendor: { type: 'openai', base_url, free: true, models: { vendor: { max_tokens: 100, context_length: 10_000 } } },
        listed: { base_url, open: undefined },
      },
    };
    upstream.replies(({ path }) => (path.includes('models') ? jsonReply(list) : chatReply('Čau')));
    [gateway, strict] = await Promise.all([Gateway.start(settings), Gateway.start({ ...settings, routing: { strict_parameters: true } })]);
  });
  const list = {
    data: [
      {
        id: 'listed',
        context_length: 10_000,
        max_tokens: 100,
        pricing: { prompt: 1, completion: 1, unit: '1k_tokens' },
        supported_parameters: ['temperature', 'top_k', 'plugins', 'wish', '*'],
      },
    ],
  };

  afterAll(() => Promise.all([gateway.close(), strict.close()]));

  beforeEach(() => upstream.replies(chatReply('Čau')));

  const ask = (model: string, more: object, asked = gateway) =>
    asked.post('chat/completions', { model, messages: [said.user('Ahoj')], ...more });
  const sent = () => JSON.parse(upstream.requests[0]!.body) as Record<string, unknown>;
  const dropped = (response: { headers: Record<string, string> }) => response.headers['x-switchyard-dropped-parameters'];

  it.each(['plain', 'open', 'starred', 'listed'])('what changes price or reach stays here, named: %s', async (model) => {
    const response = await ask(model, priced);
    expect([response.status, dropped(response)]).toEqual([200, Object.keys(priced).join(', ')]);
    for (const name of Object.keys(priced)) expect(sent()).not.toHaveProperty(name);
    expectError(await ask(model, { service_tier: 'priority' }, strict), 400, 'unsupported_parameter');
  });

  it.each(['plain', 'open', 'starred', 'listed', 'named'])('variants of known names never go on: %s', async (model) => {
    const response = await ask(model, variants);
    expect(response.status).toBe(200);
    for (const name of Object.keys(variants)) expect(sent()).not.toHaveProperty([name]);
  });

  it('what nobody knows goes on where the operator lets all go on, and nowhere else', async () => {
    const wish = { wish: { a: [1] } };
    for (const model of ['open', 'starred']) {
      upstream.replies(chatReply('Čau'));
      expect(dropped(await ask(model, wish))).toBeUndefined();
      expect(sent()).toMatchObject(wish);
    }
    for (const model of ['plain', 'listed', 'named']) {
      upstream.replies(chatReply('Čau'));
      expect(dropped(await ask(model, wish))).toBe('wish');
      expect(sent()).not.toHaveProperty('wish');
    }
  });

  it('what the operator names goes on', async () => {
    const { cache_control, ...named } = priced;
    expect((await ask('named', { ...named, cache_control })).status).toBe(200);
    expect(sent()).toMatchObject(named);
  });

  it('neutral ones go on everywhere', async () => {
    const neutral = { top_k: 5, min_p: 0.1, guided_json: {}, chat_template_kwargs: { enable_thinking: false } };
    expect(dropped(await ask('plain', neutral))).toBeUndefined();
    expect(sent()).toMatchObject(neutral);
  });

  it('must not ask for more tokens than max_tokens allows', async () => {
    for (const min_tokens of [11, '11']) {
      const refused = await ask('plain', { max_tokens: 10, min_tokens });
      expect([refused.status, upstream.requests.length]).toEqual([400, 0]);
      expect(refused.body).toMatchObject({ error: { message: 'min_tokens must be at most max_tokens, which is 10' } });
    }
    expect((await ask('plain', { max_tokens: 10, min_tokens: 10 })).status).toBe(200);
  });

  describe('marks of caching', () => {
    const mark = { cache_control: { type: 'ephemeral' } };
    const marked = {
      ...mark,
      messages: [said.system([{ type: 'text', text: 'Be brief.', ...mark }]), { role: 'user', content: 'Ahoj', ...mark }],
      tools: [{ type: 'function', function: { name: 'look', ...mark }, ...mark }],
    };

    it('stay here where what they cost is not known, and where the vendor does not know them', async () => {
      for (const model of ['plain', 'open', 'named', 'vendor']) {
        upstream.replies(chatReply('Čau'));
        const response = await ask(model, marked);
        expect([response.status, dropped(response)]).toEqual([200, 'cache_control']);
        expect(upstream.requests[0]!.body).not.toContain('cache_control');
        expect(sent()).toMatchObject({
          messages: [said.system([said.text('Be brief.')]), said.user('Ahoj')],
          tools: [{ type: 'function', function: { name: 'look' } }],
        });
      }
    });

    it('go on to other servers where nothing costs anything', async () => {
      expect((await ask('free', marked)).status).toBe(200);
      expect(sent()).toMatchObject(marked);
    });
  });
});
