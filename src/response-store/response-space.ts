import type { Database } from '../database/database.js';
import { type Displaced, makeRoom, type Space } from '../database/stored-space.js';

/** What an account may have of stored responses; bytes are those of inputs and outputs, encrypted. */
export type ResponseSpace = Required<Omit<Space, 'kind'>>;

/** The row of one. */
interface Written {
  readonly id: string;
  readonly account_id: string;
  readonly bytes: number;
}

/** There is no room for a response, though all that may go of its account would. */
export class OutOfSpace extends Error {}

/** The oldest responses of the account make room for one that was written; those that still run stay. */
export function makeRoomFor({ id, account_id: accountId, bytes }: Written, space: ResponseSpace, database: Database): Promise<boolean> {
  const rows: Displaced<string> = {
    oldest: (trx, most) =>
      database
        .forUpdateOfFree(
          trx
            .selectFrom('stored_response')
            .select(['id as key', 'bytes'])
            .where('account_id', '=', accountId)
            .where('node_id', 'is', null)
            .where('id', '<>', id)
            .orderBy('id')
            .limit(most),
        )
        .execute(),
    letGo: (trx, ids) => trx.deleteFrom('stored_response').where('id', 'in', ids).execute(),
  };
  return makeRoom(database, accountId, bytes, { kind: 'responses', ...space }, rows);
}

/**
 * The same, but for one that goes again where there is no room for it.
 * @throws OutOfSpace
 */
export async function requireRoomFor(row: Written, space: ResponseSpace, database: Database): Promise<void> {
  if (await makeRoomFor(row, space, database)) return;
  await database.db.deleteFrom('stored_response').where('id', '=', row.id).execute();
  throw new OutOfSpace('there is no room (store.max_responses_bytes, store.max_responses_total)');
}
