import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Indexed } from '../../common/collections/indexed-set.js';
import type { Config } from '../../config/config.schema.js';
import { asByteText, concatBytes, type ByteText, flat } from '../../wire/byte-text.js';
import type { ErrorBody } from '../../wire/error.js';
import type { TextRun } from '../../wire/generation.js';
import type { Backpressure } from '../requests/backpressure.js';
import { dataEvents, type StreamFormat } from '../requests/stream-format.js';

type EventStreamLimits = Pick<Config['server'], 'heartbeat' | 'stall_timeout' | 'max_buffered'>;

/** Whose stream it is. */
export interface StreamOwner {
  /** The id of the account. */
  readonly account: string | undefined;
  /** Ends the stream with an error event, and what feeds it. */
  error(error: unknown): void;
}

const EVENT_END = asByteText('\n\n');

const KEEP_ALIVE = asByteText(': keep-alive\n\n');

/** Ends a chunk and the chunked body (RFC 9112, section 7.1). */
const LAST_CHUNK = asByteText('0\r\n\r\n');
const LAST_FRAME = asByteText(`\r\n${LAST_CHUNK}`);

/** Bytes from which on a text is copied into a buffer instead of being joined with others. */
const LARGE = 16 * 1024;

/**
 * Bytes of one write to the client at most. Whether a client reads is seen at the end of each write, so a client that
 * reads SLICE bytes within the stall timeout is not cut, however long an event is.
 */
const SLICE = 64 * 1024;

/**
 * Writes one `text/event-stream` response in the format of its operation. The events of one tick are written together,
 * and none waits for a later tick. The head is sent with the first of them, or with the first heartbeat.
 */
export class EventStream implements Indexed {
  index = -1;
  #pending: ByteText[] = [];
  #pendingLength = 0;
  /** What is left of a long write. */
  #rest: Uint8Array | undefined;
  /** Bytes that have come since the client was last found behind. */
  #late = 0;
  readonly #framed: boolean;
  #flushing = false;
  #begun = false;
  #ended = false;
  #lastWrite: number;

  constructor(
    private readonly response: ServerResponse,
    private readonly flow: Backpressure,
    private readonly limits: EventStreamLimits,
    headers: OutgoingHttpHeaders,
    readonly owner?: StreamOwner,
    private readonly format: StreamFormat = dataEvents,
  ) {
    response.writeHead(200, {
      'cache-control': 'no-cache',
      ...headers,
      'content-type': 'text/event-stream; charset=utf-8',
      'x-accel-buffering': 'no',
    });
    // A chunk that is framed here is one write; Node would write its length, its text and its line ends separately.
    this.#framed = response.chunkedEncoding;
    response.chunkedEncoding = false;
    response.on('drain', this.#onDrain);
    this.#lastWrite = flow.clock.now();
  }

  /** Bytes that wait for the client in memory. */
  get waiting(): number {
    if (this.response.destroyed) return 0;
    return this.response.writableLength + this.#pendingLength + (this.#rest?.length ?? 0);
  }

  /** Cuts the client off. */
  close(): void {
    this.response.destroy();
  }

  /** @param payload JSON without line breaks */
  event(payload: ByteText): void {
    const { prefix } = this.format;
    if (payload.length < LARGE) this.#append(concatBytes(prefix, payload, EVENT_END));
    else {
      this.#append(prefix);
      this.#append(payload);
      this.#append(EVENT_END);
    }
  }

  /** Writes several events as one text, which is cheaper. */
  events({ head, literals, tail }: TextRun): void {
    const texts: string[] = literals.slice();
    texts[0] = head + texts[0]!;
    texts[texts.length - 1] += tail;
    // The separator is flat: V8 would walk the tree of a concatenated one for each event, which takes 6 % of the time
    // from reading the provider's bytes to writing the events (measured).
    this.event(asByteText(texts.join(flat(asByteText(tail + EVENT_END + this.format.prefix + head)))));
  }

  /** Writes headers that were not known when the head was sent, in ASCII. */
  comment(headers: OutgoingHttpHeaders): void {
    const lines = Object.entries(headers).map(([name, value]) => `: ${name}: ${String(value)}\n`);
    if (lines.length > 0) this.#append(asByteText(`${lines.join('')}\n`));
  }

  heartbeat(): void {
    this.#append(this.format.heartbeat ?? KEEP_ALIVE);
  }

  /** Ends a complete stream. */
  done(): void {
    this.#end(this.format.done);
  }

  /**
   * Ends a stream that failed after its head.
   * @param advice headers of the error, which are told before it
   */
  fail(error: ErrorBody, advice: OutgoingHttpHeaders = {}): void {
    this.comment(advice);
    this.#end(this.format.failed(error));
  }

  /** Sends a heartbeat after silence and disconnects a client that does not read. Called about once a second. */
  tick(now: number): void {
    if (this.#ended) return;
    const silence = now - this.#lastWrite;
    if (this.flow.paused) {
      if (silence >= this.limits.stall_timeout) this.response.destroy();
    } else if (silence >= this.limits.heartbeat) this.heartbeat();
  }

  #append(text: ByteText): void {
    if (this.#ended) return;
    this.#pending.push(text);
    this.#pendingLength += text.length;
    // A source that obeys the back-pressure sends the rest of a read after the pause, whatever its size; one that does
    // not must not use up the memory. What came before is not held against the client, which may be reading it.
    if (this.flow.paused) {
      if (this.#late > this.limits.max_buffered) this.flow.overrun = true;
      this.#late += text.length;
    }
    if (this.#flushing) return;
    this.#flushing = true;
    process.nextTick(this.#flush);
  }

  readonly #flush = (): void => {
    this.#flushing = false;
    // What waits behind the rest of a long write follows it.
    if (this.#pendingLength === 0 || this.#rest || this.response.destroyed) return;
    this.#lastWrite = this.flow.clock.now();
    if (!this.#write(this.#take())) this.flow.pause();
  };

  /** @returns false where the client does not keep up; `drain` follows */
  #write(bytes: ByteText | Uint8Array): boolean {
    if (typeof bytes === 'string' || bytes.length <= 2 * SLICE) return this.#hand(bytes);
    this.#rest = bytes;
    return this.#writeRest();
  }

  /** @returns false where the client does not keep up; `drain` follows */
  #writeRest(): boolean {
    while (this.#rest) {
      const slice = this.#rest.subarray(0, SLICE);
      this.#rest = slice.length < this.#rest.length ? this.#rest.subarray(SLICE) : undefined;
      if (!this.#hand(slice)) return false;
    }
    return true;
  }

  /** @returns false where the client does not keep up; `drain` follows */
  #hand(bytes: ByteText | Uint8Array): boolean {
    const { response } = this;
    const { socket } = response;
    // Node would cork the first write until the end of the tick, with a callback of its own, in case more follows. All
    // of the tick's events are already in these bytes.
    if (!this.#begun || !socket?.writable || response.writableLength > socket.writableLength) {
      this.#begun = true;
      socket?.cork();
      const written = response.write(bytes, 'latin1');
      socket?.uncork();
      return written;
    }
    // The response would only pass the framed bytes on to the socket, once its head has been written and none of its
    // bytes wait for an earlier response on the connection.
    if (socket.write(bytes, 'latin1')) return true;
    if (socket.listenerCount('drain', this.#onDrain) === 0) socket.once('drain', this.#onDrain);
    return false;
  }

  /** @returns all pending text, in the form that is cheapest to write */
  #take(): ByteText | Uint8Array {
    const pending = this.#pending;
    const length = this.#pendingLength;
    this.#pending = [];
    this.#pendingLength = 0;
    if (this.#framed) {
      if (length === 0) return LAST_CHUNK;
      const frame = asByteText(`${length.toString(16)}\r\n`);
      const ending = this.#ended ? LAST_FRAME : asByteText('\r\n');
      if (pending.length === 1) return concatBytes(frame, pending[0]!, ending);
      pending.unshift(frame);
      pending.push(ending);
    }
    return length < LARGE ? asByteText(pending.join('')) : bytesOf(pending);
  }

  readonly #onDrain = (): void => {
    this.#lastWrite = this.flow.clock.now();
    if (!this.#ended && !this.#writeRest()) return;
    this.#late = 0;
    this.flow.resume();
    if (!this.#flushing) this.#flush();
  };

  #end(text: ByteText): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#pending.push(text);
    this.#pendingLength += text.length;
    if (this.#rest) this.response.write(this.#rest);
    this.#rest = undefined;
    this.response.end(this.#take(), 'latin1');
    this.flow.resume();
  }
}

/** Copies each text once; joined texts would be copied a second time when they are written. */
function bytesOf(texts: readonly ByteText[]): Uint8Array {
  let length = 0;
  for (const text of texts) length += text.length;
  const bytes = Buffer.allocUnsafe(length);
  let end = 0;
  for (const text of texts) end += bytes.write(text, end, 'latin1');
  return bytes;
}
