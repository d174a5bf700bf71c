import type { RawBuilder, Selectable } from 'kysely';
import { runLastBatch } from '../../database/run-batch.js';
import type { InflightTable } from '../../database/schema.js';
import { BudgetWork } from '../budgets/budget-work.js';
import type { PromptCount } from '../hold/ledger.js';
import { crashedEnding, type Delivered } from '../hold/request-facts.js';
import type { Settled } from '../protocol/ledger-rows.js';
import { settled } from './flush.js';
import { reap } from '../protocol/lease-protocol.js';
import { MAX_REAPED } from '../protocol/lease-timing.js';
import { type LeaseHolder, UnitOfWork } from '../protocol/unit-of-work.js';
import { endRequests, toRequest } from './usage-rows.js';

interface Reaped {
  /** Leases. */
  readonly count: number;
  readonly newlySettled: readonly Settled[];
}

/**
 * Ends up to MAX_REAPED of the leases for which a condition holds, and settles what was in flight on them at what it is
 * known to have delivered. One transaction.
 */
export function reapSome(holder: LeaseHolder, which: RawBuilder<boolean>): Promise<Reaped> {
  const { database, nodeId, ttl } = holder;
  return database.transaction(async (trx) => {
    const leases = trx.selectFrom('lease').select(['id', 'account_id', 'node_id']).where(which).orderBy('id').limit(MAX_REAPED);
    const dead = await database.forUpdate(leases).execute();
    if (dead.length === 0) return { count: 0, newlySettled: [] };
    const leaseIds = dead.map(({ id }) => id);
    const inflight = await trx.selectFrom('inflight').selectAll().where('lease_id', 'in', leaseIds).execute();
    const ended = inflight.map(({ request_id }) => request_id);
    const endings = inflight.map((row) => crashedEnding(toRequest(row), delivered(row), database.now()));
    const accountIds = [...new Set(dead.map(({ account_id }) => account_id))];
    const work = await UnitOfWork.load(database, trx, { leaseIds, accountIds, requestIds: ended, returning: leaseIds });
    const nodes = new Map(dead.map(({ id, node_id }) => [id, node_id]));
    const counted = endings.map(({ request }) => ({ request, deadNode: nodes.get(request.leaseId!) }));
    const budgets = await BudgetWork.load(database, trx, work, { counted, wanted: [], shares: [] });
    work.rows.spending = budgets?.spending;
    const before = new Map(work.rows.charges);
    for (const leaseId of leaseIds) {
      const orphans = endings.filter(({ request }) => request.leaseId === leaseId);
      reap(
        work.rows,
        leaseId,
        orphans.map(({ request, charge: { amount } }) => ({ requestId: request.requestId, amount })),
      );
    }
    await runLastBatch(trx, [
      ...endRequests(database, endings, ended, before, work.rows),
      ...work.changes(holder),
      ...(budgets?.changes(nodeId, ttl, true) ?? []),
    ]);
    return { count: leaseIds.length, newlySettled: [...settled(endings, before, work.rows), ...work.collectedLater] };
  });
}

function delivered({ prompt_tokens, completion_tokens, prompts }: Selectable<InflightTable>): Delivered {
  return {
    promptTokens: Number(prompt_tokens),
    completionTokens: Number(completion_tokens),
    ...(prompts !== null && { prompts: JSON.parse(prompts) as PromptCount[] }),
  };
}
