import type { ProviderError } from '../provider-error.js';

/** Bytes that may wait for the reader before the connection is paused. One read of a socket may come on top of them. */
const HIGH_WATER = 128 * 1024;

/** The body of one response between the connection, which pushes it, and its one reader, who pulls it. */
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

  /** Chunks that were pushed before can still be read. */
  fail(error: ProviderError): void {
    this.#error ??= error;
    this.#wake();
  }

  clear(): void {
    this.#chunks = [];
    this.#bytes = 0;
  }

  /**
   * @returns all chunks that wait, otherwise the next one as soon as it comes; undefined at the end
   * @throws ProviderError
   */
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
