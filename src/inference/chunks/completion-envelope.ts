/** The members of every completion, and of each of its events, that do not depend on the provider. */
export interface CompletionEnvelope {
  readonly id: string;
  /** Unix timestamp in seconds. */
  readonly created: number;
  /** The model as the client named it. */
  readonly model: string;
}

/** @param requestId UUIDv7 of the request, so that the id of the completion leads to its records */
export function completionEnvelope(prefix: 'chatcmpl' | 'cmpl', model: string, requestId: string): CompletionEnvelope {
  return { id: `${prefix}-${requestId}`, created: Math.floor(Date.now() / 1000), model };
}
