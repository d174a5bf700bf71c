import { type Kysely, sql, type Transaction } from 'kysely';
import { SHARE } from '../common/limits/fair-places.js';
import type { Database } from './database.js';
import type { Schema } from './schema.js';
import type { StoredSpaceTable } from './stored-space-table.js';

/** Rows of which one statement lets go, and statements of one transaction. */
const MAX_DISPLACED = 100;
const MAX_STATEMENTS = 50;

/** What an account may have stored of a kind, and all accounts together, of which it leaves room as with FairPlaces. */
export interface Space {
  readonly kind: StoredSpaceTable['kind'];
  readonly entries?: number;
  readonly bytes: number;
  readonly total: number;
}

/** How the rows of an account make room. */
export interface Displaced<Key> {
  /** The oldest that may go, oldest first. */
  oldest(trx: Transaction<Schema>, most: number): Promise<readonly { readonly key: Key; readonly bytes: bigint }[]>;
  letGo(trx: Transaction<Schema>, keys: readonly Key[]): Promise<unknown>;
}

/**
 * Deletes the oldest rows of an account until what it has stored is within its space again. It is called after each
 * write, so that an account makes room for itself. Where all accounts have too much, it grows no more. Mostly nothing
 * goes, which is seen outside of a transaction: PostgreSQL ends a transaction that pauses on a busy machine.
 * @param written bytes
 * @returns false where not enough of them may go; then all stay
 */
export async function makeRoom<Key>(
  database: Database,
  accountId: string,
  written: number,
  space: Space,
  rows: Displaced<Key>,
): Promise<boolean> {
  if ((await beyond(database.db, accountId, written, space)) === undefined) return true;
  const made = database.transaction(async (trx) => {
    let grown = written;
    for (let statement = 0; statement < MAX_STATEMENTS; statement++) {
      // Of two that write at the same time the second counts what the first has let go.
      const much = await beyond(trx, accountId, grown, space, (query) => database.forUpdate(query));
      if (!much) return true;
      let { entries, bytes } = much;
      const keys: Key[] = [];
      for (const row of await rows.oldest(trx, MAX_DISPLACED)) {
        if (entries <= 0 && bytes <= 0) break;
        keys.push(row.key);
        entries--;
        bytes -= Number(row.bytes);
        grown -= Number(row.bytes);
      }
      // Nothing is deleted for what has no room all the same.
      if (keys.length === 0) throw new NoRoom();
      await rows.letGo(trx, keys);
    }
    return true;
  });
  return made.catch((error: unknown) => {
    if (error instanceof NoRoom) return false;
    throw error;
  });
}

class NoRoom extends Error {}

/**
 * @param grown bytes that the account has more than before it has written
 * @returns undefined where the account has no more than its space
 */
async function beyond(
  db: Kysely<Schema>,
  accountId: string,
  grown: number,
  space: Space,
  locked = (query: ReturnType<typeof spaceOf>) => query,
): Promise<{ entries: number; bytes: number } | undefined> {
  const taken = await locked(spaceOf(db, accountId, space)).executeTakeFirst();
  if (!taken) return undefined;
  const entries = Number(taken.entries) - (space.entries ?? Infinity);
  const ownBytes = Number(taken.bytes);
  // What goes is free for all.
  const unfair = (ownBytes - SHARE * (space.total - Number(taken.all))) / (1 + SHARE);
  const bytes = Math.max(ownBytes - space.bytes, Math.min(unfair, grown));
  return entries > 0 || bytes > 0 ? { entries, bytes } : undefined;
}

function spaceOf(db: Kysely<Schema>, accountId: string, { kind }: Space) {
  const all = sql<bigint>`(select cast(sum(bytes) as bigint) from stored_space as each_account where kind = ${kind})`;
  return db
    .selectFrom('stored_space')
    .select(['entries', 'bytes', all.as('all')])
    .where('account_id', '=', accountId)
    .where('kind', '=', kind);
}
