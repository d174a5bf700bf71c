import { getDefaultHighWaterMark } from 'node:stream';

/** Bytes of a body from which on a stream asks for more data only after it has written all that it was given. */
export const LARGE_BODY = getDefaultHighWaterMark(false);

/**
 * The body of a large request. It is made when it is sent, and again if it has to be sent again. Its memory is freed as
 * soon as the connection has no more use for it: bytes that wait for the garbage collector make V8 collect the whole
 * heap after every 64 MB of them.
 */
export class LargeBody implements AsyncIterable<Uint8Array> {
  /**
   * @param length in bytes, `LARGE_BODY` at least
   * @param make makes the body in memory of its own, with `length` bytes
   */
  constructor(
    readonly length: number,
    private readonly make: () => Uint8Array<ArrayBuffer>,
  ) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    const bytes = this.make();
    yield bytes;
    // undici asks for more only after it has written all bytes, or when the connection is closed.
    bytes.buffer.transfer(0);
  }
}
