import { Injectable } from '@nestjs/common';
import type { Transaction } from 'kysely';
import { Database } from '../database/database.js';
import type { Schema } from '../database/schema.js';
import { type Displaced, makeRoom, type Space } from '../database/stored-space.js';
import type { HoldRequest } from './hold/ledger.js';
import { CRASHED } from './hold/request-facts.js';

/** Milliseconds for which a key belongs to its request. */
const RETENTION = 24 * 3_600_000;

/** Keys that one statement deletes. */
const MAX_SWEPT = 500;

const NO_ANSWER = { answer: null, bytes: 0 } as const;

/** Attempts at a key that others claim and release at the same moment. */
const MAX_LOOKS = 3;

/** One request under a client's key. */
export interface KeyedRequest extends Pick<HoldRequest, 'requestId' | 'principal' | 'operation' | 'model'> {
  /** Digest of the API key's id and the client's key: 64 hexadecimal digits. */
  readonly digest: string;
  /** Digest of what is asked: 64 hexadecimal digits. */
  readonly fingerprint: string;
}

/**
 * Whom a key belongs to.
 *
 * - `claimed`        this request
 * - `other_request`  a request that asked for something else
 * - `running`        a request that has not ended
 * - `ended`          a request whose answer was not kept
 * - `answered`       a request whose answer was kept
 */
export type Claim =
  | { readonly kind: 'claimed' }
  | { readonly kind: 'other_request' | 'running' | 'ended' }
  | { readonly kind: 'answered'; readonly answer: Uint8Array };

/**
 * The Idempotency-Keys of clients. One request is charged for each key, whichever gateways it is sent to and whichever
 * of them die.
 */
@Injectable()
export class IdempotencyStore {
  constructor(private readonly database: Database) {}

  /** @param lostAfter milliseconds after which a request that has left no trace counts as lost with its gateway */
  async claim(request: KeyedRequest, lostAfter: number): Promise<Claim> {
    for (let look = 0; look < MAX_LOOKS; look++) {
      if (await this.#insert(request)) return { kind: 'claimed' };
      const row = await this.#find(request.digest);
      if (!row) continue;
      if (row.age >= RETENTION) {
        if (await this.#replace(this.database.db, row.request_id, request)) return { kind: 'claimed' };
        continue;
      }
      if (row.fingerprint !== request.fingerprint) return { kind: 'other_request' };
      if (row.answer) return { kind: 'answered', answer: row.answer };
      return { kind: await this.#takeOver(row.request_id, request, row.age >= lostAfter) };
    }
    return { kind: 'running' };
  }

  /**
   * Keeps the answer of a request, unless its key belongs to another by now. The oldest answers of its account make room
   * for it; their keys stay with their requests.
   * @returns false where they cannot
   */
  async keep(
    { digest, requestId, principal: { accountId } }: KeyedRequest,
    answer: Uint8Array,
    space: Pick<Space, 'bytes' | 'total'>,
  ): Promise<boolean> {
    const set = (values: { readonly answer: Uint8Array | null; readonly bytes: number }) =>
      this.database.db
        .updateTable('idempotency_key')
        .set(values)
        .where('digest', '=', digest)
        .where('request_id', '=', requestId)
        .execute();
    await set({ answer, bytes: answer.length });
    const rows: Displaced<string> = {
      oldest: (trx, some) =>
        this.database
          .forUpdateOfFree(
            trx
              .selectFrom('idempotency_key')
              .select(['digest as key', 'bytes'])
              .where('account_id', '=', accountId)
              .where('bytes', '>', 0n)
              .where('digest', '<>', digest)
              .orderBy('created_at')
              .limit(some),
          )
          .execute(),
      letGo: (trx, digests) => trx.updateTable('idempotency_key').set(NO_ANSWER).where('digest', 'in', digests).execute(),
    };
    const kept = await makeRoom(this.database, accountId, answer.length, { kind: 'answers', ...space }, rows);
    if (!kept) await set(NO_ANSWER);
    return kept;
  }

  /** Releases the key of a request that has cost nothing, so that the client can try again. */
  async giveBack({ digest, requestId }: KeyedRequest): Promise<void> {
    await this.database.db
      .deleteFrom('idempotency_key')
      .where('digest', '=', digest)
      .where('request_id', '=', requestId)
      .where('answer', 'is', null)
      .execute();
  }

  /**
   * Releases the keys of requests that have left no trace, on the embedded store alone, where every process that ran
   * them is dead.
   */
  async recover(): Promise<void> {
    if (this.database.engine !== 'sqlite') return;
    await this.database.db
      .deleteFrom('idempotency_key')
      .where('answer', 'is', null)
      .where('request_id', 'not in', (key) => key.selectFrom('usage').select('usage.request_id'))
      .execute();
  }

  /**
   * Deletes the keys whose time is over.
   * @returns how many
   */
  async sweep(): Promise<number> {
    for (let swept = 0; ;) {
      const { numDeletedRows } = await this.database.db
        .deleteFrom('idempotency_key')
        .where('digest', 'in', (key) =>
          key
            .selectFrom('idempotency_key')
            .select('digest')
            .where('created_at', '<=', this.database.clock(-RETENTION))
            .orderBy('created_at')
            .limit(MAX_SWEPT),
        )
        .executeTakeFirst();
      swept += Number(numDeletedRows);
      if (numDeletedRows < MAX_SWEPT) return swept;
    }
  }

  async #insert({ digest, fingerprint, requestId, principal: { accountId } }: KeyedRequest): Promise<boolean> {
    const made = await this.database.db
      .insertInto('idempotency_key')
      .values({ digest, fingerprint, request_id: requestId, account_id: accountId, created_at: this.database.clock() })
      .onConflict((conflict) => conflict.column('digest').doNothing())
      .returning('digest')
      .executeTakeFirst();
    return made !== undefined;
  }

  async #find(digest: string) {
    const row = await this.database.db
      .selectFrom('idempotency_key')
      .select(['fingerprint', 'request_id', 'created_at', 'answer', this.database.clock().as('now')])
      .where('digest', '=', digest)
      .executeTakeFirst();
    return row && { ...row, age: Number(row.now - row.created_at) };
  }

  /**
   * Takes over the key of a request without an answer, if that request cost nothing. It can then cost nothing later
   * either, because its usage row is final before the key belongs to another.
   */
  #takeOver(before: string, request: KeyedRequest, lost: boolean): Promise<'claimed' | 'running' | 'ended'> {
    return this.database.transaction(async (trx) => {
      await this.#lockAccount(trx, request.principal.accountId);
      const usage = await trx
        .selectFrom('usage')
        .select(['amount', 'uncollected', 'outcome'])
        .where('request_id', '=', before)
        .executeTakeFirst();
      if (!usage) {
        const open = await trx.selectFrom('inflight').select('request_id').where('request_id', '=', before).executeTakeFirst();
        if (open || !lost) return 'running';
        await this.#writeOff(trx, before, request);
      } else if (usage.amount + usage.uncollected > 0n || usage.outcome === 'completed') return 'ended';
      else if (usage.outcome === CRASHED)
        await trx.updateTable('usage').set({ outcome: 'shutdown' }).where('request_id', '=', before).execute();
      return (await this.#replace(trx, before, request)) ? 'claimed' : 'running';
    });
  }

  /** Takes the lock that every charge of the account takes before it reads usage rows. */
  async #lockAccount(trx: Transaction<Schema>, accountId: string): Promise<void> {
    const balances = trx.selectFrom('balance').select('account_id').where('account_id', '=', accountId).orderBy('environment');
    await this.database.forUpdate(balances).execute();
  }

  /**
   * Writes the request's usage row. It is charged once: nothing that its gateway may still say can cost anything after
   * this row.
   */
  async #writeOff(trx: Transaction<Schema>, requestId: string, { principal, operation, model }: KeyedRequest): Promise<void> {
    await trx
      .insertInto('usage')
      .values({
        request_id: requestId,
        account_id: principal.accountId,
        environment: principal.environment,
        key_id: principal.keyId,
        operation,
        model,
        price_prompt: 0,
        price_completion: 0,
        prompt_tokens: 0,
        completion_tokens: 0,
        hold: 0,
        amount: 0,
        collected: 0,
        uncollected: 0,
        outcome: 'shutdown',
        estimated: 1,
        created_at: this.database.now(),
      })
      .execute();
  }

  async #replace(
    db: Pick<Database['db'], 'updateTable'>,
    before: string,
    { digest, fingerprint, requestId, principal: { accountId } }: KeyedRequest,
  ): Promise<boolean> {
    const { numUpdatedRows } = await db
      .updateTable('idempotency_key')
      .set({ fingerprint, request_id: requestId, account_id: accountId, created_at: this.database.clock(), ...NO_ANSWER })
      .where('digest', '=', digest)
      .where('request_id', '=', before)
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0n;
  }
}
