import type { Observer, Unsubscribable } from 'rxjs';
import type { Hold } from '../billing/hold/ledger.js';
import type { GenerationChunk } from '../wire/generation.js';
import { usageOf } from '../wire/usage.js';

/** A generation whose hold is still to come; where its client has left until then, there is none. */
export class AwaitedGeneration implements Unsubscribable {
  #generation: Unsubscribable | undefined;
  #left = false;

  constructor(held: Promise<Hold>, begin: (hold: Hold) => Unsubscribable, client: Observer<GenerationChunk>) {
    void this.#await(held, begin, client);
  }

  unsubscribe(): void {
    this.#left = true;
    this.#generation?.unsubscribe();
  }

  async #await(held: Promise<Hold>, begin: (hold: Hold) => Unsubscribable, client: Observer<GenerationChunk>): Promise<void> {
    try {
      const hold = await held;
      if (this.#left) hold.settle({ outcome: 'client_left', usage: usageOf(0, 0), estimated: false });
      else this.#generation = begin(hold);
    } catch (error) {
      if (!this.#left) client.error(error);
    }
  }
}
