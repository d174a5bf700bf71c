import type { ProviderError } from '../provider-error.js';

/** Bytes that may wait for the reader before the connection is paused; one read of a socket may come on top. */
const HIGH_WATER = 128 * 1024;

/** The body of one answer between the connection, which pushes, and its one reader, who pulls. */
export class BodyQueue {
  #chunks: Buffer[] = [];
  #bytes = 0;
  #ended = false;
  #error: ProviderError | undefined;
  #reader: PromiseWithResolvers<void> | undefined;

  get full(): boolean {
    return this.#bytes >= HIGH_WATER;
  }

  push(bytes: Buffer): void {
    this.#chunks.push(bytes);
    this.#bytes += bytes.length;
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  /** What was pushed before is still read. */
  fail(error: ProviderError): void {
    this.#error ??= error;
    this.#wake();
  }

  clear(): void {
    this.#chunks = [];
    this.#bytes = 0;
  }

  /** All that waits, or what comes next; undefined at the end. */
  async read(): Promise<readonly Buffer[] | undefined> {
    if (this.#chunks.length === 0 && !this.#ended && !this.#error) {
      this.#reader = Promise.withResolvers();
      await this.#reader.promise;
    }
    if (this.#chunks.length > 0) {
      const chunks = this.#chunks;
      this.clear();
      return chunks;
    }
    if (this.#error) throw this.#error;
    return undefined;
  }

  #wake(): void {
    this.#reader?.resolve();
    this.#reader = undefined;
  }
}
