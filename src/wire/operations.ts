/**
 * What places that serve every operation must know of each: keys' rules, records, traces, the description of the API
 * and the dashboard. Its folder has the rest.
 */
export interface OperationEntry {
  readonly path: `/v1/${string}`;
  /** What people call it. The names of its controllers have the first word. */
  readonly title: string;
  /** What it is for, in a sentence. */
  readonly about: string;
  /** What a model must be able to do that answers it. */
  readonly needs: string;
  /** Its name in the GenAI semantic conventions. */
  readonly convention: 'chat' | 'text_completion' | 'embeddings' | 'rerank';
  /** What stands before the id of a request in the id of its answer. Absent: the answer has none. */
  readonly idPrefix?: string;
  /** What client libraries call it. */
  readonly operationId: string;
  /** The JSON of an event where the answer is streamed: a type of the wire, and the file that declares it. */
  readonly event?: readonly [type: string, file: string];
  /** The body of an error, where that is not the gateway's own: a type of the wire, and the file that declares it. */
  readonly error?: readonly [type: string, file: string];
  /** Bodies of requests that are answered, by what they show. */
  readonly examples: Readonly<Record<string, object>>;
}

/** The operations that generate, as records, keys' rules and idempotency keys name them, in the order of reading. */
export const operations = {
  chat: {
    path: '/v1/chat/completions',
    title: 'Chat completions',
    about: 'Replies to conversations.',
    needs: 'chat',
    convention: 'chat',
    idPrefix: 'chatcmpl-',
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
  messages: {
    path: '/v1/messages',
    title: 'Messages',
    about: 'The format of Anthropic, by any model.',
    needs: 'chat',
    convention: 'chat',
    idPrefix: 'msg_',
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
  responses: {
    path: '/v1/responses',
    title: 'Responses',
    about: 'OpenAI’s format of items, by any model.',
    needs: 'chat',
    convention: 'chat',
    idPrefix: 'resp_',
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
  completion: {
    path: '/v1/completions',
    title: 'Completions',
    about: 'The legacy prompt format.',
    needs: 'completion',
    convention: 'text_completion',
    idPrefix: 'cmpl-',
    operationId: 'createCompletion',
    event: ['Completion', 'wire/completion.ts'],
    examples: {
      'A prompt': { model: 'sandbox-text', prompt: 'Once upon a time', max_tokens: 20 },
      'Several choices': { model: 'sandbox-text', prompt: ['One', 'Two'], n: 2, max_tokens: 10 },
      'A stream': { model: 'sandbox-text', prompt: 'Once upon a time', stream: true },
    },
  },
  embeddings: {
    path: '/v1/embeddings',
    title: 'Embeddings',
    about: 'Texts as lists of numbers.',
    needs: 'embeddings',
    convention: 'embeddings',
    operationId: 'createEmbedding',
    examples: {
      'A text': { model: 'sandbox-embedding', input: 'How do I bake bread?' },
      'Several texts': { model: 'sandbox-embedding', input: ['rain in April', 'a train to Brno'], dimensions: 64 },
      'As base64': { model: 'sandbox-embedding', input: 'How do I bake bread?', encoding_format: 'base64' },
    },
  },
  rerank: {
    path: '/v1/rerank',
    title: 'Rerank',
    about: 'Texts by their relevance to a query.',
    needs: 'rerank',
    convention: 'rerank',
    idPrefix: 'rerank-',
    operationId: 'createRerank',
    examples: {
      'Three documents': {
        model: 'sandbox-rerank',
        query: 'How do I bake bread?',
        documents: ['A train to Brno', 'Bread is baked for an hour', 'Rain in April'],
        top_n: 2,
        return_documents: true,
      },
    },
  },
} as const satisfies Record<string, OperationEntry>;

export type OperationName = keyof typeof operations;

/** What a key can be restricted to. */
export const keyOperations = [...(Object.keys(operations) as OperationName[]), 'models'] as const;

export type KeyOperation = (typeof keyOperations)[number];
