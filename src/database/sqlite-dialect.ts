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

/**
 * Locks out other writers from the start: a transaction that begins by reading can no longer write once another process
 * has written.
 */
const BEGIN_WRITING: SqliteStatement = { sql: 'begin immediate', parameters: [] };
/** Reads one moment of the store and blocks nobody. */
const BEGIN_READING: SqliteStatement = { sql: 'begin', parameters: [] };

/** How long callers queue for a connection. */
export interface Queue {
  /** Callers that may wait; further ones are refused. */
  readonly most: number;
  /** Milliseconds that one waits; absent: until it is its turn. */
  readonly patience?: number;
}

/**
 * Kysely over threads of SQLite, each with one connection. They are given to callers in the order in which they ask, so
 * that over one thread transactions follow one another.
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

type Take = (connection: SqliteConnection) => void;

class SqliteDriver implements Driver {
  readonly #free: SqliteConnection[];
  readonly #waiting = new Set<Take>();

  constructor(
    private readonly clients: readonly SqliteClient[],
    private readonly queue: Queue,
    private readonly clock: Clock,
  ) {
    this.#free = clients.map((client) => new SqliteConnection(client, clock));
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const { most, patience } = this.queue;
    const connection = this.#next();
    if (connection) return connection;
    if (this.#waiting.size >= most) throw tooMany();
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        if (this.#waiting.delete(take)) reject(tooMany());
      };
      const timer = patience === undefined ? undefined : this.clock.setTimeout(giveUp, patience);
      const take: Take = (given) => {
        this.clock.clear(timer);
        resolve(given);
      };
      this.#waiting.add(take);
    });
  }

  async releaseConnection(connection: SqliteConnection): Promise<void> {
    this.#free.push(connection);
    for (const take of this.#waiting) {
      const next = this.#next();
      if (!next) return;
      this.#waiting.delete(take);
      take(next);
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

function tooMany(): StoreError {
  return new StoreError('unavailable', 'The store does not keep up: too many callers are waiting');
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
