import { readdirSync } from 'node:fs';
import { type Kysely, sql } from 'kysely';
import type { Schema } from './schema.js';

const migrationFile = /^(\d{4}-[^.]+)\.[jt]s$/;

/**
 * Whether the store has the migrations whose files are here, and no others. They need not be loaded then: with 25 of
 * them a start takes 30 ms less CPU.
 */
export async function isUpToDate(db: Kysely<Schema>): Promise<boolean> {
  const files = readdirSync(new URL('./migrations/', import.meta.url));
  const known = new Set(files.flatMap((name) => migrationFile.exec(name)?.[1] ?? []));
  try {
    const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
    return rows.length === known.size && rows.every(({ name }) => known.has(name));
  } catch {
    // A new store has no such table; any other failure is reported by the migrations.
    return false;
  }
}
