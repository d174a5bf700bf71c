import { type Compilable, type Kysely, type QueryResult, type RawBuilder, sql, type Transaction } from 'kysely';
import type { Engine } from './engine.js';
import { runLastBatch } from './run-batch.js';
import type { Schema } from './schema.js';

/** What differs between the engines beyond their SQL. */
export interface EngineConnection {
  readonly engine: Engine;
  readonly db: Kysely<Schema>;
  /** Refuses a second gateway process on one embedded store. */
  lockGateway(): void;
  /** Tells other processes that something they may hold in memory has changed. */
  announce(): Promise<void>;
  close(): Promise<void>;
}

/** The open store. Queries are Kysely's; what is here is what both engines must agree on. */
export class Database {
  readonly #listeners = new Set<() => void | Promise<void>>();

  constructor(private readonly connection: EngineConnection) {}

  get engine(): Engine {
    return this.connection.engine;
  }

  get db(): Kysely<Schema> {
    return this.connection.db;
  }

  transaction<T>(work: (trx: Transaction<Schema>) => Promise<T>): Promise<T> {
    return this.db.transaction().execute(work);
  }

  /** Reads that all see the same moment of the store; blocks nobody. */
  snapshot<T>(work: (trx: Transaction<Schema>) => Promise<T>): Promise<T> {
    return this.db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(work);
  }

  /** Several statements as one transaction. */
  batch(queries: readonly Compilable[]): Promise<QueryResult<unknown>[]> {
    return this.transaction((trx) => runLastBatch(trx, queries));
  }

  /** The store's clock in milliseconds since 1970, the one that processes on several machines share; so many milliseconds from now. */
  clock(later = 0): RawBuilder<bigint> {
    return this.engine === 'postgres'
      ? sql<bigint>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint) + ${sql.lit(later)}`
      : sql<bigint>`cast(unixepoch('subsec') * 1000 as integer) + ${sql.lit(later)}`;
  }

  /** Locks the rows that a query reads until its transaction ends. SQLite's transactions exclude one another anyway. */
  forUpdate<Q extends { forUpdate(): Q }>(query: Q): Q {
    return this.engine === 'postgres' ? query.forUpdate() : query;
  }

  /** @throws StoreError in_use when another gateway process serves from this embedded store. */
  lockGateway(): void {
    this.connection.lockGateway();
  }

  /** Calls back when the store may have changed, whoever changed it, until the returned function is called. The listener must not reject. */
  onChange(listener: () => void | Promise<void>): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** To be called after a change that is kept in memory somewhere (keys, prices): in force here when it resolves, everywhere within a second. */
  async announce(): Promise<void> {
    await Promise.all([this.changed(), this.connection.announce()]);
  }

  /** For the engine: another process has changed something. */
  async changed(): Promise<void> {
    await Promise.all(Array.from(this.#listeners, async (listener) => listener()));
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    await this.connection.close();
  }
}
