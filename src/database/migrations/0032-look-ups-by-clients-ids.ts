import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** A request is found by the id that its client has given it, however many requests there are. Most have none. */
export const lookUpsByClientsIds: Migration = {
  async up(db) {
    for (const table of ['usage', 'request_record'])
      await sql`create index ${sql.ref(`${table}_client`)} on ${sql.ref(table)} (client_request_id, account_id, request_id)
        where client_request_id is not null`.execute(db);
  },
};
