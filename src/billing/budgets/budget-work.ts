import type { Compilable, Transaction } from 'kysely';
import type { Database } from '../../database/database.js';
import { recordEvent } from '../../database/outbox.js';
import type { Schema } from '../../database/schema.js';
import { type BalanceKey, balanceName } from '../balance-key.js';
import type { RequestFacts } from '../hold/request-facts.js';
import * as protocol from '../protocol/lease-protocol.js';
import type { BalanceRow, Lease, LedgerRows } from '../protocol/ledger-rows.js';
import { recallWait } from '../protocol/lease-timing.js';
import type { UnitOfWork } from '../protocol/unit-of-work.js';
import { type BudgetPeriod, periodsOf, type Stretch } from '../hold/budget-period.js';
import { budgetReached } from './budget-reached.js';
import { BudgetNames, readBudgets, readKeys, sumUsage } from './budget-rows.js';
import type { BudgetsOfKey } from './known-budgets.js';
import { BudgetSpending, type Spender } from './spending.js';

/** A request that is charged, for the budgets that count it. */
interface Counted {
  readonly request: Pick<RequestFacts, 'requestId' | 'principal' | 'shares'>;
  /** The dead process that had let it in: its shares pay. */
  readonly deadNode?: string | undefined;
}

/** Which budgets an operation is about. */
interface BudgetQuery {
  readonly counted: readonly Counted[];
  /** Budgets that are wanted, with their limits: their rows are made where there are none. */
  readonly wanted: readonly { readonly account: BalanceKey; readonly period?: BudgetPeriod | undefined }[];
  readonly shares: readonly { readonly id: string; readonly account: BalanceKey }[];
}

interface Known extends BalanceKey {
  /** The limit as it is now, and what the store had. */
  readonly ceiling: bigint;
  readonly before: (BalanceRow & { readonly ceiling: bigint }) | undefined;
  /** The limit that was told to be reached. */
  readonly toldLimit: bigint | null;
}

/**
 * The budgets of one operation of the ledger, and their shares, beside its UnitOfWork, which has locked the balances.
 */
export class BudgetWork {
  /** As the lease protocol takes them: what is left of a limit is a balance, and a share is a lease of it. */
  readonly rows: LedgerRows = { balances: new Map(), leases: new Map(), charges: new Map(), claims: new Map(), revenue: new Map() };
  readonly #budgets = new Map<string, Known>();
  readonly #shares = new Map<string, Lease>();
  readonly #spenders = new Map<string, readonly Spender[]>();
  /** The limits under which requests are let in. A budget without one has been removed, and only counts. */
  readonly #limits = new Map<string, bigint>();
  readonly #refusing = new Set<string>();
  #names: BudgetNames | undefined;

  private constructor(private readonly database: Database) {}

  /**
   * Reads what the operation needs, once its balances are locked.
   * @returns undefined where no budget has to do with it
   */
  static async load(database: Database, trx: Transaction<Schema>, work: UnitOfWork, query: BudgetQuery): Promise<BudgetWork | undefined> {
    const wanted = query.wanted.filter(({ period }) => period !== undefined);
    const balances = new Set([...work.budgeted.keys(), ...wanted.map(({ account }) => ofBalance(account))]);
    const claimants = work.claimants.map(({ request_id: requestId, account_id: accountId, environment, key_id: keyId }): Counted => ({
      request: { requestId, principal: { accountId, environment, keyId } },
      deadNode: '',
    }));
    const counted = [...query.counted, ...claimants].filter(({ request: { principal } }) => balances.has(balanceName(principal)));
    if (counted.length + wanted.length + query.shares.length === 0) return undefined;
    const budgets = new BudgetWork(database);
    await budgets.#load(trx, counted, { ...query, wanted });
    return budgets;
  }

  get spending(): BudgetSpending {
    return new BudgetSpending(this.rows, this.#spenders);
  }

  /** Notes that a request is refused for lack of what a budget has left: it counts as reached. */
  refuses(name: string): void {
    this.#refusing.add(name);
  }

  /**
   * Asks all processes for what they do not use of budgets that have nothing left to back it: requests have counted in
   * them that were not let in under them.
   * @returns whether it has asked
   */
  recallOverdrawn(): boolean {
    let asked = false;
    for (const [name, balance] of this.rows.balances) {
      const { before } = this.#budgets.get(name)!;
      if (!before || balance.reserved === 0n || protocol.available(balance) >= 0n) continue;
      const newly = protocol.available(before) >= 0n;
      if (!newly && (balance.recalling || balance.posted === before.posted)) continue;
      protocol.recall(this.rows, name);
      asked = true;
    }
    return asked;
  }

  /** In which budgets the requests of its keys count once the statements have run, by key. */
  *found({ budgeted }: UnitOfWork): Generator<[keyId: string, Stretch<BudgetsOfKey>]> {
    const made = this.#made();
    for (const [keyId, day] of this.#names?.days ?? []) {
      const names = day.value.filter((name) => this.#budgets.has(name));
      if (names.length === 0) continue;
      const balance = ofBalance(this.#budgets.get(names[0]!)!);
      const version = (budgeted.get(balance) ?? 0n) + (made.get(balance) ?? 0n);
      yield [keyId, day.with({ version, names })];
    }
  }

  /**
   * The statements that write what has changed.
   * @param nodeId the process whose shares these are
   * @param ttl milliseconds until they run out
   * @param dead they are a dead process's, and are not renewed
   */
  *changes(nodeId: string, ttl: number, dead = false): Generator<Compilable> {
    const { db } = this.database;
    for (const [name, balance] of this.rows.balances) yield* this.#budgetChange(name, balance, ttl);
    const renewal = dead ? {} : { expires_at: this.database.clock(ttl) };
    const unchanged: string[] = [];
    for (const [id, { account, granted, spent, recalled }] of this.rows.leases) {
      const before = this.#shares.get(id);
      const values = { amount: granted - spent, recalled, ...renewal };
      if (!before) yield db.insertInto('budget_share').values({ id, budget: account, node_id: nodeId, expires_at: 0, ...values });
      else if (granted === spent) this.rows.leases.delete(id);
      else if (before.granted === granted && spent === 0n && before.recalled === recalled) unchanged.push(id);
      else yield db.updateTable('budget_share').set(values).where('id', '=', id);
    }
    if (unchanged.length > 0 && !dead) yield db.updateTable('budget_share').set(renewal).where('id', 'in', unchanged);
    const gone = [...this.#shares.keys()].filter((id) => !this.rows.leases.has(id));
    if (gone.length > 0) yield db.deleteFrom('budget_share').where('id', 'in', gone);
    for (const { accountId, environment, before } of this.#budgets.values()) {
      if (before) continue;
      yield db
        .updateTable('balance')
        .set((balance) => ({ budgeted: balance('budgeted', '+', 1n) }))
        .where('account_id', '=', accountId)
        .where('environment', '=', environment);
    }
  }

  /** By balance, how many budgets it is given. */
  #made(): Map<string, bigint> {
    const made = new Map<string, bigint>();
    for (const budget of this.#budgets.values()) if (!budget.before) made.set(ofBalance(budget), (made.get(ofBalance(budget)) ?? 0n) + 1n);
    return made;
  }

  async #load(trx: Transaction<Schema>, counted: readonly Counted[], { wanted, shares }: BudgetQuery): Promise<void> {
    const keys = counted.length === 0 ? new Map() : await readKeys(this.database, trx, counted.map(({ request }) => request.principal.keyId)); // prettier-ignore
    const accounts = new Map<string, BalanceKey>();
    const names = new BudgetNames(keys);
    this.#names = names;
    const together = Map.groupBy(counted, ({ request }) => names.of(request));
    for (const [own, [first]] of together) for (const name of own) accounts.set(name, first!.request.principal);
    for (const { account } of [...wanted, ...shares]) accounts.set(account.budget!, account);
    const nodes = counted.flatMap(({ deadNode }) => deadNode ?? []);
    const found = await readBudgets(this.database, trx, {
      names: [...accounts.keys()],
      shareIds: [...shares.map(({ id }) => id), ...counted.flatMap(({ request }) => request.shares ?? [])],
      nodes,
    });
    const limits = new Map(wanted.map(({ period }) => [period!.name, period!.limit]));
    for (const { name, ceiling, spent, reserved, recall, recalling, told_limit: toldLimit } of found.budgets) {
      const before = { ceiling, posted: ceiling - spent, reserved, recall, recalling: Boolean(recalling) };
      this.#add(name, { ...accounts.get(name)!, ceiling: limits.get(name) ?? ceiling, before, toldLimit }, spent);
    }
    for (const { account, period } of wanted)
      if (!this.#budgets.has(period!.name)) {
        const spent = await sumUsage(this.database, trx, account, period!);
        this.#add(period!.name, { ...account, ceiling: period!.limit, before: undefined, toldLimit: null }, spent);
      }
    for (const { id, budget, amount, recalled } of found.shares) {
      const lease = { account: budget, granted: amount, spent: 0n, recalled };
      this.#shares.set(id, lease);
      this.rows.leases.set(id, { ...lease });
    }
    const ofNodes = new Map(found.shares.map(({ id, budget, node_id }) => [`${node_id} ${budget}`, id]));
    for (const [own, requests] of together) this.#spend(requests, own, ofNodes);
    for (const [name, limit] of limits) this.#limits.set(name, limit);
  }

  #add(name: string, known: Known, spent: bigint): void {
    const { before, ceiling } = known;
    this.#budgets.set(name, known);
    const { reserved, recall, recalling } = before ?? { reserved: 0n, recall: 0n, recalling: false };
    this.rows.balances.set(name, { posted: ceiling - spent, reserved, recall, recalling });
  }

  /** @param requests of one key on one day: most of them count in the same way */
  #spend(requests: readonly Counted[], names: readonly string[], ofNodes: ReadonlyMap<string, string>): void {
    const budgets = names.filter((name) => this.#budgets.has(name));
    let before: Counted | undefined;
    let spenders: readonly Spender[] = [];
    for (const one of requests) {
      if (!before || !countedAlike(one, before)) spenders = this.#spendersOf(one, budgets, ofNodes);
      this.#spenders.set(one.request.requestId, spenders);
      before = one;
    }
  }

  /**
   * What was let in under a budget may not exceed it. Of a dead process's requests that is not known: all limit them.
   */
  #spendersOf({ request, deadNode }: Counted, budgets: readonly string[], ofNodes: ReadonlyMap<string, string>): readonly Spender[] {
    const { requestId, principal, shares = [] } = request;
    const limits = new Map(periodsOf(principal.rules?.budgets ?? [], requestId).map(({ name, limit }) => [name, limit]));
    return budgets.map((budget) => {
      const { ceiling } = this.#budgets.get(budget)!;
      const limit = deadNode === undefined ? limits.get(budget) : ceiling;
      // Until somebody asks for more under a limit that was raised, the store has the one of before.
      if (limit !== undefined) this.#limits.set(budget, greatest(limit, ceiling, this.#limits.get(budget) ?? 0n));
      const lowered = limit === undefined ? undefined : limit > ceiling ? limit - ceiling : 0n;
      const ofNode = ofNodes.get(`${deadNode} ${budget}`);
      const share = ofNode ?? shares.find((id) => this.rows.leases.get(id)?.account === budget);
      return { budget, share, lowered };
    });
  }

  *#budgetChange(name: string, { posted, reserved, recall }: BalanceRow, ttl: number): Generator<Compilable> {
    const { db } = this.database;
    const { accountId, environment, ceiling, before } = this.#budgets.get(name)!;
    const spent = ceiling - posted;
    const reached = this.#newlyReached(name, spent);
    const values = { ceiling, spent, reserved, ...(reached !== undefined && { told_limit: reached }) };
    if (!before) yield db.insertInto('budget').values({ name, account_id: accountId, environment, ...values });
    else if (before.ceiling !== ceiling || before.posted !== posted || before.reserved !== reserved || reached !== undefined)
      yield db.updateTable('budget').set(values).where('name', '=', name);
    if (recall !== (before?.recall ?? 0n))
      yield db.updateTable('budget').set({ recall, recall_until: this.database.clock(recallWait(ttl)) }).where('name', '=', name); // prettier-ignore
    if (reached !== undefined)
      yield { compile: () => recordEvent(this.database, budgetReached(name, accountId, reached, spent)).compile(db) };
  }

  /** @returns the limit of a budget that is reached, where nobody was told; undefined where it is not, or they were */
  #newlyReached(name: string, spent: bigint): bigint | undefined {
    const limit = this.#limits.get(name) ?? 0n;
    const reached = spent >= limit || this.#refusing.has(name);
    return reached && limit > (this.#budgets.get(name)!.toldLimit ?? 0n) ? limit : undefined;
  }
}

function ofBalance({ accountId, environment }: BalanceKey): string {
  return balanceName({ accountId, environment });
}

/** Whether two requests, which count in the same budgets, were let in under the same rules and held from the same shares. */
function countedAlike({ request, deadNode }: Counted, other: Counted): boolean {
  const { principal, shares = [] } = request;
  const { principal: otherPrincipal, shares: otherShares = [] } = other.request;
  return (
    deadNode === other.deadNode &&
    principal.rules?.budgets === otherPrincipal.rules?.budgets &&
    shares.length === otherShares.length &&
    shares.every((id, index) => id === otherShares[index])
  );
}

function greatest(...amounts: readonly bigint[]): bigint {
  return amounts.reduce((one, other) => (one > other ? one : other));
}
