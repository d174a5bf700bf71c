import { sql, type Transaction } from 'kysely';
import { SHARE } from '../common/limits/fair-places.js';
import type { Config } from '../config/config.schema.js';
import type { Schema } from '../database/schema.js';

type Limits = Pick<Config['limits'], 'keys_per_account' | 'projects_per_account' | 'rules_per_account' | 'rules_total'>;

/** A key or project after its change. */
interface Changed {
  readonly account_id: string;
  readonly rules_bytes: bigint | number;
}

/** Milliseconds for which the rules of a key count that has expired: they stay in the store. */
export const COUNTED_MS = 86_400_000;

/**
 * Looks, within a change of the topic `api_key`, whether an account has more than it may after it: keys that are valid,
 * projects that are open, and bytes of their rules and metadata, which every gateway has in memory. What adds bytes
 * also needs room among those of all accounts.
 * @throws RangeError
 */
export async function requireSpace(
  trx: Transaction<Schema>,
  { account_id: accountId, rules_bytes }: Changed,
  now: number,
  limits: Limits,
): Promise<void> {
  const { rows } = await sql<{ keys: bigint; projects: bigint; bytes: bigint }>`
    select cast(coalesce(sum(a_key), 0) as bigint) as keys, cast(coalesce(sum(1 - a_key), 0) as bigint) as projects,
      cast(coalesce(sum(rules_bytes), 0) as bigint) as bytes
    from (
      select 1 as a_key, rules_bytes from api_key where account_id = ${accountId} and revoked_at is null and expires_at is null
      union all select case when expires_at > ${now} then 1 end, rules_bytes from api_key
        where account_id = ${accountId} and revoked_at is null and expires_at > ${now - COUNTED_MS}
      union all select 0, rules_bytes from project where account_id = ${accountId} and archived_at is null
    ) as open`.execute(trx);
  const { keys, projects, bytes } = rows[0]!;
  const { keys_per_account, projects_per_account, rules_per_account, rules_total } = limits;
  if (keys > keys_per_account)
    throw new RangeError(`the account may have ${keys_per_account} valid keys (limits.keys_per_account): revoke those that nobody needs`);
  if (projects > projects_per_account)
    throw new RangeError(`the account may have ${projects_per_account} open projects (limits.projects_per_account): archive some`);
  if (bytes > rules_per_account)
    throw new RangeError(
      `the rules and metadata of the account’s keys and projects may have ${rules_per_account} bytes together (limits.rules_per_account): rules that many keys share belong to a project`,
    );
  // An account leaves room for others, as with FairPlaces.
  if (rules_bytes > 0 && Number(bytes) > SHARE * (rules_total - (await bytesOfAll(trx, now))))
    throw new RangeError(`the rules and metadata of all accounts may have ${rules_total} bytes together (limits.rules_total)`);
}

/** Bytes of all rules that a gateway has in memory. */
async function bytesOfAll(trx: Transaction<Schema>, now: number): Promise<number> {
  const { rows } = await sql<{ bytes: bigint }>`
    select cast(coalesce(sum(rules_bytes), 0) as bigint) as bytes
    from (
      select rules_bytes from api_key where revoked_at is null and expires_at is null
      union all select rules_bytes from api_key where revoked_at is null and expires_at > ${now - COUNTED_MS}
      union all select rules_bytes from project where archived_at is null
      union all select octet_length(rules) from account where rules is not null
    ) as open`.execute(trx);
  return Number(rows[0]!.bytes);
}

/** Bytes of texts as the store has them. */
export function bytesOf(...texts: readonly (string | null | undefined)[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), 0);
}
