import { JsonText } from '../../json/json-text.js';
import { sourceBytesOfMembers } from '../../json/json-source.js';
import type { InferenceRequest } from '../../wire/generation.js';
import { LargeBody } from '../transport/large-body.js';

/** Bytes of a client's body from which on the JSON that is made of it is made piece by piece. */
export const IN_PIECES = 1024 * 1024;

/**
 * The JSON of a request body in another format than the client's.
 * @param request what the body was made of. Neither may change until the body has been sent.
 */
export function translatedJson(body: object, request: InferenceRequest): string | LargeBody {
  return isLarge(request) ? new LargeBody(new JsonText(body)) : JSON.stringify(body);
}

function isLarge(request: InferenceRequest): boolean {
  return sourceBytesOfMembers(request) + (request.extra ? sourceBytesOfMembers(request.extra) : 0) >= IN_PIECES;
}
