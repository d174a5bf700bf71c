import type { IncomingHttpHeaders } from 'node:http';
import type { Flow } from '../model-provider.js';
import { ProviderError } from '../provider-error.js';
import { ERROR_BODY_TIME, MAX_BODY_BYTES } from './body-limits.js';
import { EventStreamParser, type ServerSentEvent } from './event-stream-parser.js';
import type { UpstreamHead } from './upstream-receiver.js';
import type { UpstreamExchange } from './upstream-exchange.js';
import type { PulledResponse } from './pulled-response.js';
import { retryAfterMs } from './retry-after.js';

/** A response whose head has arrived. Its body can be read once, by one of the methods. */
export class UpstreamResponse {
  readonly status: number;
  /** Lower case, without parameters; empty where the provider sends none. */
  readonly contentType: string;
  readonly retryAfterMs: number | undefined;
  readonly #exchange: UpstreamExchange;
  readonly #pulled: PulledResponse;

  constructor(exchange: UpstreamExchange, pulled: PulledResponse, { status, headers }: UpstreamHead) {
    this.#exchange = exchange;
    this.#pulled = pulled;
    this.status = status;
    this.contentType = contentTypeOf(headers);
    this.retryAfterMs = retryAfterMs(headers);
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
  async excerpt(limit: number): Promise<string> {
    const timer = setTimeout(() => this.#exchange.abandon(), ERROR_BODY_TIME);
    try {
      return (await this.#collect(limit)).text;
    } catch {
      return '';
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * The events of the body, those of one read together. While `flow` is paused, or nobody takes the events, the
   * connection is paused. Leaving the iteration before its end closes the connection.
   * @throws ProviderError
   */
  async *events(flow: Flow): AsyncGenerator<readonly ServerSentEvent[], void> {
    const parser = new EventStreamParser();
    const unsubscribe = flow.onChange((paused) => this.#exchange.hold(paused));
    this.#exchange.hold(flow.paused);
    try {
      for (let chunks = await this.#read(); chunks; chunks = await this.#read()) {
        for (const chunk of chunks) {
          const events = parser.push(chunk);
          if (events.length > 0) yield events;
        }
      }
      const last = parser.end();
      if (last.length > 0) yield last;
    } finally {
      unsubscribe();
      this.#exchange.abandon();
    }
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
    const collected: Buffer[] = [];
    let bytes = 0;
    for (let chunks = await this.#read(); chunks; chunks = await this.#read()) {
      for (const chunk of chunks) {
        collected.push(chunk);
        bytes += chunk.length;
      }
      if (bytes > limit) {
        this.#exchange.abandon();
        return { text: Buffer.concat(collected, limit).toString(), complete: false };
      }
    }
    return { text: Buffer.concat(collected, bytes).toString(), complete: true };
  }
}

/** Lower case, without parameters; empty where there is none. */
export function contentTypeOf(headers: IncomingHttpHeaders): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();
}
