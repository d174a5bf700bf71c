import type { Transaction } from 'kysely';
import { runLastBatch } from '../../database/run-batch.js';
import type { Schema } from '../../database/schema.js';
import { type BalanceKey, balanceName } from '../balance-key.js';
import { type Affected, chargeAll, type Flushed, type LeaseHolder, settled } from './flush.js';
import { answered, available, grant, type Lease, type LedgerRows, recall, returnUnspent } from './lease-protocol.js';
import type { GrantAnswer, GrantRequest, LedgerBatch } from './ledger-batch.js';
import { UnitOfWork } from './unit-of-work.js';
import { advanceRequests, beginRequests, endRequests } from './usage-rows.js';

/**
 * Writes any batch: what it needs is locked and read, changed, and written back. Endings come first, then returns, then
 * grants, so that what is settled or given back can be granted at once.
 */
export function flushLocking(
  { database, nodeId, ttl }: LeaseHolder,
  { begins, progress, endings, returns, grants }: LedgerBatch,
  { leaseIds, ended }: Affected,
): Promise<Flushed> {
  return database.transaction(async (trx) => {
    const requests = endings.map(({ request }) => request);
    const balances = [...requests.map(({ principal }) => principal), ...[...returns, ...grants].map(({ account }) => account)];
    const work = await UnitOfWork.load(database, trx, {
      leaseIds: [...leaseIds],
      accountIds: [...new Set(balances.map(({ accountId }) => accountId))],
      requestIds: requests.map(({ requestId }) => requestId),
    });
    const { rows } = work;
    const begun = begins.filter(({ leaseId }) => leaseId !== undefined && rows.leases.has(leaseId));
    const before = new Map(rows.charges);
    chargeAll(rows, endings);
    for (const { leaseId, amount, recalled } of returns) returnUnspent(rows, leaseId, amount, recalled);
    const answers = new Map<string, GrantAnswer>();
    for (const request of grants) answers.set(request.leaseId, await answerTo(trx, rows, request));
    const recalls = Array.from(answers.values()).some(({ recall: raised }) => raised !== undefined);
    await runLastBatch(trx, [
      ...endRequests(database, endings, ended, before, rows),
      ...beginRequests(database, begun, nodeId),
      ...advanceRequests(database, progress),
      ...work.changes(nodeId, ttl),
      ...(recalls ? [{ compile: () => database.raise('recall').compile(trx) }] : []),
    ]);
    return { leases: rows.leases, grants: answers, newlySettled: settled(endings, before, rows) };
  });
}

/** Grants what is wanted, or makes a recall for it where the money of others would help. */
async function answerTo(
  trx: Transaction<Schema>,
  rows: LedgerRows,
  { leaseId, account, opens, demand }: GrantRequest,
): Promise<GrantAnswer> {
  const name = balanceName(account);
  const balance = rows.balances.get(name);
  const own = rows.leases.get(leaseId);
  const supply = {
    available: balance ? available(balance) : 0n,
    elsewhere: balance ? balance.reserved - (own ? own.granted - own.spent : 0n) : 0n,
  };
  let { need, short, recalls } = demand({ ...supply, reached: supply.elsewhere > 0n ? 0n : undefined });
  if (short) ({ need, short, recalls } = demand({ ...supply, reached: answered(await otherLeases(trx, account, leaseId)) }));
  const raised = recalls ? recall(rows, name) : undefined;
  if (need !== undefined) grant(rows, leaseId, name, need, opens);
  return { posted: balance?.posted ?? 0n, recall: raised };
}

/**
 * The other leases of a balance. They need no lock: whoever changes them locks the balance's row, which is locked here.
 */
async function otherLeases(trx: Transaction<Schema>, { accountId, environment }: BalanceKey, leaseId: string): Promise<Lease[]> {
  const rows = await trx
    .selectFrom('lease')
    .select(['granted', 'spent', 'recalled'])
    .where('account_id', '=', accountId)
    .where('environment', '=', environment)
    .where('id', '<>', leaseId)
    .execute();
  return rows.map((row) => ({ ...row, account: balanceName({ accountId, environment }) }));
}
