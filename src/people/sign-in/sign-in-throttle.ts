import { Injectable } from '@nestjs/common';
import { ApiKeyHasher } from '../../auth/api-key-hasher.js';
import { networkOf } from '../../common/addresses/ip-address.js';
import { ApiError } from '../../common/api-error.js';
import { Database } from '../../database/database.js';

/** Milliseconds from the first failed attempt until all of them are forgotten. */
const WINDOW_MS = 15 * 60_000;
/** Failed attempts in that time for one e-mail address, whether or not anybody has it. */
const MAX_OF_EMAIL = 10;
/** The same from one client. Many people may share its address. */
const MAX_OF_ADDRESS = 100;
/** Links that may be asked for in that time for one e-mail address, and from one client. */
const MAX_LINKS_OF_EMAIL = 3;
const MAX_LINKS_OF_ADDRESS = 20;

const TOO_MANY_ATTEMPTS = 'Too many attempts to sign in. Please retry later, or use a one-time link.';
const TOO_MANY_LINKS = 'Too many links were asked for. Please retry later.';

/**
 * Counts failed attempts to sign in, for all gateways together. An attempt counts as failed from its beginning, so that
 * many at once get no further than one after the other.
 */
@Injectable()
export class SignInThrottle {
  constructor(
    private readonly database: Database,
    private readonly hasher: ApiKeyHasher,
  ) {}

  /**
   * @param address of the client
   * @param email as normalEmail writes it; absent where a link or an invitation is shown
   * @param attempt resolves with undefined where it has failed
   * @throws ApiError 429 rate_limit_exceeded, the same for addresses of people and of nobody
   */
  async attempt<T>(address: string, email: string | undefined, attempt: () => Promise<T | undefined>): Promise<T | undefined> {
    const ofAddress = this.hasher.hex(`sign-in from ${networkOf(address)}`);
    const ofEmail = email === undefined ? undefined : this.hasher.hex(`sign-in as ${email}`);
    await this.#count(ofAddress, MAX_OF_ADDRESS, TOO_MANY_ATTEMPTS);
    if (ofEmail !== undefined) await this.#count(ofEmail, MAX_OF_EMAIL, TOO_MANY_ATTEMPTS);
    const result = await attempt();
    if (result !== undefined) await this.#forget(ofAddress, ofEmail);
    return result;
  }

  /**
   * Counts a link that is asked for, for whomever.
   * @throws ApiError 429 rate_limit_exceeded, the same for addresses of people and of nobody
   */
  async countLinkRequest(address: string, email: string): Promise<void> {
    await this.#count(this.hasher.hex(`link from ${networkOf(address)}`), MAX_LINKS_OF_ADDRESS, TOO_MANY_LINKS);
    await this.#count(this.hasher.hex(`link for ${email}`), MAX_LINKS_OF_EMAIL, TOO_MANY_LINKS);
  }

  async #count(subject: string, limit: number, message: string): Promise<void> {
    const now = Date.now();
    const { db } = this.database;
    const { failures, until } = await db
      .insertInto('sign_in_failure')
      .values({ subject, failures: 1, until: now + WINDOW_MS })
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
              .then(BigInt(now + WINDOW_MS))
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

  /** Who has signed in is no guesser of their own password; attempts at others' from this address still count. */
  async #forget(ofAddress: string, ofEmail: string | undefined): Promise<void> {
    const { db } = this.database;
    await db
      .updateTable('sign_in_failure')
      .set((row) => ({ failures: row('failures', '-', 1n) }))
      .where('subject', '=', ofAddress)
      .where('failures', '>', 0n)
      .execute();
    if (ofEmail !== undefined) await db.deleteFrom('sign_in_failure').where('subject', '=', ofEmail).execute();
  }
}
