import type { ServerResponse } from 'node:http';
import type { ErrorBody } from '../wire/error.js';
import type { SocketFlow } from './socket-flow.js';

export interface EventStreamLimits {
  /** Milliseconds of silence after which a comment is sent. */
  readonly heartbeat: number;
  /** Milliseconds that a client may read nothing before it is cut off. */
  readonly stallTimeout: number;
  /** Bytes that may wait in memory for a client that is behind. */
  readonly maxBuffered: number;
}

/**
 * Writes one `text/event-stream` answer: `data: {json}`, a blank line, ..., `data: [DONE]` (specification, Endpoints).
 * Events of one tick leave in one write; none waits for a later tick. The head goes out with the first event and not before.
 */
export class EventStream {
  #pending = '';
  #flushing = false;
  #ended = false;
  #lastWrite = Date.now();

  constructor(
    private readonly response: ServerResponse,
    private readonly flow: SocketFlow,
    private readonly limits: EventStreamLimits,
    headers: Readonly<Record<string, string>>,
  ) {
    response.writeHead(200, {
      ...headers,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
    });
    response.on('drain', this.#onDrain);
  }

  /** @param payload JSON text without line breaks */
  event(payload: string): void {
    this.#append(`data: ${payload}\n\n`);
  }

  /** Ends a complete answer. */
  done(): void {
    this.#end('data: [DONE]\n\n');
  }

  /** Ends an answer that went wrong after its first event: no [DONE], so that it cannot look complete. */
  fail(error: ErrorBody): void {
    this.#end(`data: ${JSON.stringify(error)}\n\n`);
  }

  /** Called about once a second: heartbeat on silence, end of a client that does not read. */
  tick(now: number): void {
    if (this.#ended) return;
    const silence = now - this.#lastWrite;
    if (this.flow.paused) {
      if (silence >= this.limits.stallTimeout) this.response.destroy();
    } else if (silence >= this.limits.heartbeat) this.#append(': keep-alive\n\n');
  }

  #append(text: string): void {
    if (this.#ended) return;
    this.#pending += text;
    // A source that obeys the flow stops soon after the pause; one that does not must not grow our memory.
    if (this.flow.paused && this.response.writableLength + this.#pending.length > this.limits.maxBuffered) this.response.destroy();
    if (this.#flushing) return;
    this.#flushing = true;
    process.nextTick(this.#flush);
  }

  readonly #flush = (): void => {
    this.#flushing = false;
    if (!this.#pending || this.response.destroyed) return;
    const text = this.#pending;
    this.#pending = '';
    this.#lastWrite = Date.now();
    if (!this.response.write(text)) this.flow.pause();
  };

  readonly #onDrain = (): void => {
    this.#lastWrite = Date.now();
    this.flow.resume();
  };

  #end(text: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.response.end(this.#pending + text);
    this.#pending = '';
    this.flow.resume();
  }
}
