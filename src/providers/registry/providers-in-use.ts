/** The requests that may still ask the providers of one configuration. */
export class ProvidersInUse {
  #open = 0;
  #ended: PromiseWithResolvers<void> | undefined;

  begin(): void {
    this.#open++;
  }

  /** To be called once for each `begin`, when the request asks no provider any more. */
  end(): void {
    if (--this.#open === 0) this.#ended?.resolve();
  }

  /** Resolves when all have ended. Nothing begins any more. */
  ended(): Promise<void> {
    this.#ended ??= Promise.withResolvers();
    if (this.#open === 0) this.#ended.resolve();
    return this.#ended.promise;
  }
}
