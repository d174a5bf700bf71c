import { Logger } from '@nestjs/common';
import type { BreakerState } from './circuit-breaker.js';

/** Number of names in one line at most. */
const MAX_NAMES = 10;

/** Logs circuits that open and close, those of one tick in one line, because the offers of a provider fail together. */
export class CircuitLog {
  readonly #logger = new Logger('Circuits');
  /** The last logged state of each circuit that is not closed. */
  readonly #logged = new Map<string, BreakerState>();
  #changed = new Map<string, BreakerState>();

  changed(name: string, state: BreakerState): void {
    if (this.#changed.size === 0) setImmediate(() => this.#write());
    this.#changed.set(name, state);
  }

  #write(): void {
    const changed = this.#changed;
    this.#changed = new Map();
    const lines = new Map<BreakerState, string[]>();
    for (const [name, state] of changed) {
      // A half open circuit opens again or closes soon, so it is not logged.
      if (state === 'half_open' || state === (this.#logged.get(name) ?? 'closed')) continue;
      if (state === 'closed') this.#logged.delete(name);
      else this.#logged.set(name, state);
      lines.set(state, [...(lines.get(state) ?? []), name]);
    }
    for (const [state, names] of lines) {
      const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
      const list = `${names.slice(0, MAX_NAMES).join(', ')}${more}`;
      if (state === 'open') this.#logger.warn(`Paused after failures: ${list}`);
      else this.#logger.log(`Back in service: ${list}`);
    }
  }
}
