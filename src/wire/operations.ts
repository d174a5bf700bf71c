/**
 * What places that serve every operation must know of each: keys' rules, records, traces, the description of the API
 * and the dashboard. Its folder has the rest.
 */
export interface OperationEntry {
  readonly path: `/v1/${string}`;
  /** What people call it, as a title. */
  readonly title: string;
  /** Its name in the GenAI semantic conventions. */
  readonly convention: 'chat' | 'text_completion' | 'embeddings';
  /** What stands before the id of a request in the id of its answer. Absent: the answer has none. */
  readonly idPrefix?: string;
}

/** The operations that generate, as records, keys' rules and idempotency keys name them, in the order of reading. */
export const operations = {
  chat: { path: '/v1/chat/completions', title: 'Chat completions', convention: 'chat', idPrefix: 'chatcmpl-' },
  messages: { path: '/v1/messages', title: 'Messages', convention: 'chat', idPrefix: 'msg_' },
  responses: { path: '/v1/responses', title: 'Responses', convention: 'chat', idPrefix: 'resp_' },
  completion: { path: '/v1/completions', title: 'Completions', convention: 'text_completion', idPrefix: 'cmpl-' },
  embeddings: { path: '/v1/embeddings', title: 'Embeddings', convention: 'embeddings' },
} as const satisfies Record<string, OperationEntry>;

export type OperationName = keyof typeof operations;

/** What a key can be restricted to. */
export const keyOperations = [...(Object.keys(operations) as OperationName[]), 'models'] as const;

export type KeyOperation = (typeof keyOperations)[number];
