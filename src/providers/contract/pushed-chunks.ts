import type { GenerationChunk } from '../../wire/generation.js';
import type { ProviderCall } from './model-provider.js';
import type { ProviderError } from './provider-error.js';

/**
 * Takes the chunks of a response from within the reads of its connection. After `error` or `complete` nothing comes.
 */
export interface ChunkObserver {
  next(chunk: GenerationChunk): void;
  error(error: ProviderError): void;
  complete(): void;
}

/** The connection of a response that is pushed. */
export interface ChunkSubscription {
  /** The request still waits for a connection: the provider has seen nothing of it. */
  readonly unsent?: boolean;
  /** Pauses the connection, whatever the call's flow says, until it is called with false. */
  hold(held: boolean): void;
  /** Closes the connection. Nothing comes afterwards. */
  cancel(): void;
}

/** Marks pushed chunks, also of another copy of this package. Arrays and streams of Node have a `push` as well. */
const PUSHED_BRAND = Symbol.for('switchyard.pushed-chunks');

/**
 * The chunks of a response, which come without being asked for: pulling each read of a connection through an iterator
 * costs several promises a read. Who iterates over them sees what any other provider would show.
 */
export class PushedChunks implements AsyncIterable<GenerationChunk> {
  get [PUSHED_BRAND](): true {
    return true;
  }

  /** @param push sends the request; called once, here or by the iteration */
  constructor(
    private readonly call: Pick<ProviderCall, 'signal'>,
    readonly push: (observer: ChunkObserver) => ChunkSubscription,
  ) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<GenerationChunk, void> {
    const { signal } = this.call;
    if (signal.aborted) return;
    const queue = new ChunkQueue();
    const source = this.push(queue);
    const onAbort = (): void => {
      source.cancel();
      queue.abandon();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      while (await queue.ready()) {
        source.hold(true);
        for (let chunk = queue.shift(); chunk; chunk = queue.shift()) yield chunk;
        source.hold(false);
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
      source.cancel();
    }
  }
}

/** Checks the mark and not the class: a module from another package may bring its own copy of this file. */
export function isPushed(answer: AsyncIterable<GenerationChunk>): answer is PushedChunks {
  return (answer as Partial<PushedChunks>)[PUSHED_BRAND] === true;
}

class ChunkQueue implements ChunkObserver {
  #chunks: GenerationChunk[] = [];
  #ended = false;
  #error: ProviderError | undefined;
  #reader: PromiseWithResolvers<void> | undefined;

  next(chunk: GenerationChunk): void {
    this.#chunks.push(chunk);
    this.#wake();
  }

  error(error: ProviderError): void {
    this.#error = error;
    this.#wake();
  }

  complete(): void {
    this.#ended = true;
    this.#wake();
  }

  abandon(): void {
    this.#chunks = [];
    this.#error = undefined;
    this.complete();
  }

  shift(): GenerationChunk | undefined {
    return this.#chunks.shift();
  }

  /**
   * @returns false at the end
   * @throws ProviderError
   */
  async ready(): Promise<boolean> {
    if (this.#chunks.length === 0 && !this.#ended && !this.#error) {
      this.#reader = Promise.withResolvers();
      await this.#reader.promise;
    }
    if (this.#chunks.length > 0) return true;
    if (this.#error) throw this.#error;
    return false;
  }

  #wake(): void {
    this.#reader?.resolve();
    this.#reader = undefined;
  }
}
