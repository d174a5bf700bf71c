import { Database } from '../../src/database/database.js';
import { readLimits } from '../../src/database/read-limits.js';
import type { Gateway } from './gateway.js';

/** Connections of a process that are not for pages. */
const OTHERS = { sqlite: 1, postgres: 10 };

/**
 * Does something while all connections of a kind are taken.
 * @param kind those for pages, or all others
 */
export async function withoutConnections<T>({ running }: Gateway, kind: 'reads' | 'others', work: () => Promise<T>): Promise<T> {
  const database = running.app.get(Database);
  const db = kind === 'reads' ? database.reading(() => database.db) : database.db;
  const count = (kind === 'reads' ? readLimits.connections : OTHERS)[database.engine];
  const end = Promise.withResolvers<void>();
  const taken = Array.from({ length: count }, () => Promise.withResolvers<void>());
  const held = taken.map(({ resolve }) =>
    db.connection().execute(async () => {
      resolve();
      await end.promise;
    }),
  );
  try {
    await Promise.all(taken.map(({ promise }) => promise));
    return await work();
  } finally {
    end.resolve();
    await Promise.all(held);
  }
}
