import { availableParallelism } from 'node:os';
import type { Config } from '../../config/config.schema.js';
import { StartError } from '../../config/start-error.js';

/**
 * @returns how many processes serve
 * @throws StartError when there are several and the store cannot be shared
 */
export function workerCount({ server, store }: Config): number {
  const count = server.workers === 'max' ? availableParallelism() : server.workers;
  if (count > 1 && !store.database_url)
    throw new StartError(
      `server.workers is ${server.workers}, and the embedded store belongs to one process: set DATABASE_URL to a PostgreSQL, or server.workers to 1.`,
    );
  return count;
}
