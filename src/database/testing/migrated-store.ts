import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareDataFolder } from '../data-folder.js';
import { openDatabase } from '../open-database.js';

const FILE = 'switchyard.db';

let migrated: Promise<Buffer> | undefined;

/** Puts the embedded store into a folder that has none, as a first start leaves it: the migrations run once a worker. */
export async function prepareStore(dataDir: string): Promise<void> {
  const bytes = await (migrated ??= migrate());
  prepareDataFolder(dataDir);
  try {
    writeFileSync(join(dataDir, FILE), bytes, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

async function migrate(): Promise<Buffer> {
  const data_dir = mkdtempSync(join(tmpdir(), 'switchyard-migrated-'));
  await (await openDatabase({ data_dir })).close();
  const bytes = readFileSync(join(data_dir, FILE));
  rmSync(data_dir, { recursive: true });
  return bytes;
}
