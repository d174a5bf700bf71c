import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { firstRequestId } from '../../common/request-id.js';
import type { Engine } from '../engine.js';

/** Milliseconds by which clocks of gateways may differ, and requests may last. */
const DOUBT = 86_400_000;

/**
 * What is known of a request that was charged stands in its usage row, so that it is stored at once with the charge.
 * Rows of before keep theirs in request_record, so that the sweep of usage rows begins behind them, but not behind ids
 * that requests of this version may get, or have already.
 */
export function recordsWithUsage(engine: Engine): Migration {
  const int = engine === 'sqlite' ? 'integer' : 'bigint';
  const columns = {
    began_at: int,
    duration_ms: int,
    client_request_id: 'text',
    streamed: int,
    status: int,
    error_code: 'text',
    attempts: 'text',
    dropped_parameters: 'text',
  };
  return {
    async up(db) {
      for (const [name, type] of Object.entries(columns))
        await sql`alter table usage add column ${sql.ref(name)} ${sql.raw(type)}`.execute(db);
      await sql`insert into setting (name, value)
        select 'usage_records_swept', max(request_id) from usage where request_id < ${firstRequestId(Date.now() - DOUBT)}
        having max(request_id) is not null`.execute(db);
    },
  };
}
