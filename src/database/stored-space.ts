import type { Transaction } from 'kysely';
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
  oldest(most: number): Promise<readonly { readonly key: Key; readonly bytes: bigint }[]>;
  letGo(keys: readonly Key[]): Promise<unknown>;
}

/**
 * Lets the oldest of an account go until what it has stored is within its space again. It is called in the transaction
 * that has written something: rows of the account alone make room for it.
 * @returns false where not enough of them may go
 */
export async function makeRoom<Key>(trx: Transaction<Schema>, accountId: string, space: Space, rows: Displaced<Key>): Promise<boolean> {
  for (let statement = 0; statement < MAX_STATEMENTS; statement++) {
    const taken = await trx
      .selectFrom('stored_space')
      .select(['entries', 'bytes'])
      .where('account_id', '=', accountId)
      .where('kind', '=', space.kind)
      .executeTakeFirst();
    let entries = Number(taken?.entries ?? 0n) - (space.entries ?? Infinity);
    let bytes = Number(taken?.bytes ?? 0n) - space.bytes;
    if (entries <= 0 && bytes <= 0) return true;
    const keys: Key[] = [];
    for (const row of await rows.oldest(MAX_DISPLACED)) {
      if (entries <= 0 && bytes <= 0) break;
      keys.push(row.key);
      entries--;
      bytes -= Number(row.bytes);
    }
    if (keys.length === 0) return false;
    await rows.letGo(keys);
  }
  return true;
}
