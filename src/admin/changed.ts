import type { ChangeOptions } from '../database/database.js';
import { audited, type Deed } from '../observability/audit/audit-log.js';
import { canonical } from './once.service.js';
import { changedMeanwhile, refusals, requireVersion } from './refusals.js';

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
 * @throws ApiError 412 precondition_failed, and what `refusals` throws
 */
export async function changed<T extends Versioned, W extends object>(
  now: T,
  wanted: W,
  version: bigint | undefined,
  { deed, accountId }: { readonly deed: Deed; readonly accountId: string | undefined },
  store: (fields: Partial<W>, options: ChangeOptions) => Promise<T | undefined>,
): Promise<T> {
  requireVersion(version, now);
  const has = now as Record<string, unknown>;
  const other = Object.entries(wanted).filter(([name, value]) => value !== undefined && canonical(value) !== canonical(has[name] ?? null));
  if (other.length === 0) return now;
  const beside = audited(deed, { accountId, fields: other.map(([name]) => snakeCase(name)) });
  const after = await refusals(() => store(Object.fromEntries(other) as Partial<W>, { ifVersion: version, beside }));
  if (!after) throw changedMeanwhile();
  return after;
}

/** The name of a field as it is on the wire. */
function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
