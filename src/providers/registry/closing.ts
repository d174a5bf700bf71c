import type { GenerationChunk } from '../../wire/generation.js';
import type { ModelProvider } from '../contract/model-provider.js';
import { isPushed, PushedChunks } from '../contract/pushed-chunks.js';

/** A provider that has something to close, and the number of answers that it gives. */
export class ClosingProvider {
  #open = 0;
  #retired: PromiseWithResolvers<void> | undefined;

  /** Counts the answers of the provider from now on. */
  constructor(private readonly provider: ModelProvider) {
    const own = provider.generate.bind(provider);
    const generate: ModelProvider['generate'] = (request, call) => {
      const answer = own(request, call);
      return isPushed(answer) ? this.#countPushed(answer, call) : this.#count(answer);
    };
    Object.defineProperty(provider, 'generate', { value: generate, configurable: true });
  }

  /**
   * Closes the provider as soon as it gives no answer any more. No new request comes to it.
   * @throws what its `close` throws
   */
  async close(): Promise<void> {
    this.#retired = Promise.withResolvers();
    if (this.#open === 0) this.#retired.resolve();
    await this.#retired.promise;
    await this.provider.close?.();
  }

  async *#count(answer: AsyncIterable<GenerationChunk>): AsyncGenerator<GenerationChunk, void> {
    this.#open++;
    try {
      yield* answer;
    } finally {
      this.#end();
    }
  }

  #countPushed(answer: PushedChunks, call: Parameters<ModelProvider['generate']>[1]): PushedChunks {
    return new PushedChunks(call, (observer) => {
      this.#open++;
      let ended = false;
      const end = (): void => {
        if (!ended) this.#end();
        ended = true;
      };
      const source = answer.push({
        next: (chunk) => observer.next(chunk),
        error: (error) => {
          end();
          observer.error(error);
        },
        complete: () => {
          end();
          observer.complete();
        },
      });
      return {
        get unsent() {
          return source.unsent;
        },
        hold: (held) => source.hold(held),
        cancel: () => {
          end();
          source.cancel();
        },
      };
    });
  }

  #end(): void {
    if (--this.#open === 0) this.#retired?.resolve();
  }
}
