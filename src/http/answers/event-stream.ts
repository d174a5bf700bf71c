import type { ServerResponse } from 'node:http';
import type { Indexed } from '../../common/indexed-set.js';
import { type ByteText, byteText, flat } from '../../wire/byte-text.js';
import type { ErrorBody } from '../../wire/error.js';
import type { TextRun } from '../../wire/generation.js';
import type { Backpressure } from './backpressure.js';

export interface EventStreamLimits {
  /** Milliseconds of silence after which a comment is sent. */
  readonly heartbeat: number;
  /** Milliseconds that a client may read nothing before it is cut off. */
  readonly stallTimeout: number;
  /** Bytes that may wait in memory for a client that is behind. */
  readonly maxBuffered: number;
}

/** What stands between the payloads of two events. */
const EVENT_BREAK = '\n\ndata: ';

/** Ends a chunk, and the body after it (RFC 9112, section 7.1). */
const LAST_FRAME = '\r\n0\r\n\r\n';

/** Bytes from which on a text is written as such. */
const LARGE = 16 * 1024;

/**
 * Writes one `text/event-stream` answer: `data: {json}`, a blank line, ..., `data: [DONE]` (specification, Endpoints).
 * Events of one tick leave in one write; none waits for a later tick. The head goes out with the first event and not before.
 */
export class EventStream implements Indexed {
  index = -1;
  #pending: ByteText[] = [];
  #pendingLength = 0;
  readonly #framed: boolean;
  #flushing = false;
  #begun = false;
  #ended = false;
  #lastWrite = Date.now();

  constructor(
    private readonly response: ServerResponse,
    private readonly flow: Backpressure,
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

  /** @param payload JSON without line breaks */
  event(payload: ByteText): void {
    if (payload.length < LARGE) this.#append(`data: ${payload}\n\n`);
    else {
      this.#append('data: ');
      this.#append(payload);
      this.#append('\n\n');
    }
  }

  /** Several events as one text, which is cheaper to write. */
  events({ head, literals, tail }: TextRun): void {
    const texts = literals.slice();
    texts[0] = head + texts[0]!;
    texts[texts.length - 1] += tail;
    // A flat separator: the engine would walk the tree of a joined one for each event, 6 % of the way from a read to the events (measured).
    this.event(texts.join(flat(tail + EVENT_BREAK + head)));
  }

  /** Ends a complete answer. */
  done(): void {
    this.#end('data: [DONE]\n\n');
  }

  /** Ends an answer that went wrong after its first event: no [DONE], so that it cannot look complete. */
  fail(error: ErrorBody): void {
    this.#end(`data: ${byteText(JSON.stringify(error))}\n\n`);
  }

  /** Called about once a second: heartbeat on silence, end of a client that does not read. */
  tick(now: number): void {
    if (this.#ended) return;
    const silence = now - this.#lastWrite;
    if (this.flow.paused) {
      if (silence >= this.limits.stallTimeout) this.response.destroy();
    } else if (silence >= this.limits.heartbeat) this.#append(': keep-alive\n\n');
  }

  #append(text: ByteText): void {
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
    if (!this.#write(this.#take())) this.flow.pause();
  };

  /** @returns false where the client is behind; `drain` follows */
  #write(bytes: ByteText | Uint8Array): boolean {
    const { response } = this;
    const { socket } = response;
    // Node would hold it back until the end of the tick, by a callback of its own, in case that more comes. There is no more.
    if (!this.#begun || !socket?.writable || response.writableLength > socket.writableLength) {
      this.#begun = true;
      socket?.cork();
      const written = response.write(bytes, 'latin1');
      socket?.uncork();
      return written;
    }
    // Of a body framed here the response does nothing but pass it on, once its head is on the way and nothing of it waits for an answer before it.
    if (socket.write(bytes, 'latin1')) return true;
    if (!this.flow.paused) socket.once('drain', this.#onDrain);
    return false;
  }

  /** All that waits, as what is cheapest to write. */
  #take(): ByteText | Uint8Array {
    const pending = this.#pending;
    const length = this.#pendingLength;
    this.#pending = [];
    this.#pendingLength = 0;
    if (this.#framed) {
      const frame = `${length.toString(16)}\r\n`;
      const ending = this.#ended ? LAST_FRAME : '\r\n';
      if (pending.length === 1) return frame + pending[0]! + ending;
      pending.unshift(frame);
      pending.push(ending);
    }
    return length < LARGE ? pending.join('') : bytesOf(pending);
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
    this.response.end(this.#take(), 'latin1');
    this.flow.resume();
  }
}

/** Each text copied once: joined, they would be copied once more to be written. */
function bytesOf(texts: readonly ByteText[]): Uint8Array {
  let length = 0;
  for (const text of texts) length += text.length;
  const bytes = Buffer.allocUnsafe(length);
  let end = 0;
  for (const text of texts) end += bytes.write(text, end, 'latin1');
  return bytes;
}
