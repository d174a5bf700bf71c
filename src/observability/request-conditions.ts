import { type RawBuilder, sql } from 'kysely';
import { firstRequestId } from '../common/requests/request-id.js';
import type { Engine } from '../database/engine.js';

/** Which requests are meant. Times are milliseconds since 1970. */
export interface RequestFilter {
  readonly accountId?: string | undefined;
  readonly keyId?: string | undefined;
  /** Of the keys that are in it now. */
  readonly projectId?: string | undefined;
  readonly model?: string | undefined;
  readonly environment?: string | undefined;
  /** HTTP status of the answer. */
  readonly status?: number | undefined;
  /** Only requests that ended in an error. */
  readonly failed?: boolean | undefined;
  /** Only those that ended in the same error. */
  readonly cause?: ErrorCause | undefined;
  readonly requestId?: string | undefined;
  /** How the id begins. */
  readonly idBegins?: string | undefined;
  readonly clientRequestId?: string | undefined;
  /** Only those that came at this time or later. */
  readonly from?: number | undefined;
  /** Only those that came before. */
  readonly to?: number | undefined;
  /** Only those that ended at this time or later. */
  readonly endedSince?: number | undefined;
  /** Only those before the one of this id. */
  readonly before?: string | undefined;
}

/** What requests that ended in the same error have in common. */
export interface ErrorCause {
  readonly code: string;
  readonly model: string | null;
  /** `provider/model` of the last call; null where no provider was called. */
  readonly offer: string | null;
  /** How that call went: the kind of the provider's error, for example. */
  readonly outcome: string | null;
}

/** A member of the last call of a provider, as the column `attempts` has it. */
export const ofLastCall = (engine: Engine, name: 'offer' | 'outcome', attempts = sql.ref('attempts')): RawBuilder<string | null> =>
  engine === 'sqlite' ? sql`${attempts} ->> ${sql.lit(`$[#-1].${name}`)}` : sql`cast(${attempts} as json) -> -1 ->> ${sql.lit(name)}`;

type Table = 'usage' | 'request_record';

/** Milliseconds that a request without a charge lasts at most, as far as what ended since a time is found. */
const LONGEST = 3_600_000;

/**
 * The condition under which a row of one of the two tables is meant.
 * @param inOrder keeps SQLite from the index on accounts, so that rows are read in the order of their ids
 */
export function requestConditions(engine: Engine, table: Table, filter: RequestFilter, inOrder = false): RawBuilder<boolean> {
  const column = (name: string) => sql.ref(`${table}.${name}`);
  const { accountId, keyId, projectId, model, environment, status, failed, cause, requestId, idBegins, clientRequestId } = filter;
  const { from, to, endedSince, before } = filter;
  const all: RawBuilder<boolean>[] = [];
  if (accountId !== undefined) all.push(sql`${inOrder ? sql`+` : sql``}${column('account_id')} = ${accountId}`);
  for (const [name, value] of [
    ['key_id', keyId],
    ['model', model],
    ['environment', environment],
    ['status', status],
    ['request_id', requestId],
    ['client_request_id', clientRequestId],
  ] as const)
    if (value !== undefined) all.push(sql`${column(name)} = ${value}`);
  if (projectId !== undefined)
    all.push(sql`${column('key_id')} in (select of_project.id from api_key as of_project where of_project.project_id = ${projectId})`);
  if (cause) {
    const { code, offer, outcome } = cause;
    const last = (name: 'offer' | 'outcome') => ofLastCall(engine, name, column('attempts'));
    all.push(sql`${column('error_code')} = ${code} and ${column('model')} is not distinct from ${cause.model}`);
    all.push(sql`${last('offer')} is not distinct from ${offer} and ${last('outcome')} is not distinct from ${outcome}`);
  }
  if (failed) all.push(sql`${column('error_code')} is not null`);
  // Ids are hexadecimal digits and dashes, and begin with the time.
  if (idBegins !== undefined) all.push(sql`${column('request_id')} >= ${idBegins} and ${column('request_id')} < ${`${idBegins}g`}`);
  if (from !== undefined) all.push(sql`${column('request_id')} >= ${firstRequestId(from)}`);
  if (to !== undefined) all.push(sql`${column('request_id')} < ${firstRequestId(to)}`);
  if (before !== undefined) all.push(sql`${column('request_id')} < ${before}`);
  if (endedSince !== undefined) all.push(endedAt(table, endedSince));
  return all.length > 0 ? sql`${sql.join(all, sql` and `)}` : sql`true`;
}

/** Usage rows have the time of the end, in an index on the account and both environments; the others are few. */
function endedAt(table: Table, since: number): RawBuilder<boolean> {
  if (table === 'usage') return sql`usage.environment in ('live', 'test') and usage.created_at >= ${since}`;
  return sql`request_record.request_id >= ${firstRequestId(Math.max(since - LONGEST, 0))}
    and request_record.created_at + request_record.duration_ms >= ${since}`;
}
