import type { Kysely, Transaction } from 'kysely';
import type { Database } from './database.js';
import type { Schema } from './schema.js';
import type { StoredSpaceTable } from './stored-space-table.js';

/** Rows of which one statement lets go, and statements of one transaction. */
const MAX_DISPLACED = 100;
const MAX_STATEMENTS = 50;

/** What an account may have stored of a kind. */
export interface Space {
  readonly kind: StoredSpaceTable['kind'];
  readonly entries?: number;
  readonly bytes: number;
}

/** How the rows of an account make room. */
export interface Displaced<Key> {
  /** The oldest that may go, oldest first. */
  oldest(trx: Transaction<Schema>, most: number): Promise<readonly { readonly key: Key; readonly bytes: bigint }[]>;
  letGo(trx: Transaction<Schema>, keys: readonly Key[]): Promise<unknown>;
}

/**
 * Lets the oldest of an account go until what it has stored is within its space again. Whoever has written something
 * calls it, so that rows of the account alone make room. Mostly it reads one row, outside of a transaction: one that
 * pauses on a busy machine is ended by PostgreSQL.
 * @returns false where not enough of them may go
 */
export async function makeRoom<Key>(database: Database, accountId: string, space: Space, rows: Displaced<Key>): Promise<boolean> {
  if ((await beyond(database.db, accountId, space)) === undefined) return true;
  return database.transaction(async (trx) => {
    for (let statement = 0; statement < MAX_STATEMENTS; statement++) {
      const much = await beyond(trx, accountId, space);
      if (!much) return true;
      let { entries, bytes } = much;
      const keys: Key[] = [];
      for (const row of await rows.oldest(trx, MAX_DISPLACED)) {
        if (entries <= 0 && bytes <= 0) break;
        keys.push(row.key);
        entries--;
        bytes -= Number(row.bytes);
      }
      if (keys.length === 0) return false;
      await rows.letGo(trx, keys);
    }
    return true;
  });
}

/** @returns undefined where the account has no more than its space */
async function beyond(db: Kysely<Schema>, accountId: string, space: Space): Promise<{ entries: number; bytes: number } | undefined> {
  const taken = await db
    .selectFrom('stored_space')
    .select(['entries', 'bytes'])
    .where('account_id', '=', accountId)
    .where('kind', '=', space.kind)
    .executeTakeFirst();
  const entries = Number(taken?.entries ?? 0n) - (space.entries ?? Infinity);
  const bytes = Number(taken?.bytes ?? 0n) - space.bytes;
  return entries > 0 || bytes > 0 ? { entries, bytes } : undefined;
}
