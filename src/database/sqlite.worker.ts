/**
 * The thread that owns the SQLite file: commits wait for the disk here, never on the thread that serves requests. It
 * imports no file of ours: specs run a compiled copy that lies elsewhere.
 */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { SqliteOptions, SqliteReply, SqliteRequest, SqliteResult, SqliteStatement } from './sqlite-protocol.js';

const SQLITE_BUSY = 5;
/** Milliseconds between two attempts to change the file to WAL. */
const WAL_RETRY_MS = 5;

const options = workerData as SqliteOptions;
const port = parentPort!;

/** Only reads: another thread has made the file what it is, and looks for what changes. */
const readOnly = options.pollInterval === undefined;
const database = new DatabaseSync(options.file, { readOnly, enableForeignKeyConstraints: true, timeout: options.busyTimeout });
database.exec('pragma trusted_schema = off');
if (!readOnly) {
  // It takes effect before anything is written, and writes to a file in which something is.
  if (database.prepare('pragma page_count').get()!['page_count'] === 0) database.exec('pragma auto_vacuum = incremental');
  enterWal();
  database.exec('pragma synchronous = full; pragma journal_size_limit = 67108864');
}

/**
 * Changes the file to WAL. Where another process changes it in the same moment, SQLite refuses this at once, without
 * the busy timeout: it would be a deadlock if both waited while they read (SQLite, sqlite3_busy_handler).
 */
function enterWal(): void {
  const deadline = performance.now() + options.busyTimeout;
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    try {
      database.exec('pragma journal_mode = wal');
      return;
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== SQLITE_BUSY || performance.now() >= deadline) throw error;
      Atomics.wait(pause, 0, 0, WAL_RETRY_MS);
    }
  }
}

/** Prepared statements that are kept. */
const MAX_PREPARED = 256;
const prepared = new Map<string, Prepared>();

interface Prepared {
  readonly statement: StatementSync;
  readonly answers: boolean;
}

/** All integers are read as bigint: above 2^53 a number would be rounded or refused. */
function prepare(sql: string): Prepared {
  let one = prepared.get(sql);
  if (!one) {
    const statement = database.prepare(sql);
    statement.setReadBigInts(true);
    // `incremental_vacuum` names no columns, and stops after a page unless its rows are read.
    one = { statement, answers: statement.columns().length > 0 || sql.startsWith('pragma') };
    if (prepared.size >= MAX_PREPARED) prepared.delete(prepared.keys().next().value!);
    prepared.set(sql, one);
  }
  return one;
}

function run({ sql, parameters, rows: given }: SqliteStatement): SqliteResult {
  // SQLite has already rolled back after some errors (disk full, for example).
  if (sql === 'rollback' && !database.isTransaction) return { rows: [], changes: 0n };
  const { statement, answers } = prepare(sql);
  if (given !== undefined) {
    let changes = 0n;
    for (const row of JSON.parse(given) as (string | number | null)[][]) changes += BigInt(statement.run(...row).changes);
    return { rows: [], changes };
  }
  if (answers) {
    const rows = statement.all(...parameters) as SqliteResult['rows'];
    return { rows, changes: BigInt(rows.length) };
  }
  return { rows: [], changes: BigInt(statement.run(...parameters).changes) };
}

const poll = readOnly ? undefined : watch();

/** Tells when another connection has committed. */
function watch(): NodeJS.Timeout {
  const { statement: dataVersion } = prepare('pragma data_version');
  let seenVersion = dataVersion.get()?.data_version;
  return setInterval(() => {
    const version = dataVersion.get()?.data_version;
    if (version === seenVersion) return;
    seenVersion = version;
    port.postMessage({ changed: true } satisfies SqliteReply);
  }, options.pollInterval);
}

function close(): void {
  clearInterval(poll);
  if (database.isTransaction) database.exec('rollback');
  database.close();
}

const SQLITE_ABORT = 4;

class Unexpected extends Error {}

function runAll(statements: readonly SqliteStatement[]): SqliteResult[] {
  return statements.map((statement) => {
    const result = run(statement);
    if (statement.changes !== undefined && result.changes !== BigInt(statement.changes)) throw new Unexpected(statement.sql);
    return result;
  });
}

function answer(request: SqliteRequest): SqliteReply {
  try {
    if ('statements' in request) {
      // The transaction was another thread's, or SQLite has rolled it back: each statement would commit by itself.
      if (request.continues && !database.isTransaction)
        return { id: request.id, error: { message: 'the transaction was lost', code: SQLITE_ABORT } };
      return { id: request.id, results: runAll(request.statements) };
    }
    close();
    return { id: request.id, results: [] };
  } catch (error) {
    if (error instanceof Unexpected) return { id: request.id, unexpected: error.message };
    const { message, errcode = 0 } = error as Error & { errcode?: number };
    return { id: request.id, error: { message, code: errcode } };
  }
}

port.on('message', (request: SqliteRequest) => {
  port.postMessage(answer(request));
  if ('close' in request) port.close();
});
