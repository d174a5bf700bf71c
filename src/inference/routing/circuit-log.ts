import { Logger } from '@nestjs/common';
import type { BreakerState } from './circuit-breaker.js';

/** Names in one line at most. */
const MAX_NAMES = 10;

/** Tells of circuits that open and close: those of one moment in one line, because a provider's offers fall together. */
export class CircuitLog {
  readonly #logger = new Logger('Circuits');
  /** The last state that was told of those that are not closed. */
  readonly #told = new Map<string, BreakerState>();
  #changed = new Map<string, BreakerState>();

  changed(name: string, state: BreakerState): void {
    if (this.#changed.size === 0) setImmediate(() => this.#tell());
    this.#changed.set(name, state);
  }

  #tell(): void {
    const changed = this.#changed;
    this.#changed = new Map();
    const lines = new Map<BreakerState, string[]>();
    for (const [name, state] of changed) {
      // Half open is a moment of an open one.
      if (state === 'half_open' || state === (this.#told.get(name) ?? 'closed')) continue;
      if (state === 'closed') this.#told.delete(name);
      else this.#told.set(name, state);
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
