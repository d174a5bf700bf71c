import { type Environment, environments } from '../../auth/principal.js';

/** Where the durations of the ledger's transactions go. */
export interface Durations {
  observe(seconds: number): void;
}

/** What this process has told the store in its time. Sums; the rows are the truth. */
export class LedgerFigures {
  /** Nano-credits owed and not to be had. */
  readonly uncollected = byEnvironment(() => 0n);
  /** Requests that were settled for processes that had ended. */
  readonly recovered = byEnvironment(() => 0);

  /** @param flushes of the transactions that the store has taken */
  constructor(readonly flushes: Durations = { observe: () => undefined }) {}
}

export function byEnvironment<T>(value: (environment: Environment) => T): Record<Environment, T> {
  return Object.fromEntries(environments.map((environment) => [environment, value(environment)])) as Record<Environment, T>;
}
