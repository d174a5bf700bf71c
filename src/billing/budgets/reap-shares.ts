import { type RawBuilder, sql } from 'kysely';
import { runLastBatch } from '../../database/run-batch.js';
import { reap } from '../protocol/lease-protocol.js';
import { MAX_REAPED } from '../protocol/lease-timing.js';
import { type LeaseHolder, UnitOfWork } from '../protocol/unit-of-work.js';
import { BudgetWork } from './budget-work.js';

/**
 * Ends up to MAX_REAPED shares of budgets for which a condition holds: their budgets may share them out again. Those of
 * processes that still have leases stay, because they pay for what is in flight. One transaction.
 * @returns how many
 */
export function reapShares({ database, nodeId, ttl }: LeaseHolder, which: RawBuilder<boolean>): Promise<number> {
  return database.transaction(async (trx) => {
    const dead = trx
      .selectFrom('budget_share')
      .innerJoin('budget', 'budget.name', 'budget_share.budget')
      .select(['id', 'name', 'account_id', 'environment'])
      .where(which)
      .where(sql<boolean>`not exists (select 1 from lease where lease.node_id = budget_share.node_id)`)
      .orderBy('id')
      .limit(MAX_REAPED);
    const accountIds = [...new Set((await dead.execute()).map(({ account_id }) => account_id))];
    if (accountIds.length === 0) return 0;
    const work = await UnitOfWork.load(database, trx, { leaseIds: [], accountIds, requestIds: [], returning: [] });
    // Its process may have renewed one before the balance was locked.
    const still = (await dead.execute()).filter(({ account_id }) => accountIds.includes(account_id));
    const shares = still.map(({ id, name, account_id, environment }) => ({
      id,
      account: { accountId: account_id, environment, budget: name },
    }));
    const budgets = await BudgetWork.load(database, trx, work, { counted: [], wanted: [], shares });
    if (!budgets) return 0;
    for (const { id } of shares) reap(budgets.rows, id, []);
    await runLastBatch(trx, [...budgets.changes(nodeId, ttl, true)]);
    return shares.length;
  });
}
