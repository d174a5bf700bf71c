import type { Database } from '../database/database.js';
import type { Owner } from './stored-response.js';

/** Rows that one statement deletes. */
export const MAX_SWEPT = 500;

/** Deletes the oldest responses of an account beyond so many. */
export function deleteBeyond(most: number, { accountId }: Owner, db: Pick<Database['db'], 'deleteFrom'>) {
  return db
    .deleteFrom('stored_response')
    .where('id', 'in', (rows) =>
      rows
        .selectFrom('stored_response')
        .select('id')
        .where('account_id', '=', accountId)
        .orderBy('id', 'desc')
        .limit(MAX_SWEPT)
        .offset(most),
    );
}
