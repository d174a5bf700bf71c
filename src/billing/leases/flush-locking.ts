import type { Transaction } from 'kysely';
import { runLastBatch } from '../../database/run-batch.js';
import type { Schema } from '../../database/schema.js';
import { type BalanceKey, balanceName } from '../balance-key.js';
import type { Ending } from '../hold/request-facts.js';
import { type Affected, chargeAll, type Flushed, settled } from './flush.js';
import { claim } from '../protocol/claims.js';
import { BudgetWork } from '../budgets/budget-work.js';
import { sharesOf } from '../budgets/budget-rows.js';
import { answered, available, grant, recall, returnUnspent } from '../protocol/lease-protocol.js';
import type { Charged, Lease, LedgerRows } from '../protocol/ledger-rows.js';
import type { GrantAnswer, GrantRequest, LedgerBatch } from './ledger-batch.js';
import { type LeaseHolder, UnitOfWork } from '../protocol/unit-of-work.js';
import { advanceRequests, beginRequests, endRequests } from './usage-rows.js';

/**
 * Writes any batch: what it needs is locked and read, changed, and written back. Endings come first, then returns, then
 * grants, so that what is settled or given back can be granted at once.
 */
export function flushLocking(
  holder: LeaseHolder,
  { begins, progress, endings, returns, grants, shares = [], deadNode }: LedgerBatch,
  { leaseIds, ended }: Affected,
): Promise<Flushed> {
  const { database, nodeId } = holder;
  return database.transaction(async (trx) => {
    const requests = endings.map(({ request }) => request);
    const balances = [...requests.map(({ principal }) => principal), ...[...returns, ...grants, ...shares].map(({ account }) => account)];
    const work = await UnitOfWork.load(database, trx, {
      leaseIds: [...leaseIds],
      accountIds: [...new Set(balances.map(({ accountId }) => accountId))],
      requestIds: requests.map(({ requestId }) => requestId),
      returning: returns.map(({ leaseId }) => leaseId),
    });
    const { rows } = work;
    const counted = requests.map((request) => ({ request, deadNode }));
    const budgets = await BudgetWork.load(database, trx, work, { counted, wanted: grants, shares });
    rows.spending = budgets?.spending;
    const rowsOf = ({ budget }: BalanceKey): LedgerRows => (budget === undefined ? rows : budgets!.rows);
    const begun = begins.filter(({ leaseId }) => leaseId !== undefined && rows.leases.has(leaseId));
    const before = new Map(rows.charges);
    chargeAll(rows, endings);
    const claimed = await claimUncollected(trx, rows, endings, before);
    for (const { leaseId, account, amount, recalled } of returns) returnUnspent(rowsOf(account), leaseId, amount, recalled);
    const answers = new Map<string, GrantAnswer>();
    for (const request of grants) {
      const answer = await answerTo(trx, rowsOf(request.account), request);
      answers.set(request.leaseId, answer);
      if (request.refuses?.(answer.posted)) budgets?.refuses(request.account.budget!);
    }
    const overdrawn = budgets?.recallOverdrawn() === true;
    const recalls = claimed || overdrawn || Array.from(answers.values()).some(({ recall: raised }) => raised !== undefined);
    await runLastBatch(trx, [
      ...endRequests(database, endings, ended, before, rows),
      ...beginRequests(database, begun, nodeId),
      ...advanceRequests(database, progress),
      ...work.changes(holder),
      ...(budgets?.changes(nodeId, holder.ttl, deadNode !== undefined) ?? []),
      ...(recalls ? [{ compile: () => database.raise('recall').compile(trx) }] : []),
    ]);
    return {
      leases: budgets ? new Map([...rows.leases, ...budgets.rows.leases]) : rows.leases,
      grants: answers,
      newlySettled: [...settled(endings, before, rows), ...work.collectedLater],
      budgets: budgets && { balances: work.budgeted.keys(), keys: [...budgets.found(work)] },
    };
  });
}

/**
 * Lets what could not be collected be collected from the leases of its account, and asks other processes for what they
 * do not use of theirs.
 * @returns whether it has asked
 */
async function claimUncollected(
  trx: Transaction<Schema>,
  rows: LedgerRows,
  endings: readonly Ending[],
  before: ReadonlyMap<string, Charged>,
): Promise<boolean> {
  const owing = endings
    .map(({ request }) => request)
    .filter(({ requestId }) => {
      const charged = rows.charges.get(requestId)!;
      return charged !== before.get(requestId) && charged.uncollected > 0n;
    });
  const accounts = new Map(owing.map(({ principal }) => [balanceName(principal), principal]));
  let asked = false;
  for (const [name, account] of accounts) {
    const leases = (await leasesOf(trx, account)).map(([id, lease]) => [id, rows.leases.get(id) ?? lease] as const);
    for (const { requestId, principal } of owing) if (balanceName(principal) === name) claim(rows, requestId, leases);
    if (!leases.some(([id, { granted, spent }]) => granted > spent && !rows.leases.has(id))) continue;
    recall(rows, name);
    asked = true;
  }
  return asked;
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

async function otherLeases(trx: Transaction<Schema>, account: BalanceKey, leaseId: string): Promise<Lease[]> {
  return (await leasesOf(trx, account)).flatMap(([id, lease]) => (id === leaseId ? [] : lease));
}

/**
 * All leases of a balance, or shares of a budget, as they were before. They need no lock: whoever changes them locks
 * the balance's row, which is locked here.
 */
async function leasesOf(trx: Transaction<Schema>, { accountId, environment, budget }: BalanceKey): Promise<[id: string, lease: Lease][]> {
  if (budget !== undefined) return sharesOf(trx, budget);
  const rows = await trx
    .selectFrom('lease')
    .select(['id', 'granted', 'spent', 'recalled'])
    .where('account_id', '=', accountId)
    .where('environment', '=', environment)
    .execute();
  return rows.map(({ id, ...amounts }) => [id, { ...amounts, account: balanceName({ accountId, environment }) }]);
}
