import { sql } from 'kysely';
import type { Database } from '../database/database.js';

/** What people call the rows of a table. */
const named = {
  account: sql<string>`name`,
  admin_token: sql<string>`label`,
  api_key: sql<string>`label`,
  invitation: sql<string>`email`,
  person: sql<string>`coalesce(nullif(name, ''), email)`,
  project: sql<string>`name`,
  webhook_endpoint: sql<string>`url`,
};

export type Named = keyof typeof named;

/** Names by ids. */
export type Names = ReadonlyMap<string | null, string>;

/** @returns what people call the rows with these ids; those without a name, and those that are gone, are left out */
export async function namesOf({ db }: Database, table: Named, ids: readonly (string | null | undefined)[]): Promise<Names> {
  const wanted = [...new Set(ids)].filter((id) => id != null);
  if (wanted.length === 0) return new Map();
  const { rows } = await sql<{ id: string; name: string }>`
    select id, ${named[table]} as name from ${sql.table(table)} where id in (${sql.join(wanted)})`.execute(db);
  return new Map(rows.filter(({ name }) => name !== '').map(({ id, name }) => [id, name]));
}
