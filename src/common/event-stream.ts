import type { ServerResponse } from 'node:http';
import type { ErrorBody } from '../wire/error.js';
import type { Placed } from './open-set.js';
import type { SocketFlow } from './socket-flow.js';

export interface EventStreamLimits {
  /** Milliseconds of silence after which a comment is sent. */
  readonly heartbeat: number;
  /** Milliseconds that a client may read nothing before it is cut off. */
  readonly stallTimeout: number;
  /** Bytes that may wait in memory for a client that is behind. */
  readonly maxBuffered: number;
}

/** What stands between the payloads of two events: several that are there at the same moment are handed over as one text. */
export const EVENT_BREAK = '\n\ndata: ';

/** Ends a chunk, and the body after it (RFC 9112, section 7.1). */
const LAST_FRAME = '\r\n0\r\n\r\n';

/** Characters from which on a text is written as bytes. */
const LARGE = 16 * 1024;

/**
 * Writes one `text/event-stream` answer: `data: {json}`, a blank line, ..., `data: [DONE]` (specification, Endpoints).
 * Events of one tick leave in one write; none waits for a later tick. The head goes out with the first event and not before.
 */
export class EventStream implements Placed {
  place = -1;
  #pending: string[] = [];
  #pendingLength = 0;
  readonly #framed: boolean;
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
    // A chunk framed here leaves in one piece; Node would write its length, its text and its line ends each for itself.
    this.#framed = response.chunkedEncoding;
    response.chunkedEncoding = false;
    response.on('drain', this.#onDrain);
  }

  /** @param payload JSON text without line breaks, or several of them with EVENT_BREAK between */
  event(payload: string): void {
    if (payload.length < LARGE) this.#append(`data: ${payload}\n\n`);
    else {
      this.#append('data: ');
      this.#append(payload);
      this.#append('\n\n');
    }
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
    this.#pending.push(text);
    this.#pendingLength += text.length;
    // A source that obeys the flow stops soon after the pause; one that does not must not grow our memory.
    if (this.flow.paused && this.response.writableLength + this.#pendingLength > this.limits.maxBuffered) this.response.destroy();
    if (this.#flushing) return;
    this.#flushing = true;
    process.nextTick(this.#flush);
  }

  readonly #flush = (): void => {
    this.#flushing = false;
    if (this.#pendingLength === 0 || this.response.destroyed) return;
    this.#lastWrite = Date.now();
    if (!this.response.write(this.#take())) this.flow.pause();
  };

  /** All that waits, as what is cheapest to write: Node sets three bytes aside for each character of a text. */
  #take(): string | Uint8Array {
    const text = this.#pending.length === 1 ? this.#pending[0]! : this.#pending.join('');
    this.#pending = [];
    this.#pendingLength = 0;
    const ending = !this.#framed ? '' : this.#ended ? LAST_FRAME : '\r\n';
    if (text.length >= LARGE) return encoded(text, this.#framed, ending);
    return this.#framed ? `${Buffer.byteLength(text).toString(16)}\r\n${text}${ending}` : text;
  }

  readonly #onDrain = (): void => {
    this.#lastWrite = Date.now();
    this.flow.resume();
  };

  #end(text: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#pending.push(text);
    this.#pendingLength += text.length;
    this.response.end(this.#take());
    this.flow.resume();
  }
}

const encoder = new TextEncoder();

/** Bytes of a chunk's length with its line end, at most. */
const MAX_PREFIX = 10;

/** Room is made for a text that is mostly ASCII; to count its bytes before takes as long as to write them. */
function encoded(text: string, framed: boolean, ending: string, bytes = text.length + (text.length >>> 3)): Uint8Array {
  const room = Buffer.allocUnsafe(MAX_PREFIX + bytes + ending.length);
  const { read, written } = encoder.encodeInto(text, room.subarray(MAX_PREFIX, MAX_PREFIX + bytes));
  if (read < text.length) return encoded(text, framed, ending, Buffer.byteLength(text));
  const end = MAX_PREFIX + written;
  room.write(ending, end, 'latin1');
  const prefix = framed ? `${written.toString(16)}\r\n` : '';
  room.write(prefix, MAX_PREFIX - prefix.length, 'latin1');
  return room.subarray(MAX_PREFIX - prefix.length, end + ending.length);
}
