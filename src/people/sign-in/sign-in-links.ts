import { Injectable } from '@nestjs/common';
import type { Transaction } from 'kysely';
import { ApiKeyHasher } from '../../auth/api-key-hasher.js';
import { generateSecret } from '../../auth/api-key-format.js';
import { ConfigService } from '../../config/config.service.js';
import { type Beside, Database } from '../../database/database.js';
import type { Schema } from '../../database/schema.js';

/** A link that was just made; `token` is shown this once. */
export interface MadeLink {
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Milliseconds for which a link is valid. */
const VALID_MS = 24 * 3_600_000;

/**
 * Makes links that sign one person in, once, and uses them up. One that an operator makes takes the place of those before
 * it; one that a stranger may have asked for takes the place of such ones alone.
 */
@Injectable()
export class SignInLinks {
  constructor(
    private readonly database: Database,
    private readonly hasher: ApiKeyHasher,
    private readonly config: ConfigService,
  ) {}

  /** @param askedFor by somebody who is not signed in */
  make(personId: string, beside?: Beside, askedFor = false): Promise<MadeLink> {
    return this.database.transaction(async (trx) => {
      const made = await this.insert(trx, personId, askedFor);
      await beside?.(trx, personId);
      return made;
    });
  }

  async insert(trx: Transaction<Schema>, personId: string, askedFor = false): Promise<MadeLink> {
    const token = generateSecret(this.config.current.keys.prefix, 'link');
    const now = this.database.now();
    const expiresAt = now + VALID_MS;
    const before = trx.deleteFrom('sign_in_link').where('person_id', '=', personId);
    await (askedFor ? before.where('asked_for', '=', 1n) : before).execute();
    await trx
      .insertInto('sign_in_link')
      .values({ digest: this.hasher.hex(token), person_id: personId, created_at: now, expires_at: expiresAt, asked_for: askedFor ? 1 : 0 })
      .execute();
    return { token, expiresAt };
  }

  /** Whether there is such a link, valid or not any more. */
  async has(token: string): Promise<boolean> {
    const row = await this.database.db
      .selectFrom('sign_in_link')
      .select('person_id')
      .where('digest', '=', this.hasher.hex(token))
      .executeTakeFirst();
    return row !== undefined;
  }

  /** Uses a link up. @returns the id of its person; undefined where it is not valid, or not any more */
  async use(trx: Transaction<Schema>, token: string): Promise<string | undefined> {
    const row = await trx
      .deleteFrom('sign_in_link')
      .where('digest', '=', this.hasher.hex(token))
      .returning(['person_id', 'expires_at'])
      .executeTakeFirst();
    return row && row.expires_at > BigInt(this.database.now()) ? row.person_id : undefined;
  }
}
