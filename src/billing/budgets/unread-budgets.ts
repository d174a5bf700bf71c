import { type Compilable, sql } from 'kysely';
import type { Database } from '../../database/database.js';
import { PreparedQuery } from '../../database/prepared-query.js';
import { type BalanceKey, balanceName } from '../balance-key.js';
import type { Ending, RequestFacts } from '../hold/request-facts.js';
import type { Lease } from '../protocol/ledger-rows.js';
import type { Stretch } from '../hold/budget-period.js';
import type { BudgetsOfKey, KnownBudgets } from './known-budgets.js';

const NONE: readonly Lease[] = [];

interface ShareChange {
  readonly id: string;
  /** Nano-credits. */
  readonly amount: bigint;
  readonly wasAmount: bigint;
  readonly recalled: bigint;
  /** Milliseconds. */
  readonly ttl: bigint;
}

/** Changes and renews a share. The statement fails where the row is not what it was taken for. */
const changeShare = new PreparedQuery<ShareChange>(
  (database, { id, amount, wasAmount, recalled, ttl }) =>
    database.db
      .updateTable('budget_share')
      .set({ amount, expires_at: sql<bigint>`${database.clock()} + ${ttl}` })
      .where('id', '=', id)
      .where('amount', '=', wasAmount)
      .where('recalled', '=', recalled),
  1,
);

/**
 * Spends what shares have held of a budget, where that is less than what is left of it: otherwise the statement fails.
 */
const spendShared = new PreparedQuery<{ readonly name: string; readonly amount: bigint }>(
  ({ db }, { name, amount }) =>
    db
      .updateTable('budget')
      .set((budget) => ({ spent: budget('spent', '+', amount), reserved: budget('reserved', '-', amount) }))
      .where('name', '=', name)
      .where(sql<boolean>`spent + ${amount} < ceiling`),
  1,
);

/** Requests of one key that were held from the same shares, and those of the shares that pay for them. */
interface PaidAlike extends Pick<RequestFacts, 'principal' | 'shares'> {
  /** The requests that count in these budgets; absent: no budget counts what is charged to the balance. */
  readonly day: Stretch<BudgetsOfKey> | undefined;
  readonly payers: readonly Lease[];
}

/**
 * The budgets of endings that shares pay for in full. None of them is read: shares are taken for what this process left
 * them, budgets for what it has found before, and the statements fail where that is wrong.
 */
export class UnreadBudgets {
  /** As the endings leave them. */
  readonly shares = new Map<string, Lease>();
  /** By balance, how many budgets it is taken to have been given. */
  readonly versions = new Map<string, bigint>();
  /** Those of the last request: most of a batch are like the one before. */
  #last: PaidAlike | undefined;

  private constructor(private readonly before: ReadonlyMap<string, Lease>) {
    for (const [id, share] of before) this.shares.set(id, { ...share });
  }

  /**
   * @param shares those that the endings were held from, as the last transaction left them
   * @returns undefined where a budget has to be read
   */
  static of(endings: readonly Ending[], known: KnownBudgets, shares: ReadonlyMap<string, Lease>): UnreadBudgets | undefined {
    const budgets = new UnreadBudgets(shares);
    for (const { request, charge } of endings) {
      if (charge.amount + charge.excess === 0n) continue;
      const payers = budgets.#payersOf(request, known);
      if (!payers) return undefined;
      for (const share of payers) share.spent += charge.amount;
    }
    return budgets;
  }

  /**
   * The statements that write what was spent, and renew the shares.
   * @param ttl milliseconds
   * @returns undefined where a share is used up, which ends it, or does not pay for all
   */
  changes(database: Database, ttl: number): Compilable[] | undefined {
    const statements: Compilable[] = [];
    const spent = new Map<string, bigint>();
    for (const [id, share] of this.shares) {
      const { account, granted, recalled } = share;
      if (share.spent >= granted) return undefined;
      const before = this.before.get(id)!;
      const [amount, wasAmount] = [granted - share.spent, before.granted - before.spent];
      statements.push(changeShare.with(database, { id, amount, wasAmount, recalled, ttl: BigInt(ttl) }));
      spent.set(account, (spent.get(account) ?? 0n) + wasAmount - amount);
    }
    for (const [name, amount] of spent) if (amount > 0n) statements.push(spendShared.with(database, { name, amount }));
    return statements;
  }

  #payersOf({ requestId, principal, shares }: RequestFacts, known: KnownBudgets): readonly Lease[] | undefined {
    const last = this.#last;
    if (last?.principal === principal && last.shares === shares && (!last.day || last.day.has(requestId))) return last.payers;
    const counted = known.count(principal);
    const day = counted ? known.of({ requestId, principal }) : undefined;
    const payers = counted ? this.#sharesOf(principal, day?.value, shares) : NONE;
    if (payers) this.#last = { principal, shares, day, payers };
    return payers;
  }

  #sharesOf(balance: BalanceKey, found: BudgetsOfKey | undefined, ids: readonly string[] = []): readonly Lease[] | undefined {
    const name = balanceName(balance);
    if (!found || (this.versions.get(name) ?? found.version) !== found.version) return undefined;
    this.versions.set(name, found.version);
    const held = ids.flatMap((id) => this.shares.get(id) ?? []);
    const payers = found.names.map((budget) => held.find(({ account }) => account === budget));
    // Without a share the request was not let in under this budget, or the share has run out.
    return payers.every((share) => share !== undefined) ? payers : undefined;
  }
}
