import { hash, timingSafeEqual } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
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

/**
 * Tells whose key a request carries. Every valid key is in memory under its digest, so that no request waits for the
 * store.
 */
@Injectable()
export class ApiKeyService implements OnModuleInit {
  readonly #entries = new Map<string, Entry>();
  readonly #scratch = Buffer.alloc(32);
  /**
   * Keys that were found valid, by their bare SHA-256, which takes one hash for each request instead of the two of an
   * HMAC. These hashes are never stored.
   */
  readonly #seen = new Map<string, Entry>();
  /** The version of the newest row that is in memory. */
  #version = 0n;

  constructor(
    private readonly database: Database,
    private readonly hasher: ApiKeyHasher,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.database.follow('api_key', () => this.#readChanges());
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
    if (entry.expiresAt <= Date.now()) throw new ApiError('expired_api_key', 'The API key has expired');
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
    for (const row of rows) {
      const digest = Buffer.from(row.digest, 'hex');
      const name = digest.toString('latin1');
      if (row.revoked_at === null) {
        const principal = Object.freeze({ keyId: row.id, accountId: row.account_id, environment: row.environment });
        this.#entries.set(name, { digest, principal, expiresAt: row.expires_at === null ? Infinity : Number(row.expires_at) });
      } else this.#entries.delete(name);
      this.#version = row.version;
    }
  }
}
