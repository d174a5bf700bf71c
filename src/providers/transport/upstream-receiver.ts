import type { IncomingHttpHeaders } from 'node:http';
import type { ProviderError } from '../provider-error.js';

export interface UpstreamHead {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/** Who reads an answer. Called from within the read of the connection that brought it. */
export interface UpstreamReceiver {
  /** It has more than it wants for now: the connection is paused. */
  readonly full: boolean;
  head(head: UpstreamHead): void;
  bytes(bytes: Buffer): void;
  end(): void;
  /** Nothing else comes. What came before may still be read, unless it was discarded. */
  fail(error: ProviderError): void;
  /** What came and was not read yet is not wanted any more. */
  discard(): void;
}
