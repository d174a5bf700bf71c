import { Logger } from '@nestjs/common';
import type { Clock, Timer } from '../common/time/clock.js';

/** What processes keep in memory of the store. Each topic has a counter of its name, which every change increments. */
export type Topic =
  'admin_token' | 'api_key' | 'model_switch' | 'person' | 'price' | 'recall' | 'stored_provider' | 'stored_response' | 'webhook';

/** Milliseconds after which a look that has failed is repeated. */
const RETRY_MS = 500;

interface Followed {
  readonly topic: Topic;
  /** Reads what has changed. */
  readonly read: () => Promise<void>;
  /** The counter's value for which the memory is up to date; undefined where that is not known. */
  seen: bigint | undefined;
}

/**
 * Keeps what processes have in memory up to date with the store. A notice is only a reason to look: the counters decide
 * what is read, so that a notice which is lost, late or repeated changes nothing.
 */
export class Changes {
  readonly #logger = new Logger('Store');
  readonly #followed = new Set<Followed>();
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #failing = false;
  #retry: Timer | undefined;

  /** @param versions reads the counters */
  constructor(
    private readonly versions: () => Promise<ReadonlyMap<string, bigint>>,
    private readonly clock: Clock,
  ) {}

  /** Reads for the first time, and again after every change. */
  async follow(topic: Topic, read: () => Promise<void>): Promise<void> {
    const followed: Followed = { topic, read, seen: undefined };
    this.#followed.add(followed);
    followed.seen = (await this.versions()).get(topic);
    await read();
  }

  /** A topic was changed by somebody. Resolves like `look`. */
  async heard(topic: string, version: bigint): Promise<void> {
    for (const followed of this.#followed) if (followed.topic === topic && followed.seen !== version) return this.look();
  }

  /**
   * Resolves when everything that was committed before the call is in memory, or when the store has not answered: then
   * the next look reads it.
   */
  look(): Promise<void> {
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      this.#running = this.#look();
      return this.#running;
    });
    return this.#next;
  }

  stop(): void {
    this.#followed.clear();
    this.clock.clear(this.#retry);
  }

  async #look(): Promise<void> {
    if (this.#followed.size === 0) return;
    try {
      const versions = await this.versions();
      await Promise.all(
        Array.from(this.#followed, async (followed) => {
          const version = versions.get(followed.topic);
          if (version === followed.seen) return;
          await followed.read();
          followed.seen = version;
        }),
      );
      if (this.#failing) this.#logger.log('Changes can be read again');
      this.#failing = false;
    } catch (error) {
      // It was stopped meanwhile.
      if (this.#followed.size === 0) return;
      this.clock.clear(this.#retry);
      this.#retry = this.clock.setTimeout(() => void this.look(), RETRY_MS).unref();
      if (!this.#failing) this.#logger.warn(`Changes cannot be read, what is in memory stays: ${(error as Error).message}`);
      this.#failing = true;
    }
  }
}
