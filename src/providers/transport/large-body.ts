import { getDefaultHighWaterMark } from 'node:stream';

/** Bytes of a body from which on a stream asks for more data only after it has written all that it was given. */
export const LARGE_BODY = getDefaultHighWaterMark(false);

/** Bytes of a piece of such a body. */
const PIECE = 1024 * 1024;

/**
 * The body of a large request. It is copied when it is sent, and again if it has to be sent again: piece by piece, so
 * that it is not in memory twice. The memory of a piece is freed as soon as the connection has no more use for it:
 * bytes that wait for the garbage collector make V8 collect the whole heap after every 64 MB of them.
 */
export class LargeBody implements AsyncIterable<Uint8Array> {
  /** In bytes. */
  readonly length: number;

  /**
   * @param parts `LARGE_BODY` bytes together at least; they may be released while they are sent, which ends the
   * connection
   */
  constructor(readonly parts: readonly Uint8Array[]) {
    this.length = parts.reduce((sum, part) => sum + part.length, 0);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    let missing = this.length;
    let piece = Buffer.allocUnsafeSlow(Math.min(PIECE, missing));
    let used = 0;
    for (const part of this.parts) {
      for (let at = 0; at < part.length;) {
        const some = part.subarray(at, at + piece.length - used);
        piece.set(some, used);
        at += some.length;
        used += some.length;
        if (used < piece.length) continue;
        try {
          yield piece;
        } finally {
          // undici asks for more, or no more, only after it has written all bytes, or when the connection is closed.
          piece.buffer.transfer(0);
        }
        missing -= used;
        piece = Buffer.allocUnsafeSlow(Math.min(PIECE, missing));
        used = 0;
      }
    }
  }
}
