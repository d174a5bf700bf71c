import { strategies } from '../wire/routing-strategy.js';
import type { JsonSchema } from './json-schema.js';

/** What the code of an operation does not say of it. */
export interface OperationFacts {
  /** What client libraries call it. */
  readonly operationId?: string;
  /** The JSON of an event where the answer is streamed: a type of the wire, and the file that declares it. */
  readonly event?: readonly [type: string, file: string];
  /** The body of an error, where that is not the gateway's own: a type of the wire, and the file that declares it. */
  readonly error?: readonly [type: string, file: string];
  /** Of a successful answer, beside those of every answer. */
  readonly headers?: readonly string[];
  /** Providers may refuse it, so that errors have their headers. */
  readonly generates?: boolean;
  readonly requestHeaders?: readonly RequestHeader[];
  /** Bodies of requests that are answered, by what they show. */
  readonly examples?: Readonly<Record<string, object>>;
  /** Answered with 304 and no body where the client has this version. */
  readonly cached?: boolean;
}

interface RequestHeader {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonSchema;
}

const generationRequestHeaders: readonly RequestHeader[] = [
  { name: 'x-request-id', description: "The client's own id of the request, for its record.", schema: { type: 'string' } },
  {
    name: 'Idempotency-Key',
    description: 'Makes the request safe to repeat: it is charged once, and its repetitions get the same answer.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]*$' },
  },
  {
    name: 'x-switchyard-strategy',
    description: 'How the offer is chosen among those of the model.',
    schema: { type: 'string', enum: [...strategies] },
  },
  {
    name: 'x-switchyard-providers',
    description: 'Only offers of these providers: ids with commas between them.',
    schema: { type: 'string' },
  },
  { name: 'x-switchyard-without-providers', description: 'No offers of these providers.', schema: { type: 'string' } },
  {
    name: 'x-switchyard-max-price',
    description: 'No dearer offers: credits per 1,000 tokens, one number or `prompt/completion`.',
    schema: { type: 'string', pattern: '^[0-9]+(\\.[0-9]+)?(/[0-9]+(\\.[0-9]+)?)?$' },
  },
];

const cached: OperationFacts = { headers: ['etag', 'cache-control'], cached: true };
const setsCookie: OperationFacts = { headers: ['set-cookie', 'cache-control'] };
const redirects: OperationFacts = { headers: ['location', 'set-cookie', 'cache-control'] };
const generation: OperationFacts = {
  headers: [
    'x-switchyard-served-by',
    'x-switchyard-cost',
    'x-switchyard-dropped-parameters',
    'idempotent-replayed',
    'cache-control',
    'x-accel-buffering',
  ],
  generates: true,
  requestHeaders: generationRequestHeaders,
};

/** By the names of the controller and its method. What is not listed is documented from its code alone. */
export const operationFacts: Readonly<Record<string, OperationFacts>> = {
  'ModelsController.list': { operationId: 'listModels' },
  'ModelsController.get': { operationId: 'retrieveModel' },
  'ChatController.create': {
    ...generation,
    operationId: 'createChatCompletion',
    event: ['ChatCompletionChunk', 'wire/chat-completion.ts'],
    examples: {
      'A question': { model: 'sandbox-chat', messages: [{ role: 'user', content: 'Tell me about the weather.' }] },
      'A stream': {
        model: 'sandbox-chat',
        messages: [{ role: 'user', content: 'Count to three.' }],
        stream: true,
        stream_options: { include_usage: true },
      },
      'A function': {
        model: 'sandbox-chat',
        messages: [{ role: 'user', content: 'What is the weather in Prague?' }],
        tools: [
          { type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } } },
        ],
      },
      'JSON of a schema': {
        model: 'sandbox-chat',
        messages: [{ role: 'user', content: 'A city, please.' }],
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'city', schema: { type: 'object', properties: { name: { type: 'string' } } } },
        },
      },
    },
  },
  'CompletionsController.create': {
    ...generation,
    operationId: 'createCompletion',
    event: ['Completion', 'wire/completion.ts'],
    examples: {
      'A prompt': { model: 'sandbox-text', prompt: 'Once upon a time', max_tokens: 20 },
      'Several choices': { model: 'sandbox-text', prompt: ['One', 'Two'], n: 2, max_tokens: 10 },
      'A stream': { model: 'sandbox-text', prompt: 'Once upon a time', stream: true },
    },
  },
  'MessagesController.create': {
    ...generation,
    operationId: 'createMessage',
    event: ['MessageStreamEvent', 'wire/anthropic-message.ts'],
    error: ['MessagesErrorBody', 'wire/anthropic-message.ts'],
    examples: {
      'A question': { model: 'sandbox-chat', max_tokens: 200, messages: [{ role: 'user', content: 'Tell me about the weather.' }] },
      'A stream': { model: 'sandbox-chat', max_tokens: 200, messages: [{ role: 'user', content: 'Count to three.' }], stream: true },
      'A tool': {
        model: 'sandbox-chat',
        max_tokens: 200,
        messages: [{ role: 'user', content: 'What is the weather in Prague?' }],
        tools: [{ name: 'weather', input_schema: { type: 'object', properties: { city: { type: 'string' } } } }],
      },
    },
  },
  'MessagesController.count': {
    operationId: 'countMessageTokens',
    headers: ['x-switchyard-dropped-parameters'],
    error: ['MessagesErrorBody', 'wire/anthropic-message.ts'],
  },
  'StoredResponsesController.get': {
    operationId: 'retrieveResponse',
    event: ['ResponseEvent', 'wire/response.ts'],
    headers: ['cache-control', 'x-accel-buffering'],
  },
  'StoredResponsesController.delete': { operationId: 'deleteResponse' },
  'StoredResponsesController.cancel': { operationId: 'cancelResponse' },
  'StoredResponsesController.inputItems': { operationId: 'listInputItems' },
  'ResponsesController.create': {
    ...generation,
    operationId: 'createResponse',
    event: ['ResponseEvent', 'wire/response.ts'],
    examples: {
      'A question': { model: 'sandbox-chat', input: 'Tell me about the weather.' },
      'A stream': { model: 'sandbox-chat', instructions: 'Answer in one sentence.', input: 'Count to three.', stream: true },
      'A function': {
        model: 'sandbox-chat',
        input: [{ role: 'user', content: 'What is the weather in Prague?' }],
        tools: [{ type: 'function', name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } }],
      },
      'JSON of a schema': {
        model: 'sandbox-chat',
        input: 'A city, please.',
        text: { format: { type: 'json_schema', name: 'city', schema: { type: 'object', properties: { name: { type: 'string' } } } } },
      },
    },
  },
  'EmbeddingsController.create': {
    ...generation,
    operationId: 'createEmbedding',
    examples: {
      'A text': { model: 'sandbox-embedding', input: 'How do I bake bread?' },
      'Several texts': { model: 'sandbox-embedding', input: ['rain in April', 'a train to Brno'], dimensions: 64 },
      'As base64': { model: 'sandbox-embedding', input: 'How do I bake bread?', encoding_format: 'base64' },
    },
  },
  'SessionController.open': setsCookie,
  'SessionController.openByLink': setsCookie,
  'SessionController.close': setsCookie,
  'InvitationsController.accept': setsCookie,
  'OidcController.start': redirects,
  'OidcController.callback': redirects,
  'AboutController.about': { operationId: 'about' },
  'HealthController.live': { operationId: 'isLive' },
  'HealthController.ready': { operationId: 'isReady' },
  'OpenApiController.customers': { operationId: 'openApi', ...cached },
  'OpenApiController.administration': { operationId: 'openApi', ...cached },
  'DocsController.page': { operationId: 'docs', ...cached },
  'DocsController.script': { operationId: 'docsScript', ...cached },
  'DocsController.style': { operationId: 'docsStyle', ...cached },
  'MetricsController.read': { operationId: 'readMetrics' },
  'PlaygroundController.chat': { ...generation, event: ['ChatCompletionChunk', 'wire/chat-completion.ts'] },
  'PlaygroundController.completion': { ...generation, event: ['Completion', 'wire/completion.ts'] },
  'StatementsController.csv': { headers: ['content-disposition'] },
  'RequestExportsController.csv': { headers: ['x-switchyard-rows', 'content-disposition'] },
  'RequestExportsController.jsonLines': { headers: ['x-switchyard-rows', 'content-disposition'] },
};

/** The groups of operations, in the order in which they are read: a word, what it is about, and the controllers. */
export const groups: readonly (readonly [name: string, description: string, controllers: RegExp])[] = [
  ['Models', 'What can be asked, for how much, and how it does.', /^Models/],
  ['Chat', 'Replies to conversations.', /^Chat/],
  ['Messages', 'The format of Anthropic, by any model.', /^Messages/],
  ['Responses', 'OpenAI’s format of items, by any model.', /^(Stored)?Responses/],
  ['Completions', 'The legacy prompt format.', /^Completions/],
  ['Embeddings', 'Texts as lists of numbers.', /^Embeddings/],
  ['Gateway', 'What the gateway is and how it does. No key is needed.', /^(About|Health|Metrics|Reference|OpenApi|Docs)/],
];
