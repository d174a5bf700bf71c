/**
 * Makes the id of a call that has none, as those of old servers: the same for the same call of the same
 * request, so that a replayed response is equal, and of at most 40 characters, which all compatible providers accept.
 */
export function generatedId(requestId: string, index: number): string {
  return `call_ol${requestId.replaceAll('-', '').slice(-20)}_${index}`;
}
