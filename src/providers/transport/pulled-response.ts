import type { ProviderError } from '../provider-error.js';
import { BodyQueue } from './body-queue.js';
import type { UpstreamHead, UpstreamReceiver } from './upstream-receiver.js';

/** A response whose reader pulls its body chunk by chunk. */
export class PulledResponse implements UpstreamReceiver {
  readonly #body = new BodyQueue();
  readonly #head = Promise.withResolvers<UpstreamHead>();

  /** @throws ProviderError (rejects) when no head comes. */
  get headArrived(): Promise<UpstreamHead> {
    return this.#head.promise;
  }

  /**
   * @returns the next read of the body; undefined at its end
   * @throws ProviderError
   */
  read(): Promise<readonly Buffer[] | undefined> {
    return this.#body.read();
  }

  get full(): boolean {
    return this.#body.full;
  }

  head(head: UpstreamHead): void {
    this.#head.resolve(head);
  }

  bytes(bytes: Buffer): void {
    this.#body.push(bytes);
  }

  end(): void {
    this.#body.end();
  }

  fail(error: ProviderError): void {
    this.#head.reject(error);
    this.#body.fail(error);
  }

  discard(): void {
    this.#body.clear();
  }
}
