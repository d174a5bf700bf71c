import type { Transaction } from 'kysely';
import { runLastBatch } from '../../database/run-batch.js';
import type { Schema } from '../../database/schema.js';
import { chargeAll, type Flushed, type Holder, settled, type Touched } from './flush.js';
import { answered, available, type Books, giveBack, grant, type Lease, recall } from './lease-protocol.js';
import type { Ask, AskAnswer, LedgerBatch } from './ledger-batch.js';
import { type BalanceKey, balanceName } from '../balance-key.js';
import { StoredBooks } from './stored-books.js';
import { advanceRequests, beginRequests, endRequests } from './usage-rows.js';

/**
 * Whatever a batch may hold: what it needs is locked and read, changed, and written back. Flush, return and grant, in this order: what is settled or
 * given back can be granted at once.
 */
export function flushLocking(
  { database, nodeId, ttl }: Holder,
  { begins, progress, endings, gives, asks }: LedgerBatch,
  { leaseIds, ended }: Touched,
): Promise<Flushed> {
  return database.transaction(async (trx) => {
    const requests = endings.map(({ request }) => request);
    const money = [...gives, ...asks];
    const stored = await StoredBooks.load(database, trx, {
      leaseIds,
      accountIds: [...requests.map(({ principal }) => principal.accountId), ...money.map(({ account }) => account.accountId)],
      requestIds: requests.map(({ requestId }) => requestId),
    });
    const { books } = stored;
    const begun = begins.filter(({ leaseId }) => leaseId !== undefined && books.leases.has(leaseId));
    const before = new Map(books.charges);
    chargeAll(books, endings);
    for (const { leaseId, amount, recalled } of gives) giveBack(books, leaseId, amount, recalled);
    const answers = new Map<string, AskAnswer>();
    for (const ask of asks) answers.set(ask.leaseId, await answerTo(trx, books, ask));
    const recalls = Array.from(answers.values()).some(({ recall: raised }) => raised !== undefined);
    await runLastBatch(trx, [
      ...endRequests(database, endings, ended, before, books),
      ...beginRequests(database, begun, nodeId),
      ...advanceRequests(database, progress),
      ...stored.changes(nodeId, ttl),
      ...(recalls ? [{ compile: () => database.raise('recall').compile(trx) }] : []),
    ]);
    return { leases: books.leases, asks: answers, fresh: settled(endings, before, books) };
  });
}

/** Grants what is asked for, or says how it stands. */
async function answerTo(trx: Transaction<Schema>, books: Books, { leaseId, account, opens, demand }: Ask): Promise<AskAnswer> {
  const name = balanceName(account);
  const balance = books.balances.get(name);
  const own = books.leases.get(leaseId);
  const supply = {
    available: balance ? available(balance) : 0n,
    elsewhere: balance ? balance.reserved - (own ? own.granted - own.spent : 0n) : 0n,
  };
  let { need, short, recalls } = demand({ ...supply, reached: supply.elsewhere > 0n ? 0n : undefined });
  if (short) ({ need, short, recalls } = demand({ ...supply, reached: answered(await others(trx, account, leaseId)) }));
  const raised = recalls ? recall(books, name) : undefined;
  if (need !== undefined) grant(books, leaseId, name, need, opens);
  return { posted: balance?.posted ?? 0n, recall: raised };
}

/** The other leases of a balance. Its row is locked, so that their money stays as it is. */
async function others(trx: Transaction<Schema>, { accountId, environment }: BalanceKey, leaseId: string): Promise<Lease[]> {
  const rows = await trx
    .selectFrom('lease')
    .select(['granted', 'spent', 'recalled'])
    .where('account_id', '=', accountId)
    .where('environment', '=', environment)
    .where('id', '<>', leaseId)
    .execute();
  return rows.map((row) => ({ ...row, account: balanceName({ accountId, environment }) }));
}
