import { GatheredBytes } from '../../common/collections/gathered-bytes.js';
import type { ProviderError } from '../contract/provider-error.js';
import type { UpstreamHead, UpstreamReceiver } from './upstream-receiver.js';

/** Bytes that may wait for the reader before the connection is paused. One read of a socket may come on top of them. */
const HIGH_WATER = 128 * 1024;

/** A response between its connection, which pushes it, and its one reader, who pulls its body chunk by chunk. */
export class PulledResponse implements UpstreamReceiver {
  readonly #head = Promise.withResolvers<UpstreamHead>();
  #chunks = new GatheredBytes();
  #ended = false;
  #error: ProviderError | undefined;
  #reader: PromiseWithResolvers<void> | undefined;

  /** @throws ProviderError (rejects) when no head comes. */
  get headArrived(): Promise<UpstreamHead> {
    return this.#head.promise;
  }

  get full(): boolean {
    return this.#chunks.length >= HIGH_WATER;
  }

  /**
   * @returns all chunks of the body that wait, otherwise the next one as soon as it comes; undefined at the end
   * @throws ProviderError
   */
  async read(): Promise<readonly Buffer[] | undefined> {
    if (this.#chunks.length === 0 && !this.#ended && !this.#error) {
      this.#reader = Promise.withResolvers();
      await this.#reader.promise;
    }
    if (this.#chunks.length > 0) {
      const chunks = this.#chunks.end();
      this.discard();
      return chunks;
    }
    if (this.#error) throw this.#error;
    return undefined;
  }

  head(head: UpstreamHead): void {
    this.#head.resolve(head);
  }

  bytes(bytes: Buffer): void {
    this.#chunks.add(bytes);
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  fail(error: ProviderError): void {
    this.#head.reject(error);
    this.#error ??= error;
    this.#wake();
  }

  discard(): void {
    this.#chunks = new GatheredBytes();
  }

  #wake(): void {
    this.#reader?.resolve();
    this.#reader = undefined;
  }
}
