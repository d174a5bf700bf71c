/**
 * The beginning of the ids that we make. They have at most 40 characters, the longest that OpenAI-compatible providers
 * accept, should one of them answer the next turn.
 */
const prefix = 'call_gm';

/**
 * Makes the id of a call, which is the same for the same call of the same request, so that a replayed response is
 * equal.
 */
export function generatedId(requestId: string, choice: number, index: number): string {
  return `${prefix}${requestId.replaceAll('-', '').slice(-20)}_${choice}_${index}`;
}

export function isGeneratedId(id: string): boolean {
  return id.startsWith(prefix);
}
