import { sql, type Transaction } from 'kysely';
import type { Schema } from '../database/schema.js';

/** Reports a row where something else was found than expected. */
export type Find = (law: string, row: string, expected: bigint | string, found: bigint | string) => void;

/**
 * Findings that are reported, and rows of one kind that are looked for: with more than these the ledger needs no more
 * proof.
 */
export const MAX_FINDINGS = 100;

/**
 * Verifies from the rows what the schema's constraints ensure: a copy, a repair or another program may have gone round
 * them.
 */
export async function verifyReferences(trx: Transaction<Schema>, find: Find): Promise<void> {
  const balances = await trx
    .selectFrom('account')
    .leftJoin('balance', 'balance.account_id', 'account.id')
    .select(({ fn }) => ['account.id', fn.count<bigint>('balance.environment').as('count')])
    .groupBy('account.id')
    .having(({ fn }) => fn.count('balance.environment'), '!=', 2n)
    .limit(MAX_FINDINGS)
    .execute();
  for (const { id, count } of balances) find('an account has a balance in each environment', `account ${id}`, 2n, count);

  const transfers = await trx
    .selectFrom('transfer')
    .select(['id', 'amount'])
    .where((transfer) => transfer.or([transfer('amount', '<=', 0n), transfer('debit_account_id', '=', transfer.ref('credit_account_id'))]))
    .limit(MAX_FINDINGS)
    .execute();
  for (const { id, amount } of transfers) find('a transfer moves something to another account', `transfer ${id}`, 'more than 0', amount);

  const leases = await trx
    .selectFrom('lease')
    .select(['id', 'granted', 'spent'])
    .where(sql<boolean>`not (granted > 0 and spent between 0 and granted)`)
    .limit(MAX_FINDINGS)
    .execute();
  for (const { id, granted, spent } of leases)
    find('no more of a lease is spent than was granted', `lease ${id}`, `0 to ${granted}`, spent);

  for (const table of ['usage', 'inflight'] as const) {
    const strangers = await trx
      .selectFrom(table)
      .leftJoin('api_key', (join) =>
        join
          .onRef('api_key.id', '=', `${table}.key_id`)
          .onRef('api_key.account_id', '=', `${table}.account_id`)
          .onRef('api_key.environment', '=', `${table}.environment`),
      )
      .select([`${table}.request_id`, `${table}.key_id`, `${table}.account_id`, `${table}.environment`])
      .where('api_key.id', 'is', null)
      .limit(MAX_FINDINGS)
      .execute();
    for (const { request_id, key_id, account_id, environment } of strangers)
      find(
        'a request belongs to a key of its account and environment',
        `${table} ${request_id}`,
        `a key of ${account_id} ${environment}`,
        key_id,
      );
  }

  const unpaid = await trx
    .selectFrom('inflight')
    .leftJoin('lease', (join) =>
      join
        .onRef('lease.id', '=', 'inflight.lease_id')
        .onRef('lease.account_id', '=', 'inflight.account_id')
        .onRef('lease.environment', '=', 'inflight.environment'),
    )
    .select(['inflight.request_id', 'inflight.lease_id', 'inflight.account_id', 'inflight.environment'])
    .where('inflight.lease_id', 'is not', null)
    .where('lease.id', 'is', null)
    .limit(MAX_FINDINGS)
    .execute();
  for (const { request_id, lease_id, account_id, environment } of unpaid)
    find(
      'an open request holds from a lease of its balance',
      `inflight ${request_id}`,
      `a lease of ${account_id} ${environment}`,
      lease_id!,
    );

  const baseless = await trx
    .selectFrom('claim')
    .leftJoin('usage', 'usage.request_id', 'claim.request_id')
    .leftJoin('lease', (join) =>
      join
        .onRef('lease.id', '=', 'claim.lease_id')
        .onRef('lease.account_id', '=', 'usage.account_id')
        .onRef('lease.environment', '=', 'usage.environment')
        .onRef('lease.granted', '>=', 'claim.granted'),
    )
    .select(['claim.lease_id', 'claim.request_id', 'claim.granted'])
    .where('lease.id', 'is', null)
    .limit(MAX_FINDINGS)
    .execute();
  for (const { lease_id, request_id, granted } of baseless)
    find('a request claims what a lease of its balance was granted', `claim ${lease_id} ${request_id}`, 'such a lease', granted);
}
