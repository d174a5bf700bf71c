import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { Database } from './database.js';

/**
 * A secret of 32 random bytes that the store has, so that all gateways on it share it. Whoever asks first makes it, and
 * it stays.
 * @param name of the setting that has it
 */
export async function storeKey(database: Database, name: string): Promise<KeyObject> {
  const stored = () => database.db.selectFrom('setting').select('value').where('name', '=', name).executeTakeFirst();
  let row = await stored();
  if (!row) {
    const value = randomBytes(32).toString('base64url');
    await database.db
      .insertInto('setting')
      .values({ name, value })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    // Another gateway may have been first.
    row = (await stored())!;
  }
  return createSecretKey(row.value, 'base64url');
}
