import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
} from 'kysely';
import type { Clock } from '../common/clock.js';
import type { RowsQuery } from './insert-rows.js';
import type { BatchConnection, GuardedQuery } from './run-batch.js';
import type { SqliteClient } from './sqlite-client.js';
import type { SqliteStatement, SqliteValue } from './sqlite-protocol.js';
import { StoreError } from './store-error.js';
import { StoreTime } from './store-time.js';

/** Callers that may wait for the one connection. More of them mean that the disk has stopped answering. */
const MAX_WAITING = 10_000;

/**
 * Locks out other writers from the start: a transaction that begins by reading can no longer write once another process
 * has written.
 */
const BEGIN_WRITING: SqliteStatement = { sql: 'begin immediate', parameters: [] };
/** Reads one moment of the store and blocks nobody. */
const BEGIN_READING: SqliteStatement = { sql: 'begin', parameters: [] };

/**
 * Kysely over the SQLite thread. There is one connection, given to callers in the order in which they ask, so that
 * transactions follow one another.
 */
export class SqliteDialect implements Dialect {
  constructor(
    private readonly client: SqliteClient,
    private readonly clock: Clock,
  ) {}

  createDriver = () => new SqliteDriver(this.client, this.clock);
  createQueryCompiler = () => new SqliteQueryCompiler();
  createAdapter = () => new TransactionalDdlAdapter();
  createIntrospector = (db: Kysely<unknown>) => new SqliteIntrospector(db);
}

/**
 * SQLite's schema changes are transactional, and every writing transaction locks the file as it begins: that is the
 * migration lock.
 */
class TransactionalDdlAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class SqliteDriver implements Driver {
  readonly #connection: SqliteConnection;
  readonly #waiting: ((connection: SqliteConnection) => void)[] = [];
  #taken = false;

  constructor(
    private readonly client: SqliteClient,
    clock: Clock,
  ) {
    this.#connection = new SqliteConnection(client, clock);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    if (!this.#taken) {
      this.#taken = true;
      return this.#connection;
    }
    if (this.#waiting.length >= MAX_WAITING)
      throw new StoreError('unavailable', 'The store does not keep up: too many callers are waiting');
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async releaseConnection(): Promise<void> {
    const next = this.#waiting.shift();
    if (next) next(this.#connection);
    else this.#taken = false;
  }

  async beginTransaction(_connection: DatabaseConnection, { accessMode }: TransactionSettings): Promise<void> {
    this.#connection.begin(accessMode === 'read only' ? BEGIN_READING : BEGIN_WRITING);
  }

  async commitTransaction(): Promise<void> {
    await this.#connection.end('commit');
  }

  async rollbackTransaction(): Promise<void> {
    await this.#connection.end('rollback');
  }

  async destroy(): Promise<void> {
    await this.client.close();
  }
}

class SqliteConnection implements BatchConnection {
  #inTransaction = false;
  /** `begin`, until it is sent with the first statement of its transaction. */
  #pending: SqliteStatement | undefined;
  /** `commit` was sent with the last statements of the transaction. */
  #committed = false;

  constructor(
    private readonly client: SqliteClient,
    private readonly clock: Clock,
  ) {}

  begin(statement: SqliteStatement): void {
    this.#inTransaction = true;
    this.#pending = statement;
    this.#committed = false;
  }

  async end(command: 'commit' | 'rollback'): Promise<void> {
    this.#inTransaction = false;
    if (this.#pending || this.#committed) this.#pending = undefined;
    else await this.client.run([{ sql: command, parameters: [] }]);
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const [result] = await this.executeBatch([query], false);
    return result as QueryResult<R>;
  }

  async executeBatch(queries: readonly CompiledQuery[], commit: boolean): Promise<QueryResult<unknown>[]> {
    const now = this.clock.now();
    const statements: SqliteStatement[] = queries.map((query) => ({
      sql: query.sql,
      parameters: query.parameters.map((value) => (value instanceof StoreTime ? BigInt(now + value.later) : (value as SqliteValue))),
      rows: (query as Partial<RowsQuery>).rows,
      changes: (query as Partial<GuardedQuery>).changes,
    }));
    const begin = this.#pending;
    this.#pending = undefined;
    if (begin) statements.unshift(begin);
    if (commit) statements.push({ sql: 'commit', parameters: [] });
    const results = await this.client.run(statements, this.#inTransaction && !begin);
    this.#committed = commit;
    const first = begin ? 1 : 0;
    return results.slice(first, first + queries.length).map(({ rows, changes }) => ({ rows, numAffectedRows: changes }));
  }

  streamQuery(): AsyncIterableIterator<never> {
    throw new Error('The SQLite store answers whole results only');
  }
}
