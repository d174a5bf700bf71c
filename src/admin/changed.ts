import type { ChangeOptions } from '../database/database.js';
import { audited, type Deed } from '../observability/audit/audit-log.js';
import { changedFields, wireNames } from '../observability/audit/changed-fields.js';
import { changedMeanwhile, requireVersion } from './preconditions.js';

interface Versioned {
  readonly id: string;
  readonly version: bigint;
}

/**
 * Changes the fields that differ from what there is, with a line of the audit log that names them. Where none does,
 * nothing changes.
 * @param now what there is, as it was just read
 * @param wanted its fields as the client wants them; undefined leaves one as it is
 * @param version of If-Match; undefined: whichever there is
 * @param store resolves with undefined where the row has not the version that is asked for
 * @throws ApiError 412 precondition_failed, and what `store` throws
 */
export async function changed<T extends Versioned, W extends object>(
  now: T,
  wanted: W,
  version: bigint | undefined,
  { deed, accountId }: { readonly deed: Deed; readonly accountId: string | undefined },
  store: (fields: Partial<W>, options: ChangeOptions) => Promise<T | undefined>,
): Promise<T> {
  requireVersion(version, now);
  const fields = changedFields(now, wanted);
  const names = wireNames(fields);
  if (names.length === 0) return now;
  const beside = audited(deed, { accountId, fields: names });
  const after = await store(fields, { ifVersion: version, beside });
  if (!after) throw changedMeanwhile();
  return after;
}
