import { sql, type Transaction } from 'kysely';
import { subjectOf, type SubjectKind } from '../../auth/rules/principal-rules.js';
import { firstRequestId, requestTime } from '../../common/requests/request-id.js';
import type { Database } from '../../database/database.js';
import { exactSum, sumParts } from '../../database/integers.js';
import { jsonTexts } from '../../database/json-rows.js';
import { runBatch } from '../../database/run-batch.js';
import type { Schema } from '../../database/schema.js';
import type { BalanceKey } from '../balance-key.js';
import type { RequestFacts } from '../hold/request-facts.js';
import type { Lease } from '../protocol/ledger-rows.js';
import { recalling } from '../protocol/ledger-statements.js';
import { type BudgetPeriod, budgetWindows, periodName, Stretch } from '../hold/budget-period.js';

interface SelectedBudget {
  name: string;
  ceiling: bigint;
  spent: bigint;
  reserved: bigint;
  recall: bigint;
  /** A truth value in the engine's own form. */
  recalling: unknown;
  told_limit: bigint | null;
}

interface SelectedShare {
  id: string;
  budget: string;
  node_id: string;
  amount: bigint;
  recalled: bigint;
}

/** What decides in whose budgets a key's requests count; it never changes. */
interface KeyOfSubjects {
  readonly id: string;
  readonly account_id: string;
  readonly environment: string;
  readonly first_id: string | null;
  readonly project_id: string | null;
}

/** Milliseconds by which a request may seem to have ended before it came, where a clock was set back. */
const DOUBT = 86_400_000;

const DAY = 86_400_000;

const keyColumns = ['id', 'account_id', 'environment', 'first_id', 'project_id'] as const;

export async function readKeys(
  database: Database,
  trx: Transaction<Schema>,
  keyIds: Iterable<string>,
): Promise<Map<string, KeyOfSubjects>> {
  const rows = await trx
    .selectFrom('api_key')
    .select(keyColumns)
    .where('id', 'in', jsonTexts(database.engine, JSON.stringify([...new Set(keyIds)])))
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** All keys, for the check of all budgets. */
export async function readAllKeys(trx: Transaction<Schema>): Promise<Map<string, KeyOfSubjects>> {
  const rows = await trx.selectFrom('api_key').select(keyColumns).execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** The names of all budgets in which a request of a key counts, where there are such budgets. */
export function namesFor({ id, account_id, environment, first_id, project_id }: KeyOfSubjects, requestId: string): string[] {
  const owners: readonly (readonly [SubjectKind, string | null])[] = [
    ['key', first_id ?? id],
    ['project', project_id],
    ['account', account_id],
  ];
  const time = requestTime(requestId);
  return owners.flatMap(([kind, owner]) =>
    owner === null ? [] : budgetWindows.map((window) => periodName(subjectOf({ kind, id: owner }, environment), window, time)),
  );
}

/** The same for the requests of one transaction, which are mostly of few keys and one day. */
export class BudgetNames {
  /** By key, those of the day of the last request that was asked about. */
  readonly days = new Map<string, Stretch<readonly string[]>>();

  constructor(private readonly keys: ReadonlyMap<string, KeyOfSubjects>) {}

  /** @returns one list for requests of a key on a day that follow each other; empty where the store does not know the key */
  of({ requestId, principal: { keyId } }: Pick<RequestFacts, 'requestId' | 'principal'>): readonly string[] {
    let day = this.days.get(keyId);
    if (!day?.has(requestId)) {
      const key = this.keys.get(keyId);
      const from = Math.floor(requestTime(requestId) / DAY) * DAY;
      this.days.set(keyId, (day = Stretch.of(key ? namesFor(key, requestId) : [], from, from + DAY)));
    }
    return day.value;
  }
}

/**
 * Reads budgets by their names, and shares by their ids, or those of processes in these budgets. They need no lock:
 * whoever changes them locks the balance's row, which is locked here.
 */
export async function readBudgets(
  database: Database,
  trx: Transaction<Schema>,
  { names, shareIds, nodes }: { names: readonly string[]; shareIds: readonly string[]; nodes: readonly string[] },
): Promise<{ budgets: readonly SelectedBudget[]; shares: readonly SelectedShare[] }> {
  const texts = (values: readonly string[]) => jsonTexts(database.engine, JSON.stringify([...new Set(values)]));
  const budgets = trx
    .selectFrom('budget')
    .select(['name', 'ceiling', 'spent', 'reserved', 'recall', recalling(database).as('recalling'), 'told_limit'])
    .where('name', 'in', texts(names));
  const shares = trx
    .selectFrom('budget_share')
    .select(['id', 'budget', 'node_id', 'amount', 'recalled'])
    .where((share) =>
      share.or([
        share('id', 'in', texts(shareIds)),
        share.and([share('budget', 'in', texts(names)), share('node_id', 'in', texts(nodes))]),
      ]),
    );
  const [found, shared] = await runBatch(trx, [budgets, shares]);
  return { budgets: found!.rows as SelectedBudget[], shares: shared!.rows as SelectedShare[] };
}

/** What was spent in a period of a budget, by its usage rows: nano-credits. */
export async function sumUsage(
  database: Database,
  trx: Transaction<Schema>,
  { accountId, environment }: BalanceKey,
  { kind, subject, from, until }: BudgetPeriod,
): Promise<bigint> {
  let usage = trx
    .selectFrom('usage')
    .select(sumParts(sql.ref<bigint>('amount')))
    .where('account_id', '=', accountId)
    .where('environment', '=', environment);
  if (from > 0) usage = usage.where('created_at', '>=', BigInt(from - DOUBT)).where('request_id', '>=', firstRequestId(from));
  if (Number.isFinite(until)) usage = usage.where('request_id', '<', firstRequestId(until));
  if (kind !== 'account') {
    const keys = await trx.selectFrom('api_key').select(keyColumns).where('account_id', '=', accountId).where('environment', '=', environment).execute(); // prettier-ignore
    const own = keys.filter((key) => subject === subjectOf({ kind, id: (kind === 'key' ? (key.first_id ?? key.id) : key.project_id) ?? '' }, environment)); // prettier-ignore
    usage = usage.where('key_id', 'in', jsonTexts(database.engine, JSON.stringify(own.map(({ id }) => id))));
  }
  return exactSum(await usage.executeTakeFirstOrThrow());
}

/** All shares of a budget, as leases. */
export async function sharesOf(trx: Transaction<Schema>, budget: string): Promise<[id: string, share: Lease][]> {
  const rows = await trx.selectFrom('budget_share').select(['id', 'amount', 'recalled']).where('budget', '=', budget).execute();
  return rows.map(({ id, amount, recalled }) => [id, { account: budget, granted: amount, spent: 0n, recalled }]);
}
