import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.schema.js';
import type { Database } from '../database/database.js';
import { StoreError } from '../database/store-error.js';

/** The version that is stored with each key's digest. It will grow when peppers can be rotated. */
export const PEPPER_VERSION = 1;

/**
 * Loads the secret that key digests are made with, and makes sure that it belongs to this store. Without a database
 * server the first start makes one, in a file beside the embedded store.
 * @throws StoreError pepper when it is missing or is not the one that this store's keys were made with
 */
export async function loadPepper(config: Config, database: Database): Promise<KeyObject> {
  const pepper = createSecretKey(Buffer.from(config.keys.pepper ?? ownPepper(config.store)));
  await requireSamePepper(database, pepper);
  return pepper;
}

function ownPepper(store: Config['store']): string {
  if (store.database_url) throw new StoreError('pepper', 'SWITCHYARD_PEPPER is required with DATABASE_URL: at least 32 random characters');
  const file = join(store.data_dir, 'pepper');
  try {
    return readPepper(file) ?? makePepper(file);
  } catch (error) {
    throw new StoreError('pepper', `The pepper file ${file} cannot be used: ${(error as Error).message}`, { cause: error });
  }
}

function readPepper(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Writes a new pepper to a file of another name first and links it into place, so that processes that start together
 * agree on one.
 */
function makePepper(file: string): string {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  writeFileSync(draft, randomBytes(32).toString('base64url'), { mode: 0o600, flag: 'wx', flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
  return readFileSync(file, 'utf8').trim();
}

async function requireSamePepper(database: Database, pepper: KeyObject): Promise<void> {
  const name = `pepper_fingerprint_${PEPPER_VERSION}`;
  const value = createHmac('sha256', pepper).update('switchyard pepper fingerprint').digest('hex').slice(0, 16);
  await database.db
    .insertInto('setting')
    .values({ name, value })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const stored = await database.db.selectFrom('setting').select('value').where('name', '=', name).executeTakeFirstOrThrow();
  if (stored.value !== value)
    throw new StoreError(
      'pepper',
      'The pepper is not the one this store’s keys were made with: restore SWITCHYARD_PEPPER or the pepper file',
    );
}
