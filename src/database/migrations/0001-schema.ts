import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Engine } from '../engine.js';
import { accountsIndexes, accountsTables } from './tables/accounts.js';
import { limitsTables } from './tables/limits.js';
import { moneyIndexes, moneyTables } from './tables/money.js';
import { operationIndexes, operationTables } from './tables/operation.js';
import { peopleIndexes, peopleTables } from './tables/people.js';
import { requestsIndexes, requestsTables } from './tables/requests.js';
import { columnTypes, creationOf } from './tables/tables.js';
import { neverChanged, storedSpaceCounted } from './tables/triggers.js';

/** The two system accounts, the other side of every movement of money. */
const SYSTEM_ACCOUNTS = ['system:grants', 'system:revenue'] as const;

/** Versions of what gateways hold in memory: src/database/README.md. */
const COUNTERS = ['api_key', 'model_switch', 'price', 'recall', 'admin_token', 'webhook', 'stored_provider', 'person', 'stored_response'];

/** The whole schema. */
export function schema(engine: Engine): Migration {
  const types = columnTypes(engine);
  const tables = [accountsTables, moneyTables, peopleTables, requestsTables, operationTables].map((of) => of(types));
  if (engine === 'postgres') tables.push(limitsTables);
  const indexes = [...accountsIndexes, ...moneyIndexes, ...peopleIndexes, ...requestsIndexes, ...operationIndexes];
  // Each write sums all accounts. PostgreSQL scans the table: an index would make it write each row anew.
  if (engine === 'sqlite') indexes.push('index stored_space_bytes on stored_space (kind, bytes)');
  return {
    async up(db) {
      for (const table of tables.flatMap((some) => creationOf(engine, some))) await table.execute(db);
      for (const index of indexes) await sql.raw(`create ${index}`).execute(db);
      for (const trigger of [...neverChanged(engine, 'transfer'), ...neverChanged(engine, 'price'), ...storedSpaceCounted(engine)])
        await sql.raw(trigger).execute(db);
      for (const id of SYSTEM_ACCOUNTS) {
        await sql`insert into account (id, name, kind, created_at) values (${id}, ${id}, 'system', 0)`.execute(db);
        await sql`insert into balance (account_id, environment, kind, posted, reserved)
          values (${id}, 'live', 'system', 0, 0), (${id}, 'test', 'system', 0, 0)`.execute(db);
      }
      for (const counter of COUNTERS) await sql`insert into counter (name, value) values (${counter}, 0)`.execute(db);
    },
  };
}
