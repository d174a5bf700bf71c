import { Logger } from '@nestjs/common';

/** What processes keep in memory of the store. Each has a counter of its name, which every change takes one further. */
export type Topic = 'api_key' | 'model_switch' | 'price' | 'recall';

/** Milliseconds until the next look after one that has failed. */
const RETRY_MS = 500;

interface Followed {
  readonly topic: Topic;
  /** Reads what has changed. */
  readonly read: () => Promise<void>;
  /** The counter's value whose state is in memory; undefined: not known to be. */
  seen: bigint | undefined;
}

/**
 * Keeps memory up with the store. A notice is only ever a reason to look: what is read, and when it has been read, is decided by the counters, so
 * that a notice which is lost, late or repeated changes nothing.
 */
export class Changes {
  readonly #logger = new Logger('Store');
  readonly #followed = new Set<Followed>();
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #failing = false;
  #retry: NodeJS.Timeout | undefined;

  /** @param versions reads the counters */
  constructor(private readonly versions: () => Promise<ReadonlyMap<string, bigint>>) {}

  /** Reads for the first time, and again after every change, until the returned function is called. */
  async follow(topic: Topic, read: () => Promise<void>): Promise<() => void> {
    const followed: Followed = { topic, read, seen: undefined };
    this.#followed.add(followed);
    followed.seen = (await this.versions()).get(topic);
    await read();
    return () => this.#followed.delete(followed);
  }

  /** Somebody has changed it. Resolves like `look`. */
  async heard(topic: string, version: bigint): Promise<void> {
    for (const followed of this.#followed) if (followed.topic === topic && followed.seen !== version) return this.look();
  }

  /** Resolves when everything committed before the call is in memory, or the store has not answered: then the next look does it. */
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
    clearTimeout(this.#retry);
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
      // Stopped meanwhile.
      if (this.#followed.size === 0) return;
      clearTimeout(this.#retry);
      this.#retry = setTimeout(() => void this.look(), RETRY_MS).unref();
      if (!this.#failing) this.#logger.warn(`Changes cannot be read, what is in memory stays: ${(error as Error).message}`);
      this.#failing = true;
    }
  }
}
