import { setImmediate as nextTurn } from 'node:timers/promises';
import { isProviderError, ProviderError } from '../contract/provider-error.js';
import { LargeBody } from './large-body.js';
import type { Sign, UpstreamRequest } from './upstream-request.js';

/** @throws ProviderError (rejects) */
export async function signed(request: UpstreamRequest, sign: Sign): Promise<UpstreamRequest> {
  const { method, origin, path, headers, signal } = request;
  const signable = {
    method,
    origin,
    path,
    headers,
    signal,
    // Who only adds a token needs no bytes.
    get body() {
      return partsOf(request.body);
    },
    pieces: () => piecesOf(request.body),
  };
  try {
    return { ...request, headers: await sign(signable) };
  } catch (error) {
    throw isProviderError(error) ? error : new ProviderError('authentication', 'The request could not be signed', { cause: error });
  }
}

function partsOf(body: UpstreamRequest['body']): readonly Uint8Array[] {
  if (body === undefined) return [];
  if (body instanceof LargeBody) return body.bytes();
  return [typeof body === 'string' ? Buffer.from(body) : body];
}

async function* piecesOf(body: UpstreamRequest['body']): AsyncGenerator<Uint8Array> {
  if (body instanceof LargeBody) {
    for await (const piece of body) {
      yield piece;
      await nextTurn();
    }
  } else yield* partsOf(body);
}
