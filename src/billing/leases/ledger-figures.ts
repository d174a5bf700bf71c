import { type Environment, environments } from '../../auth/principal.js';

/** Where the durations of the ledger's transactions go. */
export interface Durations {
  observe(seconds: number): void;
}

/** Sums of what this process has told the store since its start; the truth is in the rows. */
export class LedgerFigures {
  /** Nano-credits that were collected beyond holds. */
  readonly collected = byEnvironment(() => 0n);
  /** Nano-credits that were owed and could not be collected at once. */
  readonly uncollected = byEnvironment(() => 0n);
  /** Requests that were settled for dead processes. */
  readonly recovered = byEnvironment(() => 0);

  /** @param flushes the durations of the transactions that the store has confirmed */
  constructor(readonly flushes: Durations = { observe: () => undefined }) {}
}

export function byEnvironment<T>(value: (environment: Environment) => T): Record<Environment, T> {
  return Object.fromEntries(environments.map((environment) => [environment, value(environment)])) as Record<Environment, T>;
}
