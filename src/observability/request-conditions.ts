import { type RawBuilder, sql } from 'kysely';
import { firstRequestId } from '../common/request-id.js';

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

type Table = 'usage' | 'request_record';

/** Milliseconds that a request without a charge lasts at most, as far as what ended since a time is found. */
const LONGEST = 3_600_000;

/**
 * The condition under which a row of one of the two tables is meant.
 * @param inOrder keeps SQLite from the index on accounts, so that rows are read in the order of their ids
 */
export function requestConditions(table: Table, filter: RequestFilter, inOrder = false): RawBuilder<boolean> {
  const column = (name: string) => sql.ref(`${table}.${name}`);
  const { accountId, keyId, projectId, model, environment, status, failed, requestId, idBegins, clientRequestId } = filter;
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
