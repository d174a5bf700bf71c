import { getDefaultHighWaterMark } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Bytes of a body from which on a stream asks for more data only after it has written all that it was given. */
export const LARGE_BODY = getDefaultHighWaterMark(false);

/** Bytes of a piece of such a body. */
const PIECE = 1024 * 1024;

/** A part of a body; text is sent as UTF-8. */
type Part = Uint8Array | string;

const bytesOf = (part: Part): number => (typeof part === 'string' ? Buffer.byteLength(part) : part.length);

const utf8 = new TextEncoder();

/**
 * The body of a large request. It is copied when it is sent, and again if it has to be sent again: piece by piece, so
 * that it is not in memory twice. The memory of a piece is freed as soon as the connection has no more use for it:
 * bytes that wait for the garbage collector make V8 collect the whole heap after every 64 MB of them.
 */
export class LargeBody implements AsyncIterable<Uint8Array> {
  #length: number | undefined;

  /**
   * @param parts `LARGE_BODY` bytes together at least, each time that they are iterated over; they may be released
   * while they are sent, which ends the connection
   */
  constructor(private readonly parts: Iterable<Part>) {
    if (Array.isArray(parts)) this.#length = (parts as readonly Part[]).reduce((sum, part) => sum + bytesOf(part), 0);
  }

  /** In bytes. Undefined until `measure` has ended where the parts are made when they are asked for. */
  get length(): number | undefined {
    return this.#length;
  }

  /** Measures the parts, with other turns of the event loop between megabytes of them. */
  async measure(): Promise<void> {
    if (this.#length !== undefined) return;
    let [length, since] = [0, 0];
    for (const part of this.parts) {
      const bytes = bytesOf(part);
      length += bytes;
      since += typeof part === 'string' ? bytes : 0;
      if (since < PIECE) continue;
      since = 0;
      await nextTurn();
    }
    this.#length = length;
  }

  /** All of its bytes. Those of text are made for it. */
  bytes(): Uint8Array[] {
    return Array.from(this.parts, (part) => (typeof part === 'string' ? utf8.encode(part) : part));
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    const pieces = new Pieces(this.#length!);
    for (const part of this.parts) {
      for (let rest = part; rest.length > 0;) {
        rest = pieces.fill(rest);
        const piece = pieces.full;
        if (!piece) continue;
        try {
          yield piece;
        } finally {
          // undici asks for more, or no more, only after it has written all bytes, or when the connection is closed.
          pieces.next();
        }
        // A connection that takes all at once would have the whole text made in one turn. Behind the last piece no turn is
        // left to others: undici closes the connection where the response is whole before the body has ended.
        if (pieces.missing > 0) await nextTurn();
      }
    }
  }
}

/** Copies the parts of a body to pieces of it. */
class Pieces {
  #piece: Buffer<ArrayBuffer>;
  #used = 0;
  /** A character may not fit into what is left of a piece. */
  #isFull = false;

  /** @param missing bytes that no piece has had that was taken */
  constructor(public missing: number) {
    this.#piece = Buffer.allocUnsafeSlow(Math.min(PIECE, missing));
  }

  /** @returns what does not fit into the piece */
  fill(part: Part): Part {
    const room = this.#piece.subarray(this.#used);
    if (room.length === 0) throw new Error('a body has more bytes than it had when it was measured');
    if (typeof part === 'string') {
      const { read, written } = utf8.encodeInto(part, room);
      this.#used += written;
      this.#isFull = read < part.length || written === room.length;
      return part.slice(read);
    }
    const some = part.subarray(0, room.length);
    room.set(some);
    this.#used += some.length;
    this.#isFull = some.length === room.length;
    return part.subarray(some.length);
  }

  get full(): Uint8Array | undefined {
    return this.#isFull ? this.#piece.subarray(0, this.#used) : undefined;
  }

  next(): void {
    this.#piece.buffer.transfer(0);
    this.missing -= this.#used;
    this.#piece = Buffer.allocUnsafeSlow(Math.min(PIECE, this.missing));
    this.#used = 0;
    this.#isFull = false;
  }
}
