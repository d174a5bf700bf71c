import type { Environment } from '../auth/principal.js';

/** An account's balance in one environment. */
export interface BalanceKey {
  readonly accountId: string;
  readonly environment: Environment;
}

export function balanceName({ accountId, environment }: BalanceKey): string {
  return `${accountId} ${environment}`;
}
