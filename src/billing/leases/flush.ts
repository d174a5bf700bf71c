import { balanceName } from '../balance-key.js';
import type { Stretch } from '../hold/budget-period.js';
import type { BudgetsOfKey } from '../budgets/known-budgets.js';
import { CRASHED, type Ending } from '../hold/request-facts.js';
import { beyondHold, charge } from '../protocol/lease-protocol.js';
import type { Charged, LedgerRows, Settled } from '../protocol/ledger-rows.js';
import type { LedgerAnswer } from './ledger-batch.js';

/** Rows that a batch is about, beside what it says itself. */
export interface Affected {
  readonly leaseIds: ReadonlySet<string>;
  /** Ids of ended requests that the store may have in flight. */
  readonly ended: readonly string[];
}

export interface Flushed extends LedgerAnswer {
  readonly newlySettled: readonly Settled[];
  /** What it has read of budgets; absent: nothing. */
  readonly budgets?: BudgetsFound | undefined;
}

/** Where budgets count what is charged. */
interface BudgetsFound {
  readonly balances: Iterable<string>;
  readonly keys: Iterable<readonly [keyId: string, Stretch<BudgetsOfKey>]>;
}

export function chargeAll(rows: LedgerRows, endings: readonly Ending[]): void {
  for (const {
    request,
    charge: { amount, excess },
    outcome,
  } of endings) {
    const { requestId, principal, leaseId } = request;
    charge(rows, { requestId, account: balanceName(principal), leaseId, amount, excess, provisional: outcome === CRASHED });
  }
}

/** The endings that have changed what the store says of their requests. */
export function settled(endings: readonly Ending[], before: ReadonlyMap<string, Charged>, { charges }: LedgerRows): Settled[] {
  const changed: Settled[] = [];
  for (const { request } of endings) {
    const { requestId, principal, hold } = request;
    const was = before.get(requestId);
    const is = charges.get(requestId);
    if (!is || is === was) continue;
    const { uncollected } = is;
    changed.push({ environment: principal.environment, collected: beyondHold(is, hold), uncollected, first: was === undefined });
  }
  return changed;
}
