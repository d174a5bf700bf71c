import { type Environment, environments } from '../../auth/principal.js';

/** What this process has told the store in its time. Sums; the rows are the truth. */
export class LedgerFigures {
  /** Nano-credits owed and not to be had. */
  readonly uncollected = byEnvironment(() => 0n);
  /** Requests that were settled for processes that had ended. */
  readonly recovered = byEnvironment(() => 0);
  /** Told of each transaction that the store has taken, in milliseconds. */
  onFlush: (ms: number) => void = () => undefined;
}

export function byEnvironment<T>(value: (environment: Environment) => T): Record<Environment, T> {
  return Object.fromEntries(environments.map((environment) => [environment, value(environment)])) as Record<Environment, T>;
}
