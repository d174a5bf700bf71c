import type { Transaction } from 'kysely';
import type { Database } from '../database/database.js';
import type { Schema } from '../database/schema.js';
import { makeRoom } from '../database/stored-space.js';
import type { Owner } from './stored-response.js';

/** What an account may have of stored responses. */
export interface ResponseSpace {
  readonly entries: number;
  /** Of inputs and outputs, encrypted. */
  readonly bytes: number;
}

/** The responses of the account that run make more than it has space for. */
export class OutOfSpace extends Error {}

/** The oldest responses of an account make room for one that was written; those that still run stay. */
export function makeRoomFor(
  id: string,
  { accountId }: Pick<Owner, 'accountId'>,
  space: ResponseSpace,
  database: Database,
  trx: Transaction<Schema>,
): Promise<boolean> {
  return makeRoom<string>(
    trx,
    accountId,
    { kind: 'responses', ...space },
    {
      oldest: (most) =>
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
      letGo: (ids) => trx.deleteFrom('stored_response').where('id', 'in', ids).execute(),
    },
  );
}
