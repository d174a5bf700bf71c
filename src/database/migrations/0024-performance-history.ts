import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Engine } from '../engine.js';

/** What offers did in the last days: the buckets that do not count any more, put together by the quarter of an hour. */
export function performanceHistory(engine: Engine): Migration {
  const int = sql.raw(engine === 'sqlite' ? 'integer' : 'bigint');
  return {
    async up(db) {
      // The time comes first in the key, as in performance.
      await sql`create table performance_history (
        quarter ${int} not null,
        provider text not null,
        model text not null,
        served ${int} not null,
        failed ${int} not null,
        total_ms ${int} not null,
        tokens ${int} not null,
        streams ${int} not null,
        first_token_ms ${int} not null,
        primary key (quarter, provider, model)
      ) ${sql.raw(engine === 'sqlite' ? 'strict' : '')}`.execute(db);
    },
  };
}
