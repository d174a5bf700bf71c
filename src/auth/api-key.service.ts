import { hash, timingSafeEqual } from 'node:crypto';
import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { type Observable, Subject } from 'rxjs';
import { ApiError, fixedErrors } from '../common/api-error.js';
import { Database } from '../database/database.js';
import { ApiKeyHasher } from './api-key-hasher.js';
import { bearerToken } from './bearer.js';
import type { Principal } from './principal.js';

interface Entry {
  readonly digest: Buffer;
  readonly principal: Principal;
  /** When the key expires, in milliseconds since 1970; Infinity where it never does. */
  readonly expiresAt: number;
}

const noEntry: Entry = { digest: Buffer.alloc(32), principal: { keyId: '', accountId: '', environment: 'test' }, expiresAt: 0 };

/** Milliseconds between two looks for keys that have expired. */
const EXPIRY_TICK = 500;

/**
 * Tells whose key a request carries. Every valid key is in memory under its digest, so that no request waits for the
 * store.
 */
@Injectable()
export class ApiKeyService implements OnModuleInit, OnApplicationShutdown {
  readonly #entries = new Map<string, Entry>();
  readonly #scratch = Buffer.alloc(32);
  /**
   * Keys that were found valid, by their bare SHA-256, which takes one hash for each request instead of the two of an
   * HMAC. These hashes are never stored.
   */
  readonly #seen = new Map<string, Entry>();
  /** When each key expires that will, by its id. */
  readonly #expiring = new Map<string, number>();
  readonly #ended = new Subject<ReadonlyMap<string, ApiError>>();
  #expiry: NodeJS.Timeout | undefined;
  /** The version of the newest row that is in memory. */
  #version = 0n;

  constructor(
    private readonly database: Database,
    private readonly hasher: ApiKeyHasher,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.database.follow('api_key', () => this.#readChanges());
  }

  onApplicationShutdown(): void {
    clearInterval(this.#expiry);
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
    if (entry.expiresAt <= Date.now()) throw expired();
    if (!seen) this.#seen.set(name, entry);
    return entry.principal;
  }

  #find(token: string): Entry {
    const digest = this.hasher.binary(token);
    this.#scratch.write(digest, 'latin1');
    const entry = this.#entries.get(digest) ?? noEntry;
    if (!timingSafeEqual(this.#scratch, entry.digest)) throw fixedErrors.invalidApiKey();
    return entry;
  }

  async #readChanges(): Promise<void> {
    const rows = await this.database.db
      .selectFrom('api_key')
      .select(['id', 'account_id', 'environment', 'digest', 'expires_at', 'revoked_at', 'version'])
      .where('version', '>', this.#version)
      .orderBy('version')
      .execute();
    this.#seen.clear();
    const revoked = new Map<string, ApiError>();
    for (const row of rows) {
      const digest = Buffer.from(row.digest, 'hex');
      const name = digest.toString('latin1');
      if (row.revoked_at === null) {
        const principal = Object.freeze({ keyId: row.id, accountId: row.account_id, environment: row.environment });
        const expiresAt = row.expires_at === null ? Infinity : Number(row.expires_at);
        this.#entries.set(name, { digest, principal, expiresAt });
        if (expiresAt !== Infinity) this.#expiring.set(row.id, expiresAt);
      } else {
        this.#expiring.delete(row.id);
        if (this.#entries.delete(name)) revoked.set(row.id, fixedErrors.invalidApiKey());
      }
      this.#version = row.version;
    }
    if (this.#expiring.size > 0) this.#expiry ??= setInterval(() => this.#endExpired(), EXPIRY_TICK).unref();
    if (revoked.size > 0) this.#ended.next(revoked);
  }

  #endExpired(): void {
    const now = Date.now();
    const ended = new Map<string, ApiError>();
    for (const [id, expiresAt] of this.#expiring) if (expiresAt <= now) ended.set(id, expired());
    for (const id of ended.keys()) this.#expiring.delete(id);
    if (ended.size > 0) this.#ended.next(ended);
    if (this.#expiring.size > 0) return;
    clearInterval(this.#expiry);
    this.#expiry = undefined;
  }
}

function expired(): ApiError {
  return new ApiError('expired_api_key', 'The API key has expired');
}
