import { type Compilable, sql } from 'kysely';
import type { Database } from '../../database/database.js';
import { PreparedQuery } from '../../database/prepared-query.js';
import { balanceName } from '../balance-key.js';
import type { Ending, RequestFacts } from '../hold/request-facts.js';
import type { BalanceRow, Lease } from '../leases/ledger-rows.js';
import type { BudgetsOfKey, KnownBudgets } from './known-budgets.js';
import { BudgetSpending, type Spender } from './spending.js';

const NONE: readonly string[] = [];

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

/** Who spends for requests that count in the same budgets and were held from the same shares. */
interface SpendersOf {
  readonly names: readonly string[];
  readonly shares: readonly string[];
  readonly spenders: readonly Spender[];
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
  /** What the shares of each hold, which is all that is known to be left of it. */
  readonly #held = new Map<string, bigint>();
  readonly #balances = new Map<string, BalanceRow>();
  readonly #spenders = new Map<string, readonly Spender[]>();
  /** Those of the last request: most of a batch are like the one before. */
  #last: SpendersOf | undefined;

  private constructor(private readonly before: ReadonlyMap<string, Lease>) {
    for (const [id, share] of before) {
      const { account, granted, spent } = share;
      this.shares.set(id, { ...share });
      const held = (this.#held.get(account) ?? 0n) + granted - spent;
      this.#held.set(account, held);
      this.#balances.set(account, { posted: held, reserved: held, recall: 0n, recalling: false });
    }
  }

  /**
   * @param shares those that the endings were held from, as the last transaction left them
   * @returns undefined where a budget has to be read
   */
  static of(endings: readonly Ending[], known: KnownBudgets, shares: ReadonlyMap<string, Lease>): UnreadBudgets | undefined {
    const budgets = new UnreadBudgets(shares);
    for (const { request, charge } of endings) {
      if (charge.amount + charge.excess === 0n || !known.count(request.principal)) continue;
      if (!budgets.#add(request, known.of(request))) return undefined;
    }
    return budgets;
  }

  get spending(): BudgetSpending {
    return new BudgetSpending({ balances: this.#balances, leases: this.shares }, this.#spenders);
  }

  /**
   * The statements that write what was spent, and renew the shares.
   * @param ttl milliseconds
   * @returns undefined where a share is used up, which ends it
   */
  changes(database: Database, ttl: number): Compilable[] | undefined {
    const statements: Compilable[] = [];
    for (const [id, { granted, spent, recalled }] of this.shares) {
      const before = this.before.get(id)!;
      if (spent === granted) return undefined;
      const [amount, wasAmount] = [granted - spent, before.granted - before.spent];
      statements.push(changeShare.with(database, { id, amount, wasAmount, recalled, ttl: BigInt(ttl) }));
    }
    for (const [name, { reserved }] of this.#balances) {
      const amount = this.#held.get(name)! - reserved;
      if (amount > 0n) statements.push(spendShared.with(database, { name, amount }));
    }
    return statements;
  }

  #add({ requestId, principal, shares = NONE }: RequestFacts, found: BudgetsOfKey | undefined): boolean {
    const balance = balanceName(principal);
    if (!found || (this.versions.get(balance) ?? found.version) !== found.version) return false;
    this.versions.set(balance, found.version);
    if (found.names !== this.#last?.names || shares !== this.#last.shares) this.#last = this.#spendersOf(found.names, shares);
    if (this.#last) this.#spenders.set(requestId, this.#last.spenders);
    return this.#last !== undefined;
  }

  #spendersOf(names: readonly string[], shares: readonly string[]): SpendersOf | undefined {
    const spenders: Spender[] = [];
    for (const budget of names) {
      // Without a share the request was not let in under this budget, or the share has run out.
      const share = shares.find((id) => this.shares.get(id)?.account === budget);
      if (share === undefined) return undefined;
      spenders.push({ budget, share, lowered: 0n });
    }
    return { names, shares, spenders };
  }
}
