import { hash, timingSafeEqual } from 'node:crypto';
import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { type Observable, Subject } from 'rxjs';
import { ApiError, fixedErrors } from '../common/api-error.js';
import { Clock, type Timer } from '../common/clock.js';
import { Database } from '../database/database.js';
import { ApiKeyHasher } from './api-key-hasher.js';
import { bearerToken } from './bearer.js';
import { KeyDirectory, type KeyEntry } from './key-directory.js';
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
  /** The version of the newest row of each table that is in memory. */
  readonly #versions = { api_key: 0n, project: 0n, account: 0n };

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
    const { db } = this.database;
    const versions = this.#versions;
    const [projects, accounts] = await Promise.all([
      db.selectFrom('project').select(['id', 'rules', 'archived_at', 'version']).where('version', '>', versions.project).execute(),
      db.selectFrom('account').select(['id', 'rules', 'version']).where('version', '>', versions.account).execute(),
    ]);
    // After the projects: a key that is read was made in a project that is known.
    const keys = await db
      .selectFrom('api_key')
      .select(['id', 'account_id', 'project_id', 'environment', 'digest', 'rules', 'first_id', 'expires_at', 'revoked_at', 'version'])
      .where('version', '>', versions.api_key)
      .execute();
    versions.project = newest(projects, versions.project);
    versions.account = newest(accounts, versions.account);
    versions.api_key = newest(keys, versions.api_key);
    this.#seen.clear();
    const ended = this.#directory.update(keys, projects, accounts);
    for (const { id, expires_at } of keys) {
      if (expires_at !== null && this.#directory.has(id)) this.#expiring.set(id, Number(expires_at));
      else this.#expiring.delete(id);
    }
    for (const id of ended) this.#expiring.delete(id);
    if (this.#expiring.size > 0) this.#expiry ??= this.clock.setInterval(() => this.#endExpired(), EXPIRY_TICK).unref();
    if (ended.length > 0) this.#ended.next(new Map(ended.map((id) => [id, fixedErrors.invalidApiKey()])));
  }

  #endExpired(): void {
    const now = this.clock.now();
    const ended = new Map<string, ApiError>();
    for (const [id, expiresAt] of this.#expiring) if (expiresAt <= now) ended.set(id, expired());
    for (const id of ended.keys()) this.#expiring.delete(id);
    if (ended.size > 0) this.#ended.next(ended);
    if (this.#expiring.size > 0) return;
    this.clock.clear(this.#expiry);
    this.#expiry = undefined;
  }
}

function expired(): ApiError {
  return new ApiError('expired_api_key', 'The API key has expired');
}

function newest(rows: readonly { readonly version: bigint }[], known: bigint): bigint {
  return rows.reduce((highest, { version }) => (version > highest ? version : highest), known);
}
