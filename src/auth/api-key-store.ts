import { Injectable } from '@nestjs/common';
import type { Selectable } from 'kysely';
import { ConfigService } from '../config/config.service.js';
import { Database } from '../database/database.js';
import type { ApiKeyTable } from '../database/schema.js';
import { displayApiKey, generateApiKey, parseApiKey } from './api-key-format.js';
import { ApiKeyHasher } from './api-key-hasher.js';
import { randomBase62 } from './base62.js';
import { PEPPER_VERSION } from './pepper.js';
import type { Environment } from './principal.js';

/** What may be shown of a key. Times are milliseconds since 1970. */
export interface ApiKey {
  readonly id: string;
  readonly accountId: string;
  readonly environment: Environment;
  readonly label: string;
  /** The prefix, the environment and the first and last four characters. */
  readonly display: string;
  readonly createdAt: number;
  readonly expiresAt?: number;
  readonly revokedAt?: number;
}

export interface NewApiKey {
  readonly accountId: string;
  readonly environment: Environment;
  readonly label?: string;
  /** Milliseconds since 1970; absent means that the key never expires. */
  readonly expiresAt?: number;
}

/**
 * Creates, revokes and lists the keys in the store. Each change gets the next version, so that every process can ask
 * for what is newer than what it has.
 */
@Injectable()
export class ApiKeyStore {
  constructor(
    private readonly database: Database,
    private readonly hasher: ApiKeyHasher,
    private readonly config: ConfigService,
  ) {}

  /** Creates a key. The full `key` is returned here and never again. */
  async create({ accountId, environment, label = '', expiresAt }: NewApiKey): Promise<{ apiKey: ApiKey; key: string }> {
    if (label.length > 200) throw new RangeError('a key’s label has at most 200 characters');
    const key = generateApiKey(this.config.current.keys.prefix, environment);
    const row = await this.database.change('api_key', (trx, version) =>
      trx
        .insertInto('api_key')
        .values({
          id: `key_${randomBase62(16)}`,
          account_id: accountId,
          environment,
          digest: this.hasher.hex(key),
          pepper_version: PEPPER_VERSION,
          label,
          display: displayApiKey(parseApiKey(key)!),
          created_at: Date.now(),
          expires_at: expiresAt,
          version,
        })
        .returningAll()
        .executeTakeFirstOrThrow(),
    );
    return { apiKey: toApiKey(row), key };
  }

  /**
   * Revokes a key. One that was already revoked stays as it was.
   * @returns undefined when there is no such key
   */
  async revoke(id: string): Promise<ApiKey | undefined> {
    const revoked = await this.database.change('api_key', (trx, version) =>
      trx
        .updateTable('api_key')
        .set({ revoked_at: Date.now(), version })
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .returningAll()
        .executeTakeFirst(),
    );
    const row = revoked ?? (await this.database.db.selectFrom('api_key').selectAll().where('id', '=', id).executeTakeFirst());
    return row && toApiKey(row);
  }

  /** Lists keys, oldest first: those of one account, or all of them. */
  async list(accountId?: string): Promise<ApiKey[]> {
    let query = this.database.db.selectFrom('api_key').selectAll().orderBy('created_at').orderBy('id');
    if (accountId !== undefined) query = query.where('account_id', '=', accountId);
    return (await query.execute()).map(toApiKey);
  }
}

function toApiKey(row: Selectable<ApiKeyTable>): ApiKey {
  return {
    id: row.id,
    accountId: row.account_id,
    environment: row.environment,
    label: row.label,
    display: row.display,
    createdAt: Number(row.created_at),
    expiresAt: row.expires_at === null ? undefined : Number(row.expires_at),
    revokedAt: row.revoked_at === null ? undefined : Number(row.revoked_at),
  };
}
