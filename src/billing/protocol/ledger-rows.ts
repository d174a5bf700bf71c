import type { Environment } from '../../auth/principal.js';
import type { LeaseAmounts } from '../hold/purse.js';

export interface BalanceRow {
  /** All the account has, reserved money included. */
  posted: bigint;
  reserved: bigint;
  /** Number of the last recall; 0: there was none. */
  recall: bigint;
  /** A request waits for the answers to it. */
  recalling: boolean;
}

export interface Lease extends LeaseAmounts {
  /** Name of its balance. */
  readonly account: string;
}

/** What a request has been charged so far. */
export interface Charged {
  readonly amount: bigint;
  readonly uncollected: bigint;
  /**
   * It was charged for a node that is gone, at what was known to be delivered; the node's own word may still correct
   * it.
   */
  readonly provisional: boolean;
}

/**
 * For each lease the requests that were not collected in full while it was out, and what it had been granted by then,
 * less what it has given back since: so much of it pays for them when it comes back. What it is granted later does not.
 * Nano-credits.
 */
export type Claims = Map<string, Map<string, bigint>>;

/** What budgets allow to be charged for requests. Amounts in nano-credits. */
export interface Spending {
  /**
   * @param held what the request's shares of its budgets pay, as its lease does
   * @param owed may be negative, where a correction gives back
   * @returns how much of it may be charged
   */
  payable(requestId: string, held: bigint, owed: bigint): bigint;
  /** Counts what was charged. */
  spend(requestId: string, held: bigint, amount: bigint): void;
}

/** The rows that an operation works on. It changes them in place, and the store writes what has changed. */
export interface LedgerRows {
  readonly balances: Map<string, BalanceRow>;
  readonly leases: Map<string, Lease>;
  /** By request id. */
  readonly charges: Map<string, Charged>;
  /** Of the leases that give money back, and those that are made. */
  readonly claims: Claims;
  /** What was collected, by account. */
  readonly revenue: Map<string, bigint>;
  /** Absent where no budget counts what is charged. */
  spending?: Spending | undefined;
}

/** What has been settled of a request, for the metrics. */
export interface Settled {
  readonly environment: Environment;
  /** Nano-credits that were collected beyond the hold. */
  readonly collected: bigint;
  /** Nano-credits. */
  readonly uncollected: bigint;
  /** False where it was charged before at an estimate, which this corrects. */
  readonly first: boolean;
}
