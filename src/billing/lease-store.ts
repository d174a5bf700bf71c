import type { SelectQueryBuilder, Transaction } from 'kysely';
import type { Principal } from '../auth/principal.js';
import type { Database } from '../database/database.js';
import { runLastBatch } from '../database/run-batch.js';
import type { Schema } from '../database/schema.js';
import { available, type Books, charge, type Charged, giveBack, grant, type Lease, reap } from './lease-protocol.js';
import { CRASHED, crashedEnding, type Delivered, type Ending, type Progress, type RequestFacts } from './request-facts.js';
import { LedgerFigures } from './ledger-figures.js';
import { type BalanceKey, balanceName, StoredBooks } from './stored-books.js';
import { advanceRequests, beginRequests, endRequests, toRequest } from './usage-rows.js';

/** Money of a lease that is not needed. */
export interface Give {
  readonly leaseId: string;
  readonly account: BalanceKey;
  /** Nano-credits. */
  readonly amount: bigint;
}

/** A request for more money on a lease. */
export interface Ask {
  readonly leaseId: string;
  readonly account: BalanceKey;
  /** The store has not yet answered about this lease. */
  readonly opens: boolean;
  /** Nano-credits wanted when so many are available; undefined when those would not help anybody. */
  readonly need: (available: bigint) => bigint | undefined;
}

/** What the store says to an ask. */
export interface AskAnswer {
  /** Nano-credits that the account has in all, leased or not. */
  readonly posted: bigint;
  /** Nano-credits leased to other processes. */
  readonly elsewhere: bigint;
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

type Leases = SelectQueryBuilder<Schema, 'lease', object>;

/** The operations of the lease protocol, on either engine. Each is one transaction. */
export class LeaseStore {
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
    const { fresh, ...answered } = await this.#sync(batch);
    this.figures.onFlush(performance.now() - began);
    for (const { principal, uncollected } of fresh) this.figures.uncollected[principal.environment] += uncollected;
    return answered;
  }

  /** Settles for a process that has ended, without renewing anything of it. */
  async replay(endings: readonly Ending[]): Promise<void> {
    const { fresh } = await this.#sync({ begins: [], progress: [], endings, gives: [], asks: [], renews: [] });
    this.#recovered(fresh);
  }

  #recovered(fresh: readonly Settled[]): void {
    for (const { principal, uncollected, first } of fresh) {
      if (first) this.figures.recovered[principal.environment]++;
      this.figures.uncollected[principal.environment] += uncollected;
    }
  }

  #sync({ begins, progress, endings, gives, asks, renews }: LedgerBatch): Promise<LedgerAnswer & { fresh: Settled[] }> {
    const { engine } = this.database;
    return this.database.transaction(async (trx) => {
      const requests = endings.map(({ request }) => request);
      const money = [...gives, ...asks];
      const stored = await StoredBooks.load(this.database, trx, {
        leaseIds: [...[...begins, ...requests].flatMap(({ leaseId }) => leaseId ?? []), ...money.map(({ leaseId }) => leaseId), ...renews],
        accountIds: [...requests.map(({ principal }) => principal.accountId), ...money.map(({ account }) => account.accountId)],
        requestIds: requests.map(({ requestId }) => requestId),
      });
      const { books } = stored;
      const begun = begins.filter(({ leaseId }) => leaseId !== undefined && books.leases.has(leaseId));
      const before = new Map(books.charges);
      for (const { request, charge: due, outcome } of endings) {
        const { requestId, principal, leaseId } = request;
        charge(books, { requestId, account: balanceName(principal), leaseId, amount: due.amount, provisional: outcome === CRASHED });
      }
      for (const { leaseId, amount } of gives) giveBack(books, leaseId, amount);
      const answers = new Map(asks.map((ask) => [ask.leaseId, answer(books, ask)]));
      await runLastBatch(trx, [
        ...endRequests(trx, engine, endings, before, books),
        ...beginRequests(trx, engine, begun, this.nodeId),
        ...advanceRequests(trx, engine, progress),
        ...stored.changes(this.nodeId, this.ttl),
      ]);
      return { leases: books.leases, asks: answers, fresh: settled(endings, before, books) };
    });
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
    const endings = rows.map((row) => crashedEnding(toRequest(row), delivered(row), Date.now()));
    const stored = await StoredBooks.load(this.database, trx, {
      leaseIds,
      accountIds: dead.map(({ account_id }) => account_id),
      requestIds: rows.map(({ request_id }) => request_id),
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
      ...endRequests(trx, this.database.engine, endings, before, stored.books),
      ...stored.changes(this.nodeId, this.ttl),
    ]);
    return { count: leaseIds.length, fresh: settled(endings, before, stored.books) };
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

function answer(books: Books, { leaseId, account, opens, need }: Ask): AskAnswer {
  const name = balanceName(account);
  const balance = books.balances.get(name) ?? { posted: 0n, reserved: 0n };
  const wanted = need(available(balance));
  if (wanted !== undefined) grant(books, leaseId, name, wanted, opens);
  const own = books.leases.get(leaseId);
  return { posted: balance.posted, elsewhere: balance.reserved - (own ? own.granted - own.spent : 0n) };
}
