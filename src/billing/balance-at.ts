import { type RawBuilder, sql } from 'kysely';
import type { Environment } from '../auth/principal.js';

/** @returns an expression for the nano-credits that an account had before a time, in milliseconds since 1970 */
export function balanceAt(accountId: string, environment: Environment, time: number): RawBuilder<bigint> {
  return sql<bigint>`(
    (select coalesce(sum(amount), 0) from transfer
      where credit_account_id = ${accountId} and environment = ${environment} and created_at < ${time}) -
    (select coalesce(sum(amount), 0) from transfer
      where debit_account_id = ${accountId} and environment = ${environment} and created_at < ${time}) -
    (select coalesce(sum(amount), 0) from usage
      where account_id = ${accountId} and environment = ${environment} and created_at < ${time}))`;
}
