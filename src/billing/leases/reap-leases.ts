import type { SelectQueryBuilder } from 'kysely';
import { runLastBatch } from '../../database/run-batch.js';
import type { Schema } from '../../database/schema.js';
import { type Holder, type Settled, settled } from './flush.js';
import { reap } from './lease-protocol.js';
import { crashedEnding, type Delivered } from '../hold/request-facts.js';
import { StoredBooks } from './stored-books.js';
import { endRequests, toRequest } from './usage-rows.js';

/** Leases in one transaction of the reaper. */
export const MAX_REAPED = 100;

export interface Reaped {
  /** Leases. */
  readonly count: number;
  readonly fresh: readonly Settled[];
}

/** Leases, of which some are to be chosen. */
export type Leases = SelectQueryBuilder<Schema, 'lease', object>;

/** Ends some of the leases that are chosen, and settles what was in flight on them at what it is known to have delivered. One transaction. */
export function reapSome({ database, nodeId, ttl }: Holder, choose: (leases: Leases) => Leases): Promise<Reaped> {
  return database.transaction(async (trx) => {
    const leases = choose(trx.selectFrom('lease'));
    const dead = await database.forUpdate(leases.select(['id', 'account_id']).orderBy('id').limit(MAX_REAPED)).execute();
    if (dead.length === 0) return { count: 0, fresh: [] };
    const leaseIds = dead.map(({ id }) => id);
    const rows = await trx.selectFrom('inflight').selectAll().where('lease_id', 'in', leaseIds).execute();
    const ended = rows.map(({ request_id }) => request_id);
    const endings = rows.map((row) => crashedEnding(toRequest(row), delivered(row), Date.now()));
    const accountIds = dead.map(({ account_id }) => account_id);
    const stored = await StoredBooks.load(database, trx, { leaseIds, accountIds, requestIds: ended });
    const before = new Map(stored.books.charges);
    for (const leaseId of leaseIds) {
      const orphans = endings.filter(({ request }) => request.leaseId === leaseId);
      reap(
        stored.books,
        leaseId,
        orphans.map(({ request, charge: { amount } }) => ({ requestId: request.requestId, amount })),
      );
    }
    await runLastBatch(trx, [...endRequests(database, endings, ended, before, stored.books), ...stored.changes(nodeId, ttl)]);
    return { count: leaseIds.length, fresh: settled(endings, before, stored.books) };
  });
}

function delivered(row: { prompt_tokens: bigint; completion_tokens: bigint }): Delivered {
  return { promptTokens: Number(row.prompt_tokens), completionTokens: Number(row.completion_tokens) };
}
