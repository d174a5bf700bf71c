import { AsyncLocalStorage } from 'node:async_hooks';
import { type Compilable, type Kysely, type QueryResult, type RawBuilder, sql, type Transaction } from 'kysely';
import { type Clock, systemClock } from '../common/time/clock.js';
import { Changes, type Topic } from './changes.js';
import type { Engine } from './engine.js';
import { runLastBatch } from './run-batch.js';
import type { Rights, Schema } from './schema.js';
import { StoreTime } from './store-time.js';

/**
 * What is to be done in the same transaction as a change, where there is one: a row of a log, for example.
 * @param id of what was made or changed
 */
export type Beside = (trx: Transaction<Schema>, id: string, rights?: RightsChange) => Promise<unknown>;

/** What somebody might do before a change, and may do after it. */
export interface RightsChange {
  readonly before: Rights;
  readonly after: Rights;
}

export interface ChangeOptions {
  /** The change is made only where the row still has this version. */
  readonly ifVersion?: bigint | undefined;
  readonly beside?: Beside | undefined;
}

/** What differs between the engines besides their SQL. */
export interface EngineConnection {
  readonly engine: Engine;
  readonly db: Kysely<Schema>;
  /** Connections that only read, beside those of `db`, and never wait for these. */
  readonly reads: Kysely<Schema>;
  /** Refuses a second gateway process on one embedded store. */
  lockGateway(): void;
  /** Starts to watch for what other processes change. */
  watch(changes: Changes): void;
  /**
   * A statement that increments a topic's counter, returns it as `value`, and at the commit notifies the processes that
   * watch.
   */
  raise(topic: Topic): RawBuilder<{ value: bigint }>;
  close(): Promise<void>;
}

const reading = new AsyncLocalStorage<true>();

/** The open store. Queries are Kysely's; here is what both engines must agree on. */
export class Database {
  readonly #changes: Changes;
  #watching = false;

  constructor(
    private readonly connection: EngineConnection,
    private readonly time: Clock = systemClock,
  ) {
    this.#changes = new Changes(() => this.#versions(), time);
  }

  get engine(): Engine {
    return this.connection.engine;
  }

  /** Within `reading` the connections that only read. */
  get db(): Kysely<Schema> {
    return reading.getStore() ? this.connection.reads : this.connection.db;
  }

  /**
   * Does what somebody's page is made of. Its queries have connections of their own, of which there are few, and which
   * wait and last for a limited time (`readLimits`); they cannot write. Transactions and changes are made as anywhere.
   */
  reading<T>(work: () => T): T {
    return reading.run(true, work);
  }

  transaction<T>(work: (trx: Transaction<Schema>) => Promise<T>): Promise<T> {
    return this.connection.db.transaction().execute(work);
  }

  /** Reads that all see the same moment of the store. They block nobody. */
  snapshot<T>(work: (trx: Transaction<Schema>) => Promise<T>): Promise<T> {
    return this.connection.db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(async (trx) => {
        // A transaction that locks nothing may pause between two statements for as long as it needs.
        if (this.engine === 'postgres') await sql`set local idle_in_transaction_session_timeout = 0`.execute(trx);
        return work(trx);
      });
  }

  /** Runs several statements as one transaction. */
  batch(queries: readonly Compilable[]): Promise<QueryResult<unknown>[]> {
    return this.transaction((trx) => runLastBatch(trx, queries));
  }

  /**
   * The store's clock, in milliseconds since 1970, which processes on several machines share: PostgreSQL's own, which
   * no test moves. The embedded store has this process's.
   * @param later milliseconds that are added to it
   */
  clock(later = 0): RawBuilder<bigint> {
    return this.engine === 'postgres'
      ? sql<bigint>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint) + ${sql.lit(later)}`
      : sql.val(new StoreTime(later) as unknown as bigint);
  }

  /** This process's time, in milliseconds since 1970. */
  now(): number {
    return this.time.now();
  }

  /**
   * Locks the rows that a query reads until its transaction ends. SQLite needs no lock: its transactions exclude one
   * another.
   */
  forUpdate<Q extends { forUpdate(): Q }>(query: Q): Q {
    return this.engine === 'postgres' ? query.forUpdate() : query;
  }

  /** The same, but passes over rows that others have locked. */
  forUpdateOfFree<Q extends { forUpdate(): Q; skipLocked(): Q }>(query: Q): Q {
    return this.engine === 'postgres' ? query.forUpdate().skipLocked() : query;
  }

  /** @throws StoreError in_use when another gateway process serves from this embedded store. */
  lockGateway(): void {
    this.connection.lockGateway();
  }

  /**
   * Makes a transaction that changes what processes keep in memory. The change is in force in this process when the
   * promise resolves, and everywhere within a second. The counter's row is locked until the end of the transaction, so
   * that versions become visible in their order.
   */
  async change<T>(topic: Topic, work: (trx: Transaction<Schema>, version: bigint) => Promise<T>): Promise<T> {
    let version!: bigint;
    const result = await this.transaction(async (trx) => {
      const { rows } = await this.raise(topic).execute(trx);
      version = rows[0]!.value;
      return work(trx, version);
    });
    await this.#changes.heard(topic, version);
    return result;
  }

  /**
   * A statement for a larger transaction, which increments a topic's counter and notifies every process at the commit.
   */
  raise(topic: Topic): RawBuilder<{ value: bigint }> {
    return this.connection.raise(topic);
  }

  /**
   * Calls `read` now and after every change of a topic, whoever made it.
   * @param read is called again later where it rejects
   * @throws what the first call of `read` rejects with
   */
  follow(topic: Topic, read: () => Promise<void>): Promise<void> {
    const followed = this.#changes.follow(topic, read);
    if (!this.#watching) this.connection.watch(this.#changes);
    this.#watching = true;
    return followed;
  }

  /** Resolves when every followed change that was committed before the call is in memory. Never rejects. */
  look(): Promise<void> {
    return this.#changes.look();
  }

  async close(): Promise<void> {
    this.#changes.stop();
    await this.connection.close();
  }

  async #versions(): Promise<ReadonlyMap<string, bigint>> {
    const rows = await this.connection.db.selectFrom('counter').select(['name', 'value']).execute();
    return new Map(rows.map(({ name, value }) => [name, value]));
  }
}
