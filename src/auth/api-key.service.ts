import { hash, timingSafeEqual } from 'node:crypto';
import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { sql, type Transaction } from 'kysely';
import { type Observable, Subject } from 'rxjs';
import { ApiError, fixedErrors } from '../common/api-error.js';
import { Clock, type Timer } from '../common/time/clock.js';
import { Database } from '../database/database.js';
import type { Schema } from '../database/schema.js';
import { ApiKeyHasher } from './api-key-hasher.js';
import { bearerToken } from './bearer.js';
import { KeyDirectory, type KeyEntry, MAX_EXPIRED } from './key-directory.js';
import type { Principal } from './principal.js';

const noEntry: KeyEntry = { digest: Buffer.alloc(32), principal: { keyId: '', accountId: '', environment: 'test' }, expiresAt: 0 };

/** Milliseconds between two looks for keys that have expired. */
const EXPIRY_TICK = 500;

/**
 * Tells whose key a request carries. Every valid key is in memory under its digest, so that no request waits for the
 * store.
 */
@Injectable()
export class ApiKeyService implements OnModuleInit, OnApplicationShutdown {
  readonly #directory = new KeyDirectory();
  readonly #scratch = Buffer.alloc(32);
  /**
   * Keys that were found valid, by their bare SHA-256, which takes one hash for each request instead of the two of an
   * HMAC. These hashes are never stored.
   */
  readonly #seen = new Map<string, KeyEntry>();
  /** When each key expires that will, by its id. */
  readonly #expiring = new Map<string, number>();
  readonly #ended = new Subject<ReadonlyMap<string, ApiError>>();
  #expiry: Timer | undefined;
  /** Of the change up to which all rows of keys, projects and accounts are in memory. */
  #version = 0n;

  constructor(
    private readonly database: Database,
    private readonly hasher: ApiKeyHasher,
    private readonly clock: Clock,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.database.follow('api_key', () => this.#readChanges());
  }

  onApplicationShutdown(): void {
    this.clock.clear(this.#expiry);
  }

  /** Emits keys that were valid and no longer are, by their ids, with what their requests are to be answered. */
  get ended(): Observable<ReadonlyMap<string, ApiError>> {
    return this.#ended;
  }

  /**
   * Does the same work for an unknown, a revoked and a malformed key.
   * @throws ApiError 401 missing_api_key, invalid_api_key or expired_api_key
   */
  authenticate(authorization: string | undefined): Principal {
    const token = bearerToken(authorization);
    if (token === '') throw fixedErrors.missingApiKey();
    const name = hash('sha256', token, 'binary');
    const seen = this.#seen.get(name);
    const entry = seen ?? this.#find(token);
    if (entry.expiresAt <= this.clock.now()) throw expired();
    if (!seen) this.#seen.set(name, entry);
    return entry.principal;
  }

  /** The principal of a key, by the key's id; undefined where it is not valid. */
  withId(id: string): Principal | undefined {
    const entry = this.#directory.withId(id);
    return entry && entry.expiresAt > this.clock.now() ? entry.principal : undefined;
  }

  #find(token: string): KeyEntry {
    const digest = this.hasher.binary(token);
    this.#scratch.write(digest, 'latin1');
    const entry = this.#directory.find(digest) ?? noEntry;
    if (!timingSafeEqual(this.#scratch, entry.digest)) throw fixedErrors.invalidApiKey();
    return entry;
  }

  async #readChanges(): Promise<void> {
    const after = this.#version;
    // Before the first look there is nothing in memory that has ended.
    const first = after === 0n;
    const now = BigInt(this.database.now());
    const { version, projects, accounts, keys, past } = await this.database.snapshot(async (trx) => ({
      version: (await trx.selectFrom('counter').select('value').where('name', '=', 'api_key').executeTakeFirstOrThrow()).value,
      projects: await trx
        .selectFrom('project')
        .select(['id', 'rules', 'archived_at'])
        .where('version', '>', after)
        .$if(first, (all) => all.where('archived_at', 'is', null))
        .execute(),
      accounts: await trx.selectFrom('account').select(['id', 'rules', 'status']).where('version', '>', after).execute(),
      keys: await trx
        .selectFrom('api_key')
        .select(['id', 'account_id', 'project_id', 'environment', 'digest', 'rules', 'first_id', 'expires_at', 'revoked_at'])
        .where('version', '>', after)
        .$if(first, (all) => all.where('revoked_at', 'is', null).where(isOpen(now)))
        .execute(),
      past: first ? await lastExpired(trx, now) : [],
    }));
    this.#version = version;
    for (const key of past) this.#directory.expire(key);
    this.#seen.clear();
    const ended = this.#directory.update(keys, projects, accounts);
    for (const { id, expires_at } of keys) {
      if (expires_at !== null && this.#directory.has(id)) this.#expiring.set(id, Number(expires_at));
      else this.#expiring.delete(id);
    }
    for (const id of ended) if (!this.#directory.has(id)) this.#expiring.delete(id);
    if (this.#expiring.size > 0) this.#expiry ??= this.clock.setInterval(() => this.#endExpired(), EXPIRY_TICK).unref();
    if (ended.length > 0) this.#ended.next(new Map(ended.map((id) => [id, fixedErrors.invalidApiKey()])));
  }

  #endExpired(): void {
    const now = this.clock.now();
    const ended = new Map<string, ApiError>();
    for (const [id, expiresAt] of this.#expiring) if (expiresAt <= now) ended.set(id, expired());
    for (const id of ended.keys()) {
      this.#expiring.delete(id);
      this.#directory.expireId(id);
    }
    if (ended.size > 0) {
      this.#seen.clear();
      this.#ended.next(ended);
    }
    if (this.#expiring.size > 0) return;
    this.clock.clear(this.#expiry);
    this.#expiry = undefined;
  }
}

function expired(): ApiError {
  return new ApiError('expired_api_key', 'The API key has expired');
}

const isOpen = (now: bigint) => sql<boolean>`(expires_at is null or expires_at > ${now})`;

/** The keys that have expired last, oldest first: their clients are told so after a start as well. */
async function lastExpired(trx: Transaction<Schema>, now: bigint) {
  const rows = await trx
    .selectFrom('api_key')
    .select(['id', 'account_id', 'environment', 'digest', 'expires_at'])
    .where('revoked_at', 'is', null)
    .where('expires_at', '<=', now)
    .orderBy('expires_at', 'desc')
    .limit(MAX_EXPIRED)
    .execute();
  return rows.reverse();
}
