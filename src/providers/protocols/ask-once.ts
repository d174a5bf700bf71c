import type { JsonObject } from '../../wire/json-object.js';
import type { ProviderCall } from '../contract/model-provider.js';
import { ProviderError } from '../contract/provider-error.js';
import type { HttpTransport } from '../transport/http-transport.js';
import type { UpstreamHead } from '../transport/upstream-receiver.js';
import type { UpstreamRequest } from '../transport/upstream-request.js';
import type { ResponseDecoder } from './response-decoder.js';
import { ResponseReader } from './response-reader.js';
import type { UpstreamFailure } from './upstream-error.js';

/** How a vendor answers a call over inputs, which is never streamed. */
export interface OnceWire<Answer> {
  /** The error of a response whose status is not 2xx. */
  readonly failed: (failure: UpstreamFailure) => ProviderError;
  /** What a client must read from the body. What it throws that is no ProviderError becomes bad_response. */
  readonly read: (body: JsonObject, headers: UpstreamHead['headers']) => Answer;
}

/**
 * Sends a call over inputs and reads its answer, within the limits of every answer.
 * @throws ProviderError (rejects); soon after `call.signal` aborts, too
 */
export function askOnce<Answer>(
  transport: HttpTransport,
  request: UpstreamRequest,
  call: ProviderCall,
  secrets: readonly string[],
  wire: OnceWire<Answer>,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const decoder = new OnceDecoder(wire);
  const observer = { next: () => undefined, error: reject, complete: () => resolve(decoder.answer!) };
  const reader = new ResponseReader({ call, streamed: false, secrets }, decoder, observer);
  const onAbort = (): void => {
    reader.cancel();
    reject(new ProviderError('unreachable', 'The request was given up'));
  };
  const { signal } = call;
  if (signal.aborted) onAbort();
  else {
    signal.addEventListener('abort', onAbort, { once: true });
    reader.send(transport, request);
  }
  return promise.finally(() => signal.removeEventListener('abort', onAbort));
}

/** Such an answer is no chunk of a text: it is kept until the response has ended. */
class OnceDecoder<Answer> implements ResponseDecoder {
  readonly ended = false;
  answer: Answer | undefined;

  constructor(private readonly wire: OnceWire<Answer>) {}

  refused(failure: UpstreamFailure): ProviderError {
    return this.wire.failed(failure);
  }

  whole(body: JsonObject, headers: UpstreamHead['headers']): { choices: [] } {
    this.answer = this.wire.read(body, headers);
    return { choices: [] };
  }

  event(): never {
    throw new ProviderError('bad_response', 'The provider answered with a stream of events');
  }

  run(_bytes: unknown, position: number): number {
    return position;
  }

  end(): never {
    return this.event();
  }
}
