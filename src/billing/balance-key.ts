import type { Environment } from '../auth/principal.js';

/** An account's balance in one environment, or one of the budgets that limit what is charged to it. */
export interface BalanceKey {
  readonly accountId: string;
  readonly environment: Environment;
  /** The name of a budget's period; absent: the balance itself. */
  readonly budget?: string | undefined;
}

export function balanceName({ accountId, environment, budget }: BalanceKey): string {
  return budget ?? `${accountId} ${environment}`;
}
