import { timingSafeEqual } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ApiError } from '../../common/api-error.js';
import { Database } from '../../database/database.js';
import { ApiKeyHasher } from '../api-key-hasher.js';
import { bearerToken } from '../bearer.js';
import { type Administrator, NO_ACCOUNT } from './administrator.js';

interface Entry {
  readonly digest: Buffer;
  readonly administrator: Administrator;
  /** Milliseconds since 1970; Infinity where it never expires. */
  readonly expiresAt: number;
}

const noEntry: Entry = {
  digest: Buffer.alloc(32),
  administrator: { kind: 'token', id: '', role: 'viewer', accountId: NO_ACCOUNT },
  expiresAt: 0,
};

/** Tokens that have expired and are remembered, so that their clients are told so. */
const MAX_EXPIRED = 1_000;

/** Tells whose token a request carries. The valid ones are in memory, and follow changes within a second. */
@Injectable()
export class AdminTokenService implements OnModuleInit {
  #valid: ReadonlyMap<string, Entry> = new Map();

  constructor(
    private readonly database: Database,
    private readonly hasher: ApiKeyHasher,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.database.follow('admin_token', () => this.#read());
  }

  /**
   * Does the same work for an unknown, a revoked and a malformed token, and for an API key.
   * @throws ApiError 401 missing_api_key, invalid_api_key or expired_api_key
   */
  authenticate(authorization: string | undefined): Administrator {
    const token = bearerToken(authorization);
    if (token === '') throw new ApiError('missing_api_key', 'No administration token provided');
    const digest = this.hasher.binary(token);
    const entry = this.#valid.get(digest) ?? noEntry;
    if (!timingSafeEqual(Buffer.from(digest, 'latin1'), entry.digest))
      throw new ApiError('invalid_api_key', 'Invalid administration token provided');
    if (entry.expiresAt <= this.database.now()) throw new ApiError('expired_api_key', 'The administration token has expired');
    return entry.administrator;
  }

  async #read(): Promise<void> {
    const now = BigInt(this.database.now());
    const tokens = this.database.db
      .selectFrom('admin_token')
      .select(['id', 'digest', 'role', 'account_id', 'expires_at'])
      .where('revoked_at', 'is', null);
    const [valid, expired] = await Promise.all([
      tokens.where((one) => one.or([one('expires_at', 'is', null), one('expires_at', '>', now)])).execute(),
      tokens.where('expires_at', '<=', now).orderBy('expires_at', 'desc').limit(MAX_EXPIRED).execute(),
    ]);
    const rows = [...valid, ...expired];
    this.#valid = new Map(
      rows.map(({ id, digest, role, account_id, expires_at }) => {
        const bytes = Buffer.from(digest, 'hex');
        const administrator = Object.freeze({ kind: 'token' as const, id, role, accountId: account_id ?? undefined });
        return [bytes.toString('latin1'), { digest: bytes, administrator, expiresAt: expires_at === null ? Infinity : Number(expires_at) }];
      }),
    );
  }
}
