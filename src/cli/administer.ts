import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../config/config.schema.js';
import { openAhead } from '../database/open-database.js';
import type { Administration } from './administration.js';
import { CommandError } from './command-error.js';
import { readConfig } from './read-config.js';

/**
 * Opens the administration's services for one command, and closes them whatever happens.
 * @param file instead of SWITCHYARD_CONFIG or switchyard.yaml
 * @param action the command, as the audit log names it
 * @param create true for the one command that may begin a new store; for any other a wrong folder would look like an
 * empty store
 */
export async function administer<T>(
  { config: file }: { readonly config?: string },
  action: string,
  work: (admin: Administration) => Promise<T>,
  create = false,
): Promise<T> {
  const config = readConfig(file);
  if (!create) requireStore(config);
  openAhead(config.store);
  // Loaded while SQLite's thread starts.
  const { Administration } = await import('./administration.js');
  const admin = await Administration.open(config, action);
  try {
    return await work(admin);
  } finally {
    await admin.close();
  }
}

export function requireStore({ store }: Config): void {
  if (store.database_url || existsSync(join(store.data_dir, 'switchyard.db'))) return;
  throw new CommandError(`there is no store in ${resolve(store.data_dir)}: start the gateway, or create an account`);
}
