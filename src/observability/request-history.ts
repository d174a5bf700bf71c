import { Injectable } from '@nestjs/common';
import type { Selectable } from 'kysely';
import type { AttemptRecord } from '../common/generation-record.js';
import { Database } from '../database/database.js';
import type { RequestRecordTable } from '../database/schema.js';

export interface HistoryQuery {
  readonly accountId?: string;
  readonly keyId?: string;
  readonly model?: string;
  /** Only requests that ended in an error. */
  readonly failed?: boolean;
  readonly limit: number;
}

/** What the store knows of one request. Times are milliseconds, amounts are nano-credits. */
export interface RequestHistory extends Omit<Selectable<RequestRecordTable>, 'attempts' | 'dropped_parameters'> {
  readonly attempts: readonly AttemptRecord[];
  readonly dropped_parameters: readonly string[];
  /** The amount in the usage row; undefined where nothing has been settled (yet). */
  readonly charged: bigint | undefined;
  readonly provider: string | undefined;
  readonly estimated: boolean;
}

/** Reads the records of requests together with what the requests cost. */
@Injectable()
export class RequestHistories {
  constructor(private readonly database: Database) {}

  /** Finds a request by the gateway's id, or else the newest with this id of the client's own. */
  async find(id: string): Promise<RequestHistory | undefined> {
    const own = await this.#rows().where('request_record.request_id', '=', id).executeTakeFirst();
    const row = own ?? (await this.#rows().where('request_record.client_request_id', '=', id).limit(1).executeTakeFirst());
    return row && historyOf(row);
  }

  /** Reads the text of a request and its answer, where it was kept. */
  async text(requestId: string): Promise<{ request: string; answer: string | null } | undefined> {
    return this.database.db.selectFrom('request_text').select(['request', 'answer']).where('request_id', '=', requestId).executeTakeFirst();
  }

  /** Lists records, newest first. */
  async list({ accountId, keyId, model, failed, limit }: HistoryQuery): Promise<RequestHistory[]> {
    let rows = this.#rows().limit(limit);
    if (accountId !== undefined) rows = rows.where('request_record.account_id', '=', accountId);
    if (keyId !== undefined) rows = rows.where('request_record.key_id', '=', keyId);
    if (model !== undefined) rows = rows.where('request_record.model', '=', model);
    if (failed) rows = rows.where('request_record.error_code', 'is not', null);
    return (await rows.execute()).map(historyOf);
  }

  #rows() {
    return this.database.db
      .selectFrom('request_record')
      .leftJoin('usage', 'usage.request_id', 'request_record.request_id')
      .selectAll('request_record')
      .select(['usage.amount', 'usage.provider', 'usage.estimated'])
      .orderBy('request_record.request_id', 'desc');
  }
}

type Row = Selectable<RequestRecordTable> & { amount: bigint | null; provider: string | null; estimated: bigint | null };

function historyOf({ amount, provider, estimated, attempts, dropped_parameters, ...row }: Row): RequestHistory {
  return {
    ...row,
    attempts: JSON.parse(attempts) as AttemptRecord[],
    dropped_parameters: JSON.parse(dropped_parameters) as string[],
    charged: amount ?? undefined,
    provider: provider ?? undefined,
    estimated: estimated === 1n,
  };
}
