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
import type { Clock } from '../common/time/clock.js';
import { AskersQueue, type Queue } from './askers-queue.js';
import type { RowsQuery } from './insert-rows.js';
import type { BatchConnection, GuardedQuery } from './run-batch.js';
import type { SqliteClient } from './sqlite-client.js';
import type { SqliteStatement, SqliteValue } from './sqlite-protocol.js';
import { StoreTime } from './store-time.js';

/**
 * Locks out other writers from the start: a transaction that begins by reading can no longer write once another process
 * has written.
 */
const BEGIN_WRITING: SqliteStatement = { sql: 'begin immediate', parameters: [] };
/** Reads one moment of the store and blocks nobody. */
const BEGIN_READING: SqliteStatement = { sql: 'begin', parameters: [] };

/**
 * Kysely over threads of SQLite, each with one connection, which askers have in turn. Over one thread transactions follow
 * one another.
 */
export class SqliteDialect implements Dialect {
  constructor(
    private readonly clients: readonly SqliteClient[],
    private readonly queue: Queue,
    private readonly clock: Clock,
  ) {}

  createDriver = () => new SqliteDriver(this.clients, this.queue, this.clock);
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

  /** Otherwise Kysely would queue callers itself, without a limit. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

class SqliteDriver implements Driver {
  readonly #free: SqliteConnection[];
  readonly #waiting: AskersQueue<SqliteConnection>;

  constructor(
    private readonly clients: readonly SqliteClient[],
    queue: Queue,
    clock: Clock,
  ) {
    this.#free = clients.map((client) => new SqliteConnection(client, clock));
    this.#waiting = new AskersQueue(queue, clock);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#next() ?? this.#waiting.wait();
  }

  async releaseConnection(connection: SqliteConnection): Promise<void> {
    this.#free.push(connection);
    while (this.#waiting.size > 0) {
      const next = this.#next();
      if (!next) return;
      this.#waiting.serve(next);
    }
  }

  async beginTransaction(connection: SqliteConnection, { accessMode }: TransactionSettings): Promise<void> {
    connection.begin(accessMode === 'read only' ? BEGIN_READING : BEGIN_WRITING);
  }

  async commitTransaction(connection: SqliteConnection): Promise<void> {
    await connection.end('commit');
  }

  async rollbackTransaction(connection: SqliteConnection): Promise<void> {
    await connection.end('rollback');
  }

  async destroy(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.close()));
  }

  /** One whose thread answers; where none does and none is in use, one that refuses at once. */
  #next(): SqliteConnection | undefined {
    const answering = this.#free.findIndex(({ client }) => client.answers);
    if (answering < 0 && this.#free.length < this.clients.length) return undefined;
    return this.#free.splice(Math.max(0, answering), 1)[0];
  }
}

class SqliteConnection implements BatchConnection {
  #inTransaction = false;
  /** `begin`, until it is sent with the first statement of its transaction. */
  #pending: SqliteStatement | undefined;
  /** `commit` was sent with the last statements of the transaction. */
  #committed = false;

  constructor(
    readonly client: SqliteClient,
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
