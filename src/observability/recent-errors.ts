import { Injectable } from '@nestjs/common';
import { type RawBuilder, sql } from 'kysely';
import { firstRequestId, requestTime } from '../common/requests/request-id.js';
import { Database } from '../database/database.js';
import { type ErrorCause, ofLastCall } from './request-conditions.js';

/** Times are milliseconds since 1970. */
interface ErrorsQuery {
  readonly accountId?: string | undefined;
  readonly from: number;
  /** At most so many groups. */
  readonly limit: number;
}

/** Requests that ended in the same error. */
export interface ErrorGroup extends ErrorCause {
  readonly requests: number;
  readonly accounts: number;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly lastRequestId: string;
}

interface Row extends ErrorCause {
  readonly requests: bigint;
  readonly accounts: bigint;
  readonly first_id: string;
  readonly last_id: string;
}

/** Which errors requests have lately ended in, out of their records. */
@Injectable()
export class RecentErrors {
  constructor(private readonly database: Database) {}

  /** Those that most requests ended in come first. */
  async list({ accountId, from, limit }: ErrorsQuery): Promise<ErrorGroup[]> {
    const { db, engine } = this.database;
    const of = (table: 'usage' | 'request_record'): RawBuilder<unknown> => sql`
      select error_code as code, model, ${ofLastCall(engine, 'offer')} as offer, ${ofLastCall(engine, 'outcome')} as outcome, account_id, request_id
      from ${sql.table(table)} where request_id >= ${firstRequestId(from)} and error_code is not null
      ${accountId === undefined ? sql`` : sql`and account_id = ${accountId}`}`;
    const { rows } = await sql<Row>`
      select code, model, offer, outcome, count(*) as requests, count(distinct account_id) as accounts,
        min(request_id) as first_id, max(request_id) as last_id
      from (${of('usage')} union all ${of('request_record')}) as failed
      group by code, model, offer, outcome order by requests desc, last_id desc limit ${sql.lit(limit)}`.execute(db);
    return rows.map(({ requests, accounts, first_id, last_id, ...cause }) => ({
      ...cause,
      requests: Number(requests),
      accounts: Number(accounts),
      firstAt: requestTime(first_id),
      lastAt: requestTime(last_id),
      lastRequestId: last_id,
    }));
  }
}
