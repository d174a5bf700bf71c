import type { LargeBody } from './large-body.js';

/** Milliseconds. */
export interface Timeouts {
  /** Until the request can be sent: the wait for a free connection, DNS, TCP and TLS. */
  readonly connect: number;
  /** From then until the head of the response. */
  readonly first_byte: number;
  /** Between two reads of the body. The time for which the gateway pauses the connection does not count. */
  readonly idle: number;
  /** From start to end. */
  readonly total: number;
}

/** How an origin is reached. */
export interface Reach {
  /** Connect even to link-local and metadata addresses. */
  readonly allowLinkLocal?: boolean;
  /** Connect neither to this machine nor to private networks; link-local and metadata addresses are refused then. */
  readonly publicOnly?: boolean;
  /** URL of a proxy that opens a tunnel (CONNECT). */
  readonly proxy?: string;
}

/** A request as it is about to be sent. */
export interface SignableRequest {
  readonly method: string;
  /** Scheme, host and port. */
  readonly origin: string;
  /** With query, if any. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes of the body in their order; empty where there is none. */
  readonly body: readonly Uint8Array[];
  /**
   * The same bytes, of a large body a megabyte at a time, with other turns of the event loop in between. The memory of
   * a piece is gone when the next one is asked for.
   */
  readonly pieces: () => AsyncIterable<Uint8Array>;
  /** Aborts when nobody waits for the request any more. */
  readonly signal: AbortSignal | undefined;
}

/**
 * Gives the headers with which a request is to be sent, all of them: a signature, or a token that has to be fetched.
 * The time that it takes counts as part of the time to connect. What it throws that is no ProviderError becomes one of
 * the kind `authentication`.
 */
export type Sign = (request: SignableRequest) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;

export interface UpstreamRequest {
  readonly method: 'GET' | 'POST';
  /** Scheme, host and port. */
  readonly origin: string;
  /** With query, if any. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | LargeBody;
  readonly timeouts: Timeouts;
  /** Aborting closes the connection at once. */
  readonly signal?: AbortSignal;
  readonly reach?: Reach;
  /** Makes the headers when the request is about to be sent. */
  readonly sign?: Sign;
}
