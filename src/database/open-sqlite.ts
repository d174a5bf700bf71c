import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { Kysely, sql } from 'kysely';
import { type Clock, systemClock } from '../common/time/clock.js';
import type { Changes } from './changes.js';
import { prepareDataFolder } from './data-folder.js';
import type { EngineConnection } from './database.js';
import { FileLock } from './file-lock.js';
import { readLimits } from './read-limits.js';
import type { Schema } from './schema.js';
import { SqliteClient } from './sqlite-client.js';
import { SqliteDialect } from './sqlite-dialect.js';
import { StoreError } from './store-error.js';

/** Older versions can corrupt a file that two processes write (the WAL-reset bug). */
const OLDEST_SQLITE = [3, 51, 3] as const;

const BUSY_TIMEOUT_MS = 5_000;
/**
 * A look at the file's version costs a few microseconds, and a key made by the command line works before a person can
 * paste it.
 */
const POLL_INTERVAL_MS = 100;

/** Callers that may wait for the one connection that writes. More of them mean that the disk has stopped answering. */
const MAX_WAITING = 10_000;

/** @throws StoreError unusable */
export async function openSqlite(dataDir: string, shared?: boolean, clock: Clock = systemClock): Promise<EngineConnection> {
  const file = join(dataDir, 'switchyard.db');
  let db: Kysely<Schema> | undefined;
  let watching: Changes | undefined;
  const onChange = () => void watching?.look();
  try {
    prepareDataFolder(dataDir, shared);
    prepareFile(file);
    const writer = new SqliteClient({ file, busyTimeout: BUSY_TIMEOUT_MS, pollInterval: POLL_INTERVAL_MS }, onChange);
    db = new Kysely<Schema>({ dialect: new SqliteDialect([writer], { most: MAX_WAITING }, clock) });
    const readers = Array.from(
      { length: readLimits.connections.sqlite },
      () => new SqliteClient({ file, busyTimeout: BUSY_TIMEOUT_MS }, undefined, { ms: readLimits.timeMs, clock }),
    );
    const reads = new Kysely<Schema>({
      dialect: new SqliteDialect(readers, { most: readLimits.waiting, patience: readLimits.patienceMs }, clock),
    });
    await requireVersion(db);
    const opened = db;
    let lock: FileLock | undefined;
    return {
      engine: 'sqlite',
      db: opened,
      reads,
      lockGateway() {
        lock ??= FileLock.take(join(dataDir, 'gateway.lock'));
        if (!lock) throw new StoreError('in_use', `Another gateway is running on the store in ${dataDir}`);
      },
      watch(changes) {
        watching = changes;
      },
      raise: (topic) => sql`update counter set value = value + 1 where name = ${topic} returning value`,
      async close() {
        await reads.destroy();
        await opened.destroy();
        lock?.release();
      },
    };
  } catch (error) {
    await db?.destroy().catch(() => {});
    if (error instanceof StoreError && error.kind === 'unusable') throw error;
    throw new StoreError('unusable', `The store in ${dataDir} cannot be opened: ${rootMessage(error)}`, { cause: error });
  }
}

/**
 * Makes the file with a mode that SQLite gives its -wal and -shm files too. One that is there is not opened: closing it
 * would take the locks from the file that another connection of this process has on it (POSIX), after which other
 * programs may take the write-ahead log away.
 */
function prepareFile(file: string): void {
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
}

async function requireVersion(db: Kysely<Schema>): Promise<void> {
  const { rows } = await sql<{ version: string }>`select sqlite_version() as version`.execute(db);
  const version = rows[0]!.version;
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  const [oldMajor, oldMinor, oldPatch] = OLDEST_SQLITE;
  if ((major - oldMajor || minor - oldMinor || patch - oldPatch) < 0)
    throw new Error(`SQLite ${version} is older than ${OLDEST_SQLITE.join('.')}; update Node`);
}

function rootMessage(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message : message;
}
