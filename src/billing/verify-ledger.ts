import { sql, type Transaction } from 'kysely';
import { environments } from '../auth/principal.js';
import { linesOf, type Parts } from '../common/prices/charge-lines.js';
import { charge, lesser, type Price } from '../common/prices/credits.js';
import type { Database } from '../database/database.js';
import { exactSum, sumParts } from '../database/integers.js';
import type { Schema } from '../database/schema.js';
import { BudgetCheck } from './budgets/verify-budgets.js';
import { chargeable, type Outcome } from './hold/ledger.js';
import { CRASHED } from './hold/request-facts.js';
import { beyondHold } from './protocol/lease-protocol.js';
import { priceOfRow } from './price-of-row.js';
import { REVENUE } from './system-accounts.js';
import { type Find, MAX_FINDINGS, verifyReferences } from './verify-references.js';

/** A row that contradicts the other rows. */
export interface Finding {
  /** The law that is broken, in words. */
  readonly law: string;
  /** Table and key. */
  readonly row: string;
  readonly expected: string;
  readonly found: string;
}

export interface Verification {
  readonly findings: readonly Finding[];
  /** The rows that were looked at. */
  readonly balances: number;
  readonly transfers: number;
  readonly usages: number;
}

const chargeColumns = [
  ...(['request_id', 'account_id', 'environment', 'key_id', 'price_id', 'price_prompt', 'price_completion', 'price_components'] as const),
  ...(['prompt_tokens', 'completion_tokens', 'parts', 'hold', 'amount', 'collected', 'uncollected', 'outcome', 'estimated'] as const),
] as const;

/** Usage rows that are read at a time: requests that are answered beside it wait for a page. */
const PAGE = 500;

/**
 * Verifies every law of the ledger from its rows, as of one moment.
 * @throws the reason of the signal
 */
export function verifyLedger(database: Pick<Database, 'snapshot'>, signal?: AbortSignal): Promise<Verification> {
  return database.snapshot(async (trx) => {
    const findings: Finding[] = [];
    const find: Find = (law, row, expected, found) => {
      if (expected !== found && findings.length < MAX_FINDINGS)
        findings.push({ law, row, expected: String(expected), found: String(found) });
    };
    const transfers = await sumTransfers(trx);
    const leased = await sumLeases(trx);
    signal?.throwIfAborted();
    const budgets = await BudgetCheck.begin(trx);
    const usage = await checkUsage(trx, find, budgets, signal);
    await budgets.end(trx, find);
    signal?.throwIfAborted();

    const balances = await trx.selectFrom('balance').selectAll().orderBy('account_id').orderBy('environment').execute();
    const total = { live: 0n, test: 0n };
    for (const { account_id, environment, posted, reserved, kind } of balances) {
      const name = `${account_id} ${environment}`;
      const charged = account_id === REVENUE ? -usage.total[environment] : (usage.charged.get(name) ?? 0n);
      find('a balance is what came in less what went out', `balance ${name}`, (transfers.get(name) ?? 0n) - charged, posted);
      find('what is reserved is what the leases are worth', `balance ${name}`, leased.get(name) ?? 0n, reserved);
      if (kind === 'customer' && (reserved < 0n || posted < reserved))
        find('no customer has less than is reserved', `balance ${name}`, `at least ${reserved}`, posted);
      total[environment] += posted;
    }
    for (const environment of environments) find('all balances together are nothing', `balance * ${environment}`, 0n, total[environment]);
    for (const { id, worth, ...parts } of await openHolds(trx)) {
      const held = exactSum(parts);
      if (held > worth) find('open requests hold no more than their lease is worth', `lease ${id}`, `at most ${worth}`, held);
    }
    for (const { request_id } of await settledInflight(trx))
      find('a settled request is not in flight', `inflight ${request_id}`, 'none', 'one');
    await verifyReferences(trx, find);

    const { count } = await trx
      .selectFrom('transfer')
      .select(({ fn }) => fn.countAll<bigint>().as('count'))
      .executeTakeFirstOrThrow();
    return { findings, balances: balances.length, transfers: Number(count), usages: usage.count };
  });
}

/** What came in by transfers less what went out, by balance. */
async function sumTransfers(trx: Transaction<Schema>): Promise<Map<string, bigint>> {
  const sums = new Map<string, bigint>();
  const sides = [
    ['credit_account_id', 1n],
    ['debit_account_id', -1n],
  ] as const;
  for (const [column, sign] of sides) {
    const rows = await trx
      .selectFrom('transfer')
      .select((transfer) => [transfer.ref(column).as('account_id'), 'environment', ...sumParts(sql.ref<bigint>('amount'))])
      .groupBy([column, 'environment'])
      .execute();
    for (const { account_id, environment, ...parts } of rows) add(sums, `${account_id} ${environment}`, sign * exactSum(parts));
  }
  return sums;
}

async function sumLeases(trx: Transaction<Schema>): Promise<Map<string, bigint>> {
  const sums = new Map<string, bigint>();
  const rows = await trx
    .selectFrom('lease')
    .select(['account_id', 'environment', ...sumParts(sql<bigint>`granted - spent`)])
    .groupBy(['account_id', 'environment'])
    .execute();
  for (const { account_id, environment, ...parts } of rows) add(sums, `${account_id} ${environment}`, exactSum(parts));
  return sums;
}

/** Compares every usage row with its own price and tokens, page by page. */
async function checkUsage(trx: Transaction<Schema>, find: Find, budgets: BudgetCheck, signal: AbortSignal | undefined) {
  const charged = new Map<string, bigint>();
  const total = { live: 0n, test: 0n };
  let count = 0;
  for (let after = ''; ;) {
    signal?.throwIfAborted();
    const rows = await trx
      .selectFrom('usage')
      .select(chargeColumns)
      .where('request_id', '>', after)
      .orderBy('request_id')
      .limit(PAGE)
      .execute();
    const quotes = await quotesOf(trx, rows);
    for (const row of rows) {
      const name = `usage ${row.request_id}`;
      const price = priceOfRow(row);
      const parts = row.parts === null ? undefined : (JSON.parse(row.parts) as Parts);
      const lines = linesOf(price, row.prompt_tokens, row.completion_tokens, parts);
      const least = lines.find(({ count: units }) => units < 0);
      if (least) find('no part of a request has more tokens than the request', name, 'at least 0', String(least.count));
      const full = charge(price, row.prompt_tokens, row.completion_tokens, parts);
      const due = chargeable(row.outcome as Outcome) || (row.outcome === CRASHED && row.completion_tokens > 0n) ? full : 0n;
      // Only a provider's count goes beyond the hold, and did not in rows of earlier versions.
      const within = row.collected === null || row.estimated === 1n;
      find(
        'a request costs its tokens at its price, by the gateway’s count at most its hold',
        name,
        within ? lesser(due, row.hold) : due,
        row.amount + row.uncollected,
      );
      const collected = beyondHold(row, row.hold);
      if (row.collected !== null || collected > 0n)
        find('a request is charged its hold and what was collected beyond it', name, collected, row.collected ?? 0n);
      const smaller = lesser(row.amount, row.uncollected);
      if (smaller < 0n) find('no part of a charge is negative', name, 'at least 0', smaller);
      const quoted = row.price_id === null ? undefined : quotes.get(row.price_id);
      if (row.price_id !== null)
        find('a request refers to the price that it was charged at', name, quoted ?? 'a price row', inWords(price, row.price_components));
      budgets.count(row);
      add(charged, `${row.account_id} ${row.environment}`, row.amount);
      total[row.environment] += row.amount;
    }
    count += rows.length;
    if (rows.length < PAGE) return { charged, total, count };
    after = rows.at(-1)!.request_id;
  }
}

/** The prices that usage rows refer to, in words, by id. */
async function quotesOf(trx: Transaction<Schema>, rows: readonly { price_id: string | null }[]): Promise<Map<string, string>> {
  const ids = [...new Set(rows.flatMap(({ price_id }) => price_id ?? []))];
  if (ids.length === 0) return new Map();
  const prices = await trx.selectFrom('price').select(['id', 'prompt', 'completion', 'components']).where('id', 'in', ids).execute();
  return new Map(prices.map((price) => [price.id, inWords(price, price.components)]));
}

function inWords({ prompt, completion }: Pick<Price, 'prompt' | 'completion'>, components: string | null): string {
  return [`${prompt} and ${completion}`, components ?? []].flat().join(', ');
}

function openHolds(trx: Transaction<Schema>) {
  return trx
    .selectFrom('lease')
    .innerJoin('inflight', 'inflight.lease_id', 'lease.id')
    .select(['lease.id', sql<bigint>`lease.granted - lease.spent`.as('worth'), ...sumParts(sql.ref<bigint>('inflight.hold'))])
    .groupBy(['lease.id', 'lease.granted', 'lease.spent'])
    .execute();
}

function settledInflight(trx: Transaction<Schema>) {
  return trx
    .selectFrom('inflight')
    .innerJoin('usage', 'usage.request_id', 'inflight.request_id')
    .select('inflight.request_id')
    .limit(MAX_FINDINGS)
    .execute();
}

function add(sums: Map<string, bigint>, name: string, amount: bigint): void {
  sums.set(name, (sums.get(name) ?? 0n) + amount);
}
