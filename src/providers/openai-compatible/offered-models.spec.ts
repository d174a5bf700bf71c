import { type ProviderConfig, providerSchema } from '../../config/config.schema.js';
import { templateRules } from '../model-facts/template-rules.js';
import { OfferedModels } from './offered-models.js';
import type { ListedModel } from './model-list.js';
import { parsePrice, samePrice } from '../../common/prices/credits.js';
import { factsOf } from './model-facts.js';

const listedModels = (list: readonly ListedModel[], config: ProviderConfig) => new OfferedModels(config).listed(list);
const entry = (more: object = {}) => providerSchema.parse({ base_url: 'http://127.0.0.1:1/v1', ...more });
const [plain] = listedModels([{ id: 'm' }], entry());

describe('listed models', () => {
  it('fills in documented defaults where a server gives nothing but ids', () => {
    expect(plain).toEqual({
      id: 'm',
      upstreamModel: 'm',
      created: 0,
      contextLength: 32_768,
      maxTokens: 32_768,
      capabilities: { chat: true, completion: false, function_calling: true, vision: false, embeddings: false, json_mode: true },
      parameters: expect.arrayContaining(['temperature', 'tools', 'response_format', 'top_k', 'guided_json']) as string[],
      inputCeilings: {},
      accountIds: false,
      ownHost: '127.0.0.1:1',
      internalMedia: false,
      cacheMarks: true,
      tokenIdPrompts: true,
      ownPrice: false,
      hiddenReasoning: 'asked',
      rules: templateRules('m'),
    });
    expect(plain?.parameters).not.toContain('suffix');
    expect(plain?.parameters).not.toContain('echo');
  });

  it('loses nothing of another gateway of our kind', () => {
    const ours: ListedModel = {
      id: 'm',
      object: 'model',
      created: 1_700_000_000,
      owned_by: 'sandbox',
      provider: { id: 'sandbox', name: 'Sandbox' },
      pricing: { prompt: 0.0005, completion: 0.0015, unit: '1k_tokens' },
      context_length: 4_096,
      max_tokens: 1_024,
      capabilities: {
        chat: false,
        completion: true,
        function_calling: false,
        vision: false,
        embeddings: false,
        json_mode: false,
        supported_parameters: ['suffix', 'echo', 'logprobs'],
        input_modalities: ['text'],
        output_modalities: ['text'],
      },
      performance: { avg_response_time: 1, avg_tokens_per_second: 2, uptime_percentage: 100 },
      status: { active: false, message: 'asleep' },
    };
    expect(listedModels([ours], entry())).toEqual([
      {
        ...plain,
        created: 1_700_000_000,
        price: { prompt: 0.0005, completion: 0.0015 },
        contextLength: 4_096,
        maxTokens: 1_024,
        capabilities: { chat: false, completion: true, function_calling: false, vision: false, embeddings: false, json_mode: false },
        parameters: ['suffix', 'echo', 'logprobs'],
        inputModalities: ['text'],
        outputModalities: ['text'],
        status: { active: false, message: 'asleep' },
      },
    ]);
  });

  it.each([
    ['vLLM', { id: 'm', owned_by: 'vllm', max_model_len: 4_096 }, { contextLength: 4_096, maxTokens: 4_096, completion: true }],
    [
      'llama.cpp',
      { id: 'm', owned_by: 'llamacpp', meta: { n_ctx_train: 8_192 } },
      { contextLength: 8_192, maxTokens: 8_192, completion: true },
    ],
    ['Groq', { id: 'm', context_window: 131_072, max_completion_tokens: 65_536 }, { contextLength: 131_072, maxTokens: 65_536 }],
    [
      'Mistral',
      { id: 'm', max_context_length: 9_000, capabilities: { completion_chat: true, vision: true } },
      { contextLength: 9_000, vision: true },
    ],
    [
      'OpenRouter',
      { id: 'm', context_length: 200, top_provider: { max_completion_tokens: 500 }, pricing: { prompt: '0.1' } },
      { contextLength: 200, maxTokens: 200, price: undefined },
    ],
    ['an embedding model', { id: 'text-embedding-3' }, { chat: false, embeddings: true }],
    ['nonsense', { id: 'm', context_length: -5, max_tokens: 'x', created: 1.5, capabilities: [], status: 'ok' }, { contextLength: 32_768 }],
  ])('understands %s', (_name, listed, expected) => {
    const [model] = listedModels([listed], entry());
    expect({ ...model, ...model?.capabilities }).toMatchObject(expected);
  });

  it('leaves out models that neither produce a text nor score one', () => {
    const ids = ['gpt-x', 'whisper-1', 'tts-1-hd', 'dall-e-3', 'omni-moderation-latest', 'vendor/rerank-2', 'statistics'];
    expect(
      listedModels(
        ids.map((id) => ({ id })),
        entry(),
      ).map(({ id }) => id),
    ).toEqual(['gpt-x', 'vendor/rerank-2', 'statistics']);
  });

  it('puts the prefix before each id and serves for nothing where told so', () => {
    expect(listedModels([{ id: 'm' }], entry({ prefix: 'local/', free: true }))[0]).toMatchObject({
      id: 'local/m',
      upstreamModel: 'm',
      price: { prompt: 0, completion: 0 },
    });
  });
});

describe('the configured models', () => {
  it('offers what is configured and nothing else, completed by the list', () => {
    const config = entry({
      prefix: 'p/',
      models: {
        fast: {
          upstream_model: 'fast-2026',
          created: 1_700_000_000,
          pricing: { prompt: '0.1', completion: 0.2 },
          capabilities: { vision: true },
          parameters: ['seed'],
          active: false,
        },
        plain: {},
      },
    });
    const list = [
      { id: 'fast-2026', context_length: 1_000, max_tokens: 100, pricing: { prompt: 9, completion: 9, unit: '1k_tokens' } },
      { id: 'other' },
    ];
    const models = new OfferedModels(config).configured(config.models ?? {}, list);
    expect(models).toHaveLength(2);
    expect(models[0]).toMatchObject({
      id: 'p/fast',
      upstreamModel: 'fast-2026',
      created: 1_700_000_000,
      price: { prompt: '0.1', completion: 0.2 },
      contextLength: 1_000,
      maxTokens: 100,
      capabilities: { chat: true, vision: true },
      parameters: ['seed'],
      status: { active: false },
    });
    expect(models[1]).toEqual({ ...plain, id: 'p/plain', upstreamModel: 'plain' });
  });
});

describe('the price in our own list', () => {
  const pricing = { prompt: 0.001, completion: 0.002, unit: '1k_tokens' };
  const level = { prompt: 0.0005, completion: 0.001, cached_input: 0.00005 };
  const components = {
    cached_input: 0.0001,
    search: 10,
    tiers: [{ above: 1_000, prompt: 0.002, completion: 0.004 }],
    service_tiers: { flex: { ...level, tiers: [] }, priority: { ...level, prompt: 0.003 } },
    hours: [{ from: '01:00', to: '04:00', days: ['mon'], ...level, tiers: [{ above: 1_000, prompt: 0.003, completion: 0.001 }] }],
  };
  const read = (told: object) => factsOf({ id: 'm', pricing, pricing_components: told }).price!;

  it('is read whole, with its service tiers and hours', () => {
    const { service_tiers: services, ...rest } = components;
    const given = { ...pricing, ...rest, service_tiers: { ...services, priority: { ...services.priority, tiers: [] } } };
    const { unit: _unit, ...quote } = { ...given, hours: given.hours.map((hours) => ({ ...hours, days: ['mon' as const] })) };
    expect(samePrice(parsePrice(read(components)), parsePrice(quote))).toBe(true);
  });

  it.each([
    { service_tiers: { 'Not A Name': level, auto: level } },
    { service_tiers: [] },
    { service_tiers: { flex: 'cheap' } },
    { hours: [{ from: '25:00', to: '04:00', ...level }] },
    { hours: [{ from: 1, to: 4, ...level }] },
    { hours: 'always' },
  ])('leaves out what is none: %j', (told) => {
    expect(samePrice(parsePrice(read(told)), parsePrice({ prompt: 0.001, completion: 0.002 }))).toBe(true);
  });
});
