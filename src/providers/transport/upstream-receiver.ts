import type { IncomingHttpHeaders } from 'node:http';
import type { ProviderError } from '../contract/provider-error.js';

export interface UpstreamHead {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/** Receives a response. Its methods are called from within the read of the connection. */
export interface UpstreamReceiver {
  /** True while the receiver wants no more data: the connection is then paused. */
  readonly full: boolean;
  head(head: UpstreamHead): void;
  bytes(bytes: Buffer): void;
  end(): void;
  /** Nothing else comes. Data that came before may still be read, unless it was discarded. */
  fail(error: ProviderError): void;
  /** Drops the data that has come and was not read yet. */
  discard(): void;
}
