import { ApiError } from '../common/api-error.js';
import type { ChangeOptions } from '../database/database.js';
import { audited, type Done } from '../observability/audit/audit-log.js';
import { changedFields, wireNames } from '../observability/audit/changed-fields.js';
import type { Change } from './route.decorators.js';

interface Versioned {
  readonly version: bigint;
}

/** What is to be different of a row, and how its store is to make the change. */
interface Difference<W> {
  readonly fields: Partial<W>;
  readonly options: ChangeOptions;
}

/**
 * The fields that differ from what there is, which a line of the audit log names.
 * @param now what there is, as it was just read
 * @param wanted its fields as the client wants them; undefined leaves one as it is
 * @returns undefined where none differs
 * @throws ApiError 412 precondition_failed
 */
export function difference<W extends object>(now: Versioned, wanted: W, by: Change, accountId?: string): Difference<W> | undefined {
  requireVersion(by, now);
  const fields = changedFields(now, wanted);
  const names = wireNames(fields);
  return names.length === 0 ? undefined : { fields, options: changeOptions(by, { accountId, fields: names }) };
}

/** @returns what has a store make a change on its condition, with its line of the audit log in the same transaction */
export function changeOptions(by: Change, done: Done): ChangeOptions {
  return { ifVersion: by.ifVersion, beside: audited(by, done) };
}

/** @throws ApiError 412 precondition_failed */
export function requireVersion({ ifVersion }: Change, { version }: Versioned): void {
  if (ifVersion !== undefined && ifVersion !== version) throw changedMeanwhile();
}

/** @throws ApiError 412 precondition_failed where a store has changed nothing, because somebody else was first */
export function requireChanged<T>(after: T | undefined): T {
  if (after === undefined) throw changedMeanwhile();
  return after;
}

export function changedMeanwhile(): ApiError {
  return new ApiError('precondition_failed', 'It has changed since: read it again, and send If-Match with its ETag.');
}
