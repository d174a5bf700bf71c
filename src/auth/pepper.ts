import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.schema.js';
import type { Database } from '../database/database.js';
import { StoreError } from '../database/store-error.js';

/** The version that is stored with each key's digest. It will grow when peppers can be rotated. */
export const PEPPER_VERSION = 1;

/** Characters, as of SWITCHYARD_PEPPER. A shorter one that a store has been used with before goes on. */
const MIN_LENGTH = 32;

/**
 * Loads the secret that key digests are made with, and makes sure that it belongs to this store. Without a database
 * server the first start makes one, in a file beside the embedded store.
 * @throws StoreError pepper when it is missing or is not the one that this store's keys were made with
 */
export async function loadPepper(config: Config, database: Database): Promise<KeyObject> {
  const isNew = (await storedFingerprint(database)) === undefined;
  const pepper = createSecretKey(Buffer.from(config.keys.pepper ?? ownPepper(config.store, isNew)));
  await requireSamePepper(database, pepper);
  return pepper;
}

/** @param isNew whether no pepper was ever used with this store */
function ownPepper(store: Config['store'], isNew: boolean): string {
  if (store.database_url) throw new StoreError('pepper', 'SWITCHYARD_PEPPER is required with DATABASE_URL: at least 32 random characters');
  const file = join(store.data_dir, 'pepper');
  try {
    const pepper = readPepper(file);
    if (pepper === undefined && !isNew) throw new Error('it is missing, and the keys of this store were made with it. Restore it');
    if (isNew && pepper !== undefined && pepper.length < MIN_LENGTH) throw new Error(`it has fewer than ${MIN_LENGTH} characters`);
    return pepper ?? makePepper(file);
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

const FINGERPRINT = `pepper_fingerprint_${PEPPER_VERSION}`;

async function storedFingerprint(database: Database): Promise<string | undefined> {
  const row = await database.db.selectFrom('setting').select('value').where('name', '=', FINGERPRINT).executeTakeFirst();
  return row?.value;
}

async function requireSamePepper(database: Database, pepper: KeyObject): Promise<void> {
  const value = createHmac('sha256', pepper).update('switchyard pepper fingerprint').digest('hex').slice(0, 16);
  await database.db
    .insertInto('setting')
    .values({ name: FINGERPRINT, value })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  if ((await storedFingerprint(database)) !== value)
    throw new StoreError(
      'pepper',
      'The pepper is not the one this store’s keys were made with: restore SWITCHYARD_PEPPER or the pepper file',
    );
}
