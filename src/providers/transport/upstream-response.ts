import type { IncomingHttpHeaders } from 'node:http';
import { GatheredBytes } from '../../common/collections/gathered-bytes.js';
import type { Flow } from '../contract/model-provider.js';
import { ProviderError } from '../contract/provider-error.js';
import { ERROR_BODY_TIME, MAX_BODY_BYTES, MAX_ERROR_BYTES } from './body-limits.js';
import { EventStreamParser, type ServerSentEvent } from './event-stream-parser.js';
import type { UpstreamHead } from './upstream-receiver.js';
import type { UpstreamExchange } from './upstream-exchange.js';
import type { PulledResponse } from './pulled-response.js';
import { retryAfterMs } from './retry-after.js';

/** What a response says whose status means a failure, and what no error may show. */
export interface Refusal {
  readonly status: number;
  readonly retryAfterMs: number | undefined;
  readonly headers: IncomingHttpHeaders;
  /** The text of the body, which may be JSON, as far as it has come in time. */
  readonly body: string;
  readonly secrets: readonly string[];
}

/** A response whose head has arrived. Its body can be read once, by one of the methods. */
export class UpstreamResponse {
  readonly status: number;
  /** By names in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** Lower case, without parameters; empty where the provider sends none. */
  readonly contentType: string;
  readonly retryAfterMs: number | undefined;
  readonly #exchange: UpstreamExchange;
  readonly #pulled: PulledResponse;

  constructor(exchange: UpstreamExchange, pulled: PulledResponse, { status, headers }: UpstreamHead) {
    this.#exchange = exchange;
    this.#pulled = pulled;
    this.status = status;
    this.headers = headers;
    this.contentType = contentTypeOf(headers);
    this.retryAfterMs = retryAfterMs(headers, exchange.clock.now());
  }

  /** The whole body. @throws ProviderError bad_response beyond `limit` bytes. */
  async text(limit = MAX_BODY_BYTES): Promise<string> {
    const { text, complete } = await this.#collect(limit);
    if (!complete) throw new ProviderError('bad_response', `The provider's answer exceeds ${limit} bytes`, { status: this.status });
    return text;
  }

  /**
   * The first `limit` bytes of the body of an error response. Empty when the body does not come in time or breaks off.
   */
  async excerpt(limit = MAX_ERROR_BYTES): Promise<string> {
    const timer = this.#exchange.clock.setTimeout(() => this.#exchange.abandon(), ERROR_BODY_TIME);
    try {
      return (await this.#collect(limit)).text;
    } catch {
      return '';
    } finally {
      this.#exchange.clock.clear(timer);
    }
  }

  /** What `upstreamError` and its like make an error of. Reads the body. */
  async refusal(secrets: readonly string[]): Promise<Refusal> {
    const { status, headers } = this;
    return { status, retryAfterMs: this.retryAfterMs, headers, body: await this.excerpt(), secrets };
  }

  /**
   * The bytes of the body, as the connection is read. While `flow` is paused, or nobody takes them, the connection is
   * paused. Leaving the iteration before its end closes the connection.
   * @throws ProviderError
   */
  async *bytes(flow: Flow): AsyncGenerator<Buffer, void> {
    const unsubscribe = flow.onChange((paused) => this.#exchange.hold(paused));
    this.#exchange.hold(flow.paused);
    try {
      for (let chunks = await this.#read(); chunks; chunks = await this.#read()) {
        yield* chunks;
      }
    } finally {
      unsubscribe();
      this.#exchange.abandon();
    }
  }

  /**
   * The events of a body of server-sent events, those of one read together; otherwise as `bytes`.
   * @throws ProviderError
   */
  async *events(flow: Flow): AsyncGenerator<readonly ServerSentEvent[], void> {
    const parser = new EventStreamParser();
    for await (const chunk of this.bytes(flow)) {
      const events = parser.push(chunk);
      if (events.length > 0) yield events;
    }
    const last = parser.end();
    if (last.length > 0) yield last;
  }

  /** The reader needs nothing more of the body, and the connection may be used again. */
  release(): void {
    this.#exchange.release();
  }

  async #read(): Promise<readonly Buffer[] | undefined> {
    const chunks = await this.#pulled.read();
    this.#exchange.flow();
    return chunks;
  }

  async #collect(limit: number): Promise<{ text: string; complete: boolean }> {
    const collected = new GatheredBytes();
    for (let chunks = await this.#read(); chunks; chunks = await this.#read()) {
      for (const chunk of chunks) collected.add(chunk);
      if (collected.length > limit) {
        this.#exchange.abandon();
        return { text: Buffer.concat(collected.end(), limit).toString(), complete: false };
      }
    }
    return { text: Buffer.concat(collected.end()).toString(), complete: true };
  }
}

/** Lower case, without parameters; empty where there is none. */
export function contentTypeOf(headers: IncomingHttpHeaders): string {
  const type = headers['content-type'] ?? '';
  const end = type.indexOf(';');
  return (end < 0 ? type : type.slice(0, end)).trim().toLowerCase();
}
