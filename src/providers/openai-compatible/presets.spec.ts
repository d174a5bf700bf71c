import { configSchema, providerSchema } from '../../config/config.schema.js';
import { ConfigService } from '../../config/config.service.js';
import type { ChatGenerationRequest, CompletionGenerationRequest, GenerationRequest } from '../../wire/generation.js';
import { ModelFactsService } from '../model-facts/model-facts.service.js';
import type { ProviderModel } from '../contract/model-provider.js';
import { ChatCompletionsProtocol } from '../protocols/chat-completions/chat-completions.protocol.js';
import { testCall } from '../testing/call.js';
import { collect, readAll } from '../testing/collect.js';
import { LoopbackUpstream } from '../testing/loopback-upstream.js';
import { vendor } from '../testing/strict-vendors/strict-vendors.js';
import type { ProviderServices } from '../kit/provider-services.js';
import { HttpTransport } from '../transport/http-transport.js';
import { OpenAICompatibleFactory } from './openai-compatible.factory.js';
import type { OpenAICompatibleProvider } from './openai-compatible.provider.js';
import type { ListedModel } from './model-list.js';
import { goesOn } from '../contract/extra-parameters.js';
import { presets } from './presets.js';

const chat: ChatGenerationRequest = {
  operation: 'chat',
  model: 'm',
  stream: true,
  n: 1,
  messages: [{ role: 'user', content: 'Ahoj' }],
  max_tokens: 7,
};

describe('presets', () => {
  const transport = new HttpTransport();
  const upstream = LoopbackUpstream.during(() => transport.onApplicationShutdown());
  const facts = new ModelFactsService(new ConfigService(configSchema.parse({})));
  const factory = new OpenAICompatibleFactory(new ChatCompletionsProtocol(transport), transport, facts);

  const provider = (type: string, more: object = {}) =>
    factory.create(
      type,
      providerSchema.parse({ type, base_url: upstream.origin, api_key: 'sk-preset', ...more }),
      {} as ProviderServices,
    ) as OpenAICompatibleProvider;

  /** What the vendor would have been sent. */
  const sent = async (type: string, request: GenerationRequest) => {
    const choice = request.operation === 'chat' ? { delta: { role: 'assistant', content: 'Čau' } } : { text: 'Čau' };
    const body = `data: ${JSON.stringify({ choices: [{ index: 0, ...choice, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`;
    upstream.replies({ headers: { 'content-type': 'text/event-stream' }, body });
    // Servers that do not chat have no rules of it.
    upstream.accepts = vendor(['jina', 'tei'].includes(type) ? 'own-server' : type);
    const answer = collect(await readAll(provider(type).generate(request, testCall())));
    expect(answer.choices[0]?.text).toBe('Čau');
    const { path, headers, body: text } = upstream.requests[0]!;
    return { path, headers, body: JSON.parse(text) as Record<string, unknown> };
  };

  const models = async (type: string, list: object[], more: object = {}): Promise<readonly ProviderModel[]> => {
    upstream.replies({ headers: { 'content-type': 'application/json' }, body: JSON.stringify({ data: list }) });
    return provider(type, more).models(new AbortController().signal);
  };

  const parameters = async (type: string, id: string) => (await models(type, [], { models: { [id]: {} } }))[0]!.parameters;

  it.each([
    ['openai', 3],
    ['openai-compatible', 9],
  ])('say which of several usages of an answer holds: %s', async (type, prompt) => {
    const choice = { index: 0, delta: { role: 'assistant', content: 'Čau' }, finish_reason: 'stop' };
    const events = [9, 3].map((prompt_tokens) => ({ choices: [choice], usage: { prompt_tokens, completion_tokens: 1 } }));
    const body = `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`;
    upstream.replies({ headers: { 'content-type': 'text/event-stream' }, body });
    const answer = collect(await readAll(provider(type).generate(chat, testCall())));
    expect(answer.usage?.prompt_tokens).toBe(prompt);
  });

  it('have types, names and addresses of their own', () => {
    for (const field of ['type', 'name'] as const) expect(new Set(presets.map((preset) => preset[field])).size).toBe(presets.length);
    for (const { type, baseUrl, path, environment } of presets) {
      expect(type).toMatch(/^[a-z]+$/);
      if (baseUrl && path) expect(new URL(baseUrl).pathname).toBe(path);
      expect(environment?.apiKey ?? environment?.address).toMatch(/^[A-Z_]+$/);
      expect(baseUrl ?? environment?.address).toBeDefined();
    }
  });

  it.each(presets.map(({ type, path = '' }) => [type, path] as const))('%s is asked below its path, with its key', async (type, path) => {
    const { path: asked, headers, body } = await sent(type, chat);
    expect(asked).toBe(`${path}/chat/completions`);
    const [name, value] = type === 'azure' ? ['api-key', 'sk-preset'] : ['authorization', 'Bearer sk-preset'];
    expect(headers[name]).toBe(value);
    expect(body).toMatchObject({ model: 'upstream-model', messages: chat.messages, stream: true });
    expect(body['max_tokens'] ?? body['max_completion_tokens']).toBe(7);
  });

  it('leave an address with a path as it is', async () => {
    upstream.replies({ status: 500 });
    const custom = provider('groq', { base_url: `${upstream.origin}/proxy/groq` });
    await readAll(custom.generate(chat, testCall())).catch(() => undefined);
    expect(upstream.requests[0]?.path).toBe('/proxy/groq/chat/completions');
  });

  describe('say it in the vendor’s words', () => {
    const back: ChatGenerationRequest = {
      ...chat,
      messages: [{ role: 'user', content: 'Ahoj' }, { role: 'assistant', content: 'Čau', reasoning_content: 'Hm' }, ...chat.messages],
    };

    it.each(['openai', 'azure'])('%s: the newer name of max_tokens, where it chats', async (type) => {
      expect((await sent(type, chat)).body).toMatchObject({ max_completion_tokens: 7 });
      const completion: CompletionGenerationRequest = {
        operation: 'completion',
        model: 'm',
        stream: true,
        n: 1,
        prompt: 'Ahoj',
        max_tokens: 7,
      };
      expect((await sent(type, completion)).body).toMatchObject({ max_tokens: 7, prompt: 'Ahoj' });
    });

    it('mistral: random_seed, no stream_options', async () => {
      const { body } = await sent('mistral', { ...chat, seed: 3 });
      expect(body).toMatchObject({ random_seed: 3, max_tokens: 7 });
      expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['seed']));
      expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['stream_options']));
    });

    it.each([
      ['mistral', {}],
      ['groq', { reasoning: 'Hm' }],
      ['cerebras', { reasoning: 'Hm' }],
      ['xai', { reasoning_content: 'Hm' }],
      ['deepseek', { reasoning_content: 'Hm' }],
    ] as const)('%s: the name of reasoning that it reads', async (type, reasoning) => {
      expect((await sent(type, back)).body['messages']).toEqual([
        back.messages[0],
        { role: 'assistant', content: 'Čau', ...reasoning },
        ...chat.messages,
      ]);
    });
  });

  describe('know what is not taken', () => {
    it.each([
      ['openai', 'gpt-4o', ['temperature', 'logprobs', 'stop', 'n', 'verbosity'], ['*', 'reasoning_effort', 'store', 'service_tier']],
      ['openai', 'gpt-5-chat-latest', ['temperature', 'logprobs'], ['reasoning_effort']],
      ['mistral', 'mistral-large-latest', ['seed', 'n', 'safe_prompt'], ['*', 'user', 'logprobs']],
      ['groq', 'llama', ['tools', 'reasoning_format'], ['*', 'service_tier', 'n', 'logit_bias', 'top_logprobs']],
      ['together', 'm', ['n', 'top_k'], ['*', 'logprobs', 'suffix', 'echo']],
      ['fireworks', 'm', ['echo', 'logprobs', 'top_k'], ['*', 'suffix']],
      ['deepseek', 'm', ['logprobs', 'thinking'], ['*', 'n', 'seed']],
      ['xai', 'grok-4.6', ['reasoning_effort', 'n'], ['stop', 'presence_penalty', 'logprobs']],
      ['xai', 'grok-4-1-fast-non-reasoning', ['stop', 'presence_penalty', 'logprobs'], ['reasoning_effort']],
      ['cerebras', 'm', ['logprobs', 'reasoning_format'], ['n', 'presence_penalty', '*']],
      ['perplexity', 'sonar', ['response_format', 'search_domain_filter'], ['*', 'web_search_options', 'tools', 'stop', 'n', 'seed']],
      ['vllm', 'm', ['echo', 'n', 'logprobs', 'guided_json'], ['*', 'chat_template', 'suffix']],
      ['llamacpp', 'm', ['logprobs', 'grammar'], ['*', 'n', 'echo', 'suffix']],
      ['lmstudio', 'm', ['seed', 'logit_bias'], ['n', 'logprobs']],
    ])('%s, %s', async (type, id, taken, refused) => {
      const known = await parameters(type, id);
      // Nothing on the list of a preset changes the price of a request or what it reaches.
      for (const { extras } of presets) for (const name of extras) expect([name, goesOn(name, new Set(['*']))]).toEqual([name, true]);
      expect(known).toEqual(expect.arrayContaining(taken));
      for (const name of refused) expect(known).not.toContain(name);
    });
  });

  const sampling = ['temperature', 'top_p', 'logprobs', 'top_logprobs'];
  const penalties = ['presence_penalty', 'frequency_penalty', 'logit_bias'];
  it.each(
    ['openai', 'azure'].flatMap((type) =>
      (
        [
          [['o1', 'o3-mini', 'o3-mini-2025-01-31'], ['stop']],
          [['o3', 'o4-mini', 'gpt-5', 'gpt-5-mini-2025-08-07'], []],
          [['gpt-5.1', 'gpt-5.2-2025-12-11'], sampling],
          [
            ['gpt-5.4', 'gpt-5.4-mini', 'gpt-5.5', 'gpt-5.10', 'gpt-6-sol', 'gpt-12'],
            [...sampling, ...penalties, 'stop'],
          ],
        ] as const
      ).flatMap(([names, taken]) => names.map((name) => [type, name, taken] as const)),
    ),
  )('%s, %s: all goes on that the vendor is not known to refuse', async (type, model, taken) => {
    const known = await parameters(type, model);
    expect([...sampling, ...penalties, 'stop'].filter((name) => known.includes(name)).toSorted()).toEqual([...taken].toSorted());
    expect(known).toContain('reasoning_effort');
  });

  it.each(presets.map(({ type }) => type))('%s says what an image costs at most', async (type) => {
    const [model] = await models(type, [], { models: { m: {} } });
    expect(model!.inputCeilings?.image).toBeGreaterThan(1_000);
  });

  it.each([
    ['gpt-4o', 1_445],
    ['gpt-4o-mini-2024-07-18', 48_169],
    ['gpt-5-mini', 3_779],
    ['gpt-5-chat-latest', 1_445],
    ['gpt-6-sol', 24_600],
  ])('openai: an image costs %s at most %d tokens', async (id, tokens) => {
    expect((await models('openai', [], { models: { [id]: {} } }))[0]!.inputCeilings).toMatchObject({ image: tokens });
  });

  describe('read the vendor’s list', () => {
    it.each<[string, ListedModel, object]>([
      ['openai', { id: 'gpt-3.5-turbo-instruct' }, { capabilities: { chat: false, completion: true, function_calling: false } }],
      ['openai', { id: 'gpt-4o' }, { capabilities: { chat: true, completion: false } }],
      [
        'mistral',
        { id: 'm', max_context_length: 9_000, capabilities: { completion_chat: true, function_calling: false, vision: true } },
        { contextLength: 9_000, capabilities: { chat: true, completion: false, function_calling: false, vision: true } },
      ],
      ['groq', { id: 'm', context_window: 131_072, max_completion_tokens: 32_768 }, { contextLength: 131_072, maxTokens: 32_768 }],
      [
        'together',
        { id: 'm', type: 'chat', context_length: 131_072, pricing: { hourly: 0, input: 0.88, output: 0.9, base: 0, finetune: 0 } },
        { price: { prompt: '0.00088', completion: '0.0009' }, capabilities: { chat: true, completion: true } },
      ],
      ['together', { id: 'm', type: 'language' }, { capabilities: { chat: false, completion: true } }],
      [
        'fireworks',
        { id: 'm', supports_chat: true, supports_image_input: true, supports_tools: false, context_length: 4_096 },
        { contextLength: 4_096, capabilities: { vision: true, function_calling: false, completion: true } },
      ],
      [
        'openrouter',
        {
          id: 'v/m',
          context_length: 200_000,
          architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] },
          pricing: { prompt: '0.0000008', completion: '0.000004', request: '0' },
          top_provider: { max_completion_tokens: 8_192 },
          supported_parameters: ['tools', 'temperature', 'web_search_options', 'plugins', '*'],
        },
        {
          price: { prompt: '0.0008', completion: '0.004' },
          contextLength: 200_000,
          maxTokens: 8_192,
          parameters: expect.arrayContaining(['tools', 'temperature', 'top_k']) as string[],
          capabilities: { vision: true, function_calling: true, json_mode: false },
        },
      ],
      ['openrouter', { id: 'openrouter/auto', pricing: { prompt: '-1', completion: '-1' } }, { price: undefined }],
      [
        'openrouter',
        {
          id: 'v/search',
          pricing: {
            prompt: '0.000003',
            completion: '0.000015',
            request: '0.005',
            image: '0',
            web_search: '0.01',
            internal_reasoning: '0',
            input_cache_read: '0.0000003',
            input_cache_write: '0.00000375',
          },
        },
        {
          price: {
            prompt: '0.003',
            completion: '0.015',
            cached_input: '0.0003',
            cache_write_5m: '0.00375',
            request: '5',
            search: '10',
          },
        },
      ],
      [
        'huggingface',
        {
          id: 'v/m',
          architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] },
          providers: [
            { provider: 'a', status: 'live', context_length: 131_072, pricing: { input: 0.1, output: 0.5 }, supports_tools: true },
            { provider: 'b', status: 'live', context_length: 65_536, pricing: { input: 0.2, output: 0.4 }, supports_tools: true },
            { provider: 'c', status: 'error', context_length: 1, supports_tools: false },
          ],
        },
        {
          contextLength: 65_536,
          price: { prompt: '0.0002', completion: '0.0005' },
          capabilities: { vision: true, function_calling: true, json_mode: false },
        },
      ],
      [
        'huggingface',
        { id: 'v/m', providers: [{ status: 'live', pricing: { input: 1, output: 1 } }, { status: 'live' }] },
        { price: undefined },
      ],
    ])('%s: %j', async (type, listed, expected) => {
      const [model] = await models(type, [listed]);
      expect(model).toMatchObject(expected);
    });

    it.each([
      [
        'openai',
        ['gpt-4o', 'gpt-5-pro', 'gpt-5.2-codex', 'o3-deep-research', 'gpt-audio', 'gpt-image-2', 'tts-1', 'gpt-6-luna'],
        ['gpt-4o', 'gpt-6-luna'],
      ],
      ['groq', ['llama-3.3-70b-versatile', 'meta-llama/llama-guard-4-12b', 'whisper-large-v3'], ['llama-3.3-70b-versatile']],
      ['xai', ['grok-4.6', 'grok-imagine-image'], ['grok-4.6']],
      ['nvidia', ['meta/llama-3.3-70b-instruct', 'nvidia/nv-embed-v1', 'nvidia/llama-guard-4'], ['meta/llama-3.3-70b-instruct']],
    ])('%s: without what neither chats nor completes', async (type, ids, kept) => {
      const offered = await models(
        type,
        ids.map((id) => ({ id })),
      );
      expect(offered.map(({ id }) => id)).toEqual(kept);
    });

    it.each([
      ['azure', []],
      ['perplexity', ['sonar', 'sonar-pro', 'sonar-reasoning-pro', 'sonar-deep-research']],
    ])('%s has none, and is not asked for it', async (type, names) => {
      expect((await models(type, [{ id: 'never' }])).map(({ id }) => id)).toEqual(names);
      expect(await models(type, [{ id: 'never' }], { models: { mine: {} } })).toMatchObject([{ id: 'mine' }]);
      expect(upstream.requests).toHaveLength(0);
    });
  });
});
