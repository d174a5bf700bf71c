import { Injectable } from '@nestjs/common';
import { ApiKeyHasher } from '../auth/api-key-hasher.js';
import { ApiError } from '../common/api-error.js';
import { Database } from '../database/database.js';

/** How often something may be done in a time. */
export interface AttemptLimit {
  readonly limit: number;
  /** Milliseconds from the first attempt until all of them are forgotten. */
  readonly windowMs: number;
  /** What is answered beyond it. */
  readonly message: string;
}

/** Counts what may be done only so often, for all gateways together. The store has digests of what is counted. */
@Injectable()
export class AttemptCounts {
  constructor(
    private readonly database: Database,
    private readonly hasher: ApiKeyHasher,
  ) {}

  /** @throws ApiError 429 rate_limit_exceeded */
  async count(subject: string, { limit, windowMs, message }: AttemptLimit): Promise<void> {
    const now = this.database.now();
    const { db } = this.database;
    const { failures, until } = await db
      .insertInto('sign_in_failure')
      .values({ subject: this.hasher.hex(subject), failures: 1, until: now + windowMs })
      .onConflict((conflict) =>
        conflict.column('subject').doUpdateSet((row) => {
          const over = row('sign_in_failure.until', '<=', BigInt(now));
          return {
            failures: row
              .case()
              .when(over)
              .then(1n)
              .else(row('sign_in_failure.failures', '+', 1n))
              .end(),
            until: row
              .case()
              .when(over)
              .then(BigInt(now + windowMs))
              .else(row.ref('sign_in_failure.until'))
              .end(),
          };
        }),
      )
      .returning(['failures', 'until'])
      .executeTakeFirstOrThrow();
    if (failures === 1n) await db.deleteFrom('sign_in_failure').where('until', '<=', BigInt(now)).execute();
    if (failures <= BigInt(limit)) return;
    const retryAfter = Math.max(1, Math.ceil((Number(until) - now) / 1_000));
    throw new ApiError('rate_limit_exceeded', message, { retryAfter });
  }

  /** Counts one attempt less. */
  async takeBack(subject: string): Promise<void> {
    await this.database.db
      .updateTable('sign_in_failure')
      .set((row) => ({ failures: row('failures', '-', 1n) }))
      .where('subject', '=', this.hasher.hex(subject))
      .where('failures', '>', 0n)
      .execute();
  }

  async forget(subject: string): Promise<void> {
    await this.database.db.deleteFrom('sign_in_failure').where('subject', '=', this.hasher.hex(subject)).execute();
  }
}
