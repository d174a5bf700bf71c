import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Engine } from '../engine.js';

/**
 * The sum of what all accounts have stored, which each write asks for, reads an index alone. PostgreSQL, which would
 * write the row anew elsewhere for its index, scans the table in a process of its own.
 */
export function spaceOfAllAccounts(engine: Engine): Migration {
  return {
    async up(db) {
      if (engine === 'sqlite') await sql`create index stored_space_bytes on stored_space (kind, bytes)`.execute(db);
    },
  };
}
