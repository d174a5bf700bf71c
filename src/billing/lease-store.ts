import { type SelectQueryBuilder, sql, type Transaction } from 'kysely';
import type { Principal } from '../auth/principal.js';
import type { Database } from '../database/database.js';
import { runLastBatch } from '../database/run-batch.js';
import type { Schema } from '../database/schema.js';
import { isConstraintViolation, UnexpectedChanges } from '../database/store-error.js';
import { answered, available, type Books, charge, type Charged, giveBack, grant, type Lease, reap, recall } from './lease-protocol.js';
import { CRASHED, crashedEnding, type Delivered, type Ending, type Progress, type RequestFacts } from './request-facts.js';
import { LedgerFigures } from './ledger-figures.js';
import { type BalanceKey, balanceName, recalling, StoredBooks } from './stored-books.js';
import { advanceRequests, beginRequests, endRequests, toRequest } from './usage-rows.js';

/** Money of a lease that is not needed. */
export interface Give {
  readonly leaseId: string;
  readonly account: BalanceKey;
  /** Nano-credits. */
  readonly amount: bigint;
  /** The recall that this answers, if it answers one. */
  readonly recalled?: bigint;
}

/** Money that an ask can count on. Amounts in nano-credits. */
export interface Supply {
  readonly available: bigint;
  /** Leased to other processes, used or not. */
  readonly elsewhere: bigint;
  /** The last recall that all of those have answered; undefined where there are none. */
  readonly reached: bigint | undefined;
}

export interface Demand {
  /** Nano-credits wanted; undefined when what is available would not help anybody. */
  readonly need: bigint | undefined;
  /** Somebody has to wait for what is elsewhere. */
  readonly short: boolean;
  /** Somebody for whom no recall has been made. */
  readonly recalls: boolean;
}

/** A request for more money on a lease. */
export interface Ask {
  readonly leaseId: string;
  readonly account: BalanceKey;
  /** The store has not yet answered about this lease. */
  readonly opens: boolean;
  /** May be asked more than once. */
  readonly demand: (supply: Supply) => Demand;
}

/** What the store says to an ask. */
export interface AskAnswer {
  /** Nano-credits that the account has in all, leased or not. */
  readonly posted: bigint;
  /** Number of the recall that was made for those who were short. */
  readonly recall: bigint | undefined;
}

/** What a process has to tell the store: one transaction, which may be repeated whole. */
export interface LedgerBatch {
  readonly begins: readonly RequestFacts[];
  readonly progress: readonly Progress[];
  readonly endings: readonly Ending[];
  readonly gives: readonly Give[];
  readonly asks: readonly Ask[];
  /** Leases to renew beside those of the above. */
  readonly renews: readonly string[];
}

export interface LedgerAnswer {
  /** What each lease of the batch is now; one that is not in here is gone. */
  readonly leases: ReadonlyMap<string, Readonly<Lease>>;
  /** By lease. */
  readonly asks: ReadonlyMap<string, AskAnswer>;
}

/** Leases in one transaction of the reaper. */
const MAX_REAPED = 100;

interface Settled {
  readonly principal: Principal;
  /** Nano-credits. */
  readonly uncollected: bigint;
  /** Nobody had settled it before, not even by a guess. */
  readonly first: boolean;
}

interface Reaped {
  /** Leases. */
  readonly count: number;
  readonly fresh: readonly Settled[];
}

interface Synced extends LedgerAnswer {
  readonly fresh: readonly Settled[];
}

type Leases = SelectQueryBuilder<Schema, 'lease', object>;

/** The operations of the lease protocol, on either engine. Each is one transaction. */
export class LeaseStore {
  /** This process's leases as they were left the last time: nobody else changes them, but for ending them. Empty after a failure. */
  readonly #known = new Map<string, Lease>();
  /** Ids of the requests that the store was told of, and may have in flight. */
  readonly #inflight = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly nodeId: string,
    /** Milliseconds until a lease runs out that nobody renews. */
    private readonly ttl: number,
    private readonly figures = new LedgerFigures(),
  ) {}

  /** Flush, return and grant, in this order: what is settled or given back can be granted at once. */
  async sync(batch: LedgerBatch): Promise<LedgerAnswer> {
    const began = performance.now();
    const { fresh, ...answer } = await this.#synced(batch);
    this.figures.onFlush(performance.now() - began);
    for (const { principal, uncollected } of fresh) this.figures.uncollected[principal.environment] += uncollected;
    return answer;
  }

  /** Settles for a process that has ended, without renewing anything of it. */
  async replay(endings: readonly Ending[]): Promise<void> {
    // The process may have told the store of any of them.
    for (const { request } of endings) this.#inflight.add(request.requestId);
    const { fresh } = await this.#synced({ begins: [], progress: [], endings, gives: [], asks: [], renews: [] });
    this.#recovered(fresh);
  }

  #recovered(fresh: readonly Settled[]): void {
    for (const { principal, uncollected, first } of fresh) {
      if (first) this.figures.recovered[principal.environment]++;
      this.figures.uncollected[principal.environment] += uncollected;
    }
  }

  async #synced(batch: LedgerBatch): Promise<Synced> {
    const leaseIds = leasesOf(batch);
    for (const { requestId } of batch.begins) this.#inflight.add(requestId);
    const ended = batch.endings.map(({ request }) => request.requestId).filter((id) => this.#inflight.has(id));
    try {
      const synced = (await this.#settle(batch, leaseIds, ended)) ?? (await this.#sync(batch, leaseIds, ended));
      for (const id of ended) this.#inflight.delete(id);
      for (const id of leaseIds) {
        const lease = synced.leases.get(id);
        if (lease) this.#known.set(id, lease);
        else this.#known.delete(id);
      }
      return synced;
    } catch (error) {
      this.#known.clear();
      throw error;
    }
  }

  /**
   * What most batches are, without reading anything first: ends of requests whose leases are known and pay for all of it. Answers nothing, and has
   * done nothing, where the store does not know it so.
   */
  async #settle(
    { begins, progress, endings, gives, asks }: LedgerBatch,
    leaseIds: ReadonlySet<string>,
    ended: readonly string[],
  ): Promise<Synced | undefined> {
    const leases = new Map<string, Lease>();
    for (const id of leaseIds) {
      const lease = this.#known.get(id);
      if (lease) leases.set(id, lease);
    }
    // Leases that are only to be renewed are told of in one statement where they are read.
    const simple = gives.length + asks.length === 0 && leases.size === leaseIds.size && leases.size <= endings.length + begins.length;
    if (!simple) return undefined;
    const stored = StoredBooks.trusted(
      this.database,
      leases,
      endings.map(({ request: { principal } }) => principal),
    );
    const { books } = stored;
    chargeAll(books, endings);
    for (const { uncollected } of books.charges.values()) if (uncollected > 0n) return undefined;
    try {
      await this.database.batch([
        ...stored.trustedChanges(this.ttl),
        ...endRequests(this.database, endings, ended, NONE, books),
        ...beginRequests(
          this.database,
          begins.filter(({ leaseId }) => leaseId !== undefined),
          this.nodeId,
        ),
        ...advanceRequests(this.database, progress),
        ...stored.revenue(),
      ]);
    } catch (error) {
      if (error instanceof UnexpectedChanges || isConstraintViolation(error)) return undefined;
      throw error;
    }
    return { leases: books.leases, asks: new Map(), fresh: settled(endings, NONE, books) };
  }

  #sync({ begins, progress, endings, gives, asks }: LedgerBatch, leaseIds: ReadonlySet<string>, ended: readonly string[]): Promise<Synced> {
    return this.database.transaction(async (trx) => {
      const requests = endings.map(({ request }) => request);
      const money = [...gives, ...asks];
      const stored = await StoredBooks.load(this.database, trx, {
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
      for (const ask of asks) answers.set(ask.leaseId, await this.#answer(trx, books, ask));
      const recalls = Array.from(answers.values()).some(({ recall: raised }) => raised !== undefined);
      await runLastBatch(trx, [
        ...endRequests(this.database, endings, ended, before, books),
        ...beginRequests(this.database, begun, this.nodeId),
        ...advanceRequests(this.database, progress),
        ...stored.changes(this.nodeId, this.ttl),
        ...(recalls ? [{ compile: () => this.database.raise('recall').compile(trx) }] : []),
      ]);
      return { leases: books.leases, asks: answers, fresh: settled(endings, before, books) };
    });
  }

  /** The recalls for whose answers somebody may wait: the number, by balance. */
  async recalls(): Promise<{ account: BalanceKey; recall: bigint }[]> {
    const rows = await this.database.db
      .selectFrom('balance')
      .select(['account_id', 'environment', 'recall'])
      .where('recall_until', '>', 0n)
      .where(recalling(this.database))
      .execute();
    return rows.map(({ account_id: accountId, environment, recall: number }) => ({ account: { accountId, environment }, recall: number }));
  }

  async #answer(trx: Transaction<Schema>, books: Books, { leaseId, account, opens, demand }: Ask): Promise<AskAnswer> {
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

  /** Only finds out whether the store answers; nothing is ended by it. */
  async ping(): Promise<0> {
    await sql`select 1`.execute(this.database.db);
    return 0;
  }

  /** Ends the leases of other processes that have run out; answers how many. */
  reapExpired(): Promise<number> {
    return this.#reap((leases) => leases.where('node_id', '!=', this.nodeId).where('expires_at', '<', this.database.clock()));
  }

  /** Ends the leases of a process that is known to be dead, or of all others where none can be alive. */
  reapDead(nodeId?: string): Promise<number> {
    return this.#reap((leases) =>
      nodeId === undefined ? leases.where('node_id', '!=', this.nodeId) : leases.where('node_id', '=', nodeId),
    );
  }

  async #reap(which: (leases: Leases) => Leases): Promise<number> {
    for (let reaped = 0; ;) {
      const { count, fresh } = await this.database.transaction((trx) => this.#reapSome(trx, which(trx.selectFrom('lease'))));
      this.#recovered(fresh);
      reaped += count;
      if (count < MAX_REAPED) return reaped;
    }
  }

  async #reapSome(trx: Transaction<Schema>, leases: Leases): Promise<Reaped> {
    const dead = await this.database.forUpdate(leases.select(['id', 'account_id']).orderBy('id').limit(MAX_REAPED)).execute();
    if (dead.length === 0) return { count: 0, fresh: [] };
    const leaseIds = dead.map(({ id }) => id);
    const rows = await trx.selectFrom('inflight').selectAll().where('lease_id', 'in', leaseIds).execute();
    const ended = rows.map(({ request_id }) => request_id);
    const endings = rows.map((row) => crashedEnding(toRequest(row), delivered(row), Date.now()));
    const stored = await StoredBooks.load(this.database, trx, {
      leaseIds,
      accountIds: dead.map(({ account_id }) => account_id),
      requestIds: ended,
    });
    const before = new Map(stored.books.charges);
    for (const leaseId of leaseIds) {
      const orphans = endings.filter(({ request }) => request.leaseId === leaseId);
      reap(
        stored.books,
        leaseId,
        orphans.map(({ request, charge: { amount } }) => ({ requestId: request.requestId, amount })),
      );
    }
    await runLastBatch(trx, [
      ...endRequests(this.database, endings, ended, before, stored.books),
      ...stored.changes(this.nodeId, this.ttl),
    ]);
    return { count: leaseIds.length, fresh: settled(endings, before, stored.books) };
  }
}

/** Before a batch nothing of its endings is in the store. */
const NONE: ReadonlyMap<string, Charged> = new Map();

function leasesOf({ begins, endings, gives, asks, renews }: LedgerBatch): ReadonlySet<string> {
  const ids = new Set(renews);
  for (const { leaseId } of begins) if (leaseId !== undefined) ids.add(leaseId);
  for (const { request } of endings) if (request.leaseId !== undefined) ids.add(request.leaseId);
  for (const { leaseId } of [...gives, ...asks]) ids.add(leaseId);
  return ids;
}

function chargeAll(books: Books, endings: readonly Ending[]): void {
  for (const { request, charge: due, outcome } of endings) {
    const { requestId, principal, leaseId } = request;
    charge(books, { requestId, account: balanceName(principal), leaseId, amount: due.amount, provisional: outcome === CRASHED });
  }
}

/** Those of the endings that the store did not know, or knew otherwise. */
function settled(endings: readonly Ending[], before: ReadonlyMap<string, Charged>, { charges }: Books): Settled[] {
  return endings.flatMap(({ request: { requestId, principal } }) => {
    const [was, is] = [before.get(requestId), charges.get(requestId)];
    return is && is !== was ? [{ principal, uncollected: is.uncollected, first: was === undefined }] : [];
  });
}

function delivered(row: { prompt_tokens: bigint; completion_tokens: bigint }): Delivered {
  return { promptTokens: Number(row.prompt_tokens), completionTokens: Number(row.completion_tokens) };
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
