/** The forms of a provider's name in its files. */
export interface ProviderNames {
  /** `acme-llm`, for its type, folder and files. */
  readonly id: string;
  /** `AcmeLlm`, for its classes. */
  readonly pascal: string;
  /** `acmeLlm`, for its constants. */
  readonly camel: string;
  /** `Acme Llm`, for people. */
  readonly title: string;
  /** `ACME_LLM`, for its environment variables. */
  readonly upper: string;
}

/** The files that every provider has, by path. Their imports are those of a folder outside the gateway. */
export function providerFiles(names: ProviderNames): Record<string, string> {
  const { id } = names;
  return {
    [`${id}.type.ts`]: typeFile(names),
    [`${id}.models.ts`]: modelsFile(names),
    [`${id}.provider.ts`]: providerFile(names),
    [`${id}.provider.spec.ts`]: specFile(names),
    '__fixtures__/text.json': textJson,
    '__fixtures__/text.sse': textStream,
    '__fixtures__/tools.json': toolsJson,
    '__fixtures__/tools.sse': toolsStream,
  };
}

const typeFile = ({
  id,
  camel,
  title,
  upper,
}: ProviderNames) => `import type { ProviderType } from '@switchyard-gateway/switchyard/provider';

/** What an entry of the configuration may leave out, and the environment variable that switches the provider on. */
export const ${camel}Type: ProviderType = {
  type: '${id}',
  name: '${title}',
  baseUrl: 'https://api.${id}.example/v1',
  environment: { apiKey: '${upper}_API_KEY' },
};
`;

const modelsFile = ({ id, camel }: ProviderNames) => `import { type KnownModel, spokenBy } from '@switchyard-gateway/switchyard/provider';

/** What is assumed of a model that the operator names and this file does not know. */
export const otherModel: KnownModel = {
  created: 0,
  contextLength: 32_768,
  maxTokens: 8_192,
  capabilities: { chat: true, completion: false, function_calling: true, vision: false, embeddings: false, json_mode: true },
  parameters: [...spokenBy('chat-completions').filter((name) => name !== 'suffix' && name !== 'echo'), 'top_k'],
};

/** Models by the vendor's own names. Prices are credits per 1,000 tokens; a model without one is shown as inactive. */
export const ${camel}Models: Readonly<Record<string, KnownModel>> = {
  '${id}-large': {
    ...otherModel,
    created: 1_790_000_000,
    price: { prompt: '0.002', completion: '0.008' },
    contextLength: 131_072,
    maxTokens: 16_384,
  },
};
`;

const providerFile = ({ id, pascal, camel, title }: ProviderNames) => `import {
  configuredEndpoint,
  type Endpoint,
  type GenerationChunk,
  type GenerationRequest,
  ModelProvider,
  offeredModel,
  offeredModels,
  probeList,
  type ProviderCall,
  type ProviderConfig,
  type ProviderModel,
  type ProviderServices,
  upstreamError,
} from '@switchyard-gateway/switchyard/provider';
import { ${camel}Models, otherModel } from './${id}.models.ts';
import { ${camel}Type } from './${id}.type.ts';

/** ${title}, as an entry of the configuration describes it. */
export class ${pascal}Provider extends ModelProvider {
  readonly id: string;
  readonly name: string;
  readonly #config: ProviderConfig;
  readonly #services: ProviderServices;
  readonly #endpoint: Endpoint;

  constructor(id: string, config: ProviderConfig, services: ProviderServices) {
    super();
    this.id = id;
    this.name = config.name ?? ${camel}Type.name;
    this.#config = config;
    this.#services = services;
    this.#endpoint = configuredEndpoint(config, (key) => ({ authorization: 'Bearer ' + key }));
  }

  models(): readonly ProviderModel[] {
    return offeredModels(this.#config, ${camel}Models, otherModel);
  }

  generate(request: GenerationRequest, call: ProviderCall): AsyncIterable<GenerationChunk> {
    return this.#services.chatCompletions.generate(request, call, this.#endpoint);
  }

  override open(upstreamModel: string): ProviderModel | undefined {
    const { open } = this.#config;
    return open && offeredModel(upstreamModel, open, otherModel, this.#config);
  }

  override probe(signal: AbortSignal): Promise<void> {
    return probeList(this.#services.transport, this.#endpoint, { operation: 'models', query: 'limit=1', signal, failed: upstreamError });
  }
}
`;

const specFile = ({ id, pascal }: ProviderNames) => String.raw`import { readFileSync } from 'node:fs';
import { type ChatGenerationRequest, usageOf } from '@switchyard-gateway/switchyard/provider';
import { describeProvider } from '@switchyard-gateway/switchyard/provider/testing';
import { ${pascal}Provider } from './${id}.provider.ts';

const fixture = (name: string) => readFileSync(new URL('__fixtures__/' + name, import.meta.url));

const question: ChatGenerationRequest = {
  operation: 'chat',
  model: '${id}-large',
  stream: false,
  n: 1,
  messages: [{ role: 'user', content: 'Ahoj' }],
};

describeProvider({
  name: '${id}',
  create: ({ config, services }) => new ${pascal}Provider('${id}', config, services),
  errorBody: (_status, message) => JSON.stringify({ error: { message, type: 'some_error' } }),
  event: 'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"0123456789"},"finish_reason":null}]}\n\n',
  fixtures: [
    {
      name: 'text',
      request: question,
      whole: fixture('text.json'),
      stream: fixture('text.sse'),
      expect: { choices: [{ text: 'Ahoj, Žofia! 👋' }], usage: usageOf(9, 7) },
    },
    {
      name: 'tools',
      request: { ...question, tools: [{ type: 'function', function: { name: 'weather' } }] },
      whole: fixture('tools.json'),
      stream: fixture('tools.sse'),
      expect: {
        choices: [{ toolCalls: [{ id: 'call_1', name: 'weather', arguments: '{"city":"Žilina"}' }], finishReason: 'tool_calls' }],
        usage: usageOf(21, 8),
      },
    },
  ],
  failures: [
    {
      name: 'a full context',
      status: 400,
      body: '{"error":{"message":"This prompt is too long.","code":"context_length_exceeded"}}',
      kind: 'context_length_exceeded',
      message: /too long/,
    },
    {
      name: 'an error in the middle of a stream',
      streamed: true,
      body: 'data: {"choices":[{"index":0,"delta":{"content":"Ah"}}]}\n\ndata: {"error":{"message":"No room.","type":"overloaded"}}\n\n',
      kind: 'overloaded',
    },
  ],
});
`;

const textJson = `{"id":"a1","object":"chat.completion","created":1790000000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Ahoj, Žofia! 👋"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":7,"total_tokens":16}}
`;

const textStream = `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}

data: {"choices":[{"index":0,"delta":{"content":"Ahoj, Ž"},"finish_reason":null}]}

data: {"choices":[{"index":0,"delta":{"content":"ofia! 👋"},"finish_reason":null}]}

data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}

data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":7,"total_tokens":16}}

data: [DONE]

`;

const toolsJson = String.raw`{"id":"a2","object":"chat.completion","created":1790000000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Žilina\"}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":21,"completion_tokens":8,"total_tokens":29}}
`;

const toolsStream = String.raw`data: {"choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"weather","arguments":""}}]},"finish_reason":null}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"city\":"}}]},"finish_reason":null}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"Žilina\"}"}}]},"finish_reason":null}]}

data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

data: {"choices":[],"usage":{"prompt_tokens":21,"completion_tokens":8,"total_tokens":29}}

data: [DONE]

`;
