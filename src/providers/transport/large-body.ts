import { getDefaultHighWaterMark } from 'node:stream';

/** Bytes of a body from which on a connection asks for more only when it has passed on all that it was given. */
export const LARGE_BODY = getDefaultHighWaterMark(false);

/**
 * The body of a large request. It is made when it is sent, again where it has to be sent again, and its memory is given back as soon as the connection
 * has no more use for it: bytes that wait for a collection make V8 collect the whole heap every 64 MB.
 */
export class LargeBody implements AsyncIterable<Uint8Array> {
  /** @param length in bytes, `LARGE_BODY` at least; what `make` makes has as many, in memory of its own */
  constructor(
    readonly length: number,
    private readonly make: () => Uint8Array<ArrayBuffer>,
  ) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    const bytes = this.make();
    yield bytes;
    // The connection has passed on all of it, or is closed: nothing else makes undici ask for more.
    bytes.buffer.transfer(0);
  }
}
