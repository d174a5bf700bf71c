import { Injectable } from '@nestjs/common';
import { networkOf } from '../../common/addresses/ip-address.js';
import { type AttemptLimit, AttemptCounts } from '../attempt-counts.js';

const windowMs = 15 * 60_000;

const attempts = { windowMs, message: 'Too many attempts to sign in. Please retry later, or use a one-time link.' };
/** Failed attempts for one e-mail address, whether or not anybody has it. */
const ofEmail: AttemptLimit = { ...attempts, limit: 10 };
/** The same from one client. Many people may share its address. */
const ofAddress: AttemptLimit = { ...attempts, limit: 100 };

const links = { windowMs, message: 'Too many links were asked for. Please retry later.' };
/** Links that may be asked for, for one e-mail address and from one client. */
const linksOfEmail: AttemptLimit = { ...links, limit: 3 };
const linksOfAddress: AttemptLimit = { ...links, limit: 20 };

/**
 * Counts failed attempts to sign in. An attempt counts as failed from its beginning, so that many at once get no further
 * than one after the other.
 */
@Injectable()
export class SignInThrottle {
  constructor(private readonly counts: AttemptCounts) {}

  /**
   * @param address of the client
   * @param email as emailToFind writes it
   * @param attempt resolves with undefined where it has failed
   * @throws ApiError 429 rate_limit_exceeded, the same for addresses of people and of nobody
   */
  async attempt<T>(address: string, email: string, attempt: () => Promise<T | undefined>): Promise<T | undefined> {
    const from = attemptsFrom(address);
    const as = `sign-in as ${email}`;
    await this.counts.count(from, ofAddress);
    await this.counts.count(as, ofEmail);
    const result = await attempt();
    if (result === undefined) return undefined;
    // Who has signed in is no guesser of their own password; attempts at others' from this address still count.
    await this.counts.takeBack(from);
    await this.counts.forget(as);
    return result;
  }

  /**
   * Counts a link or an invitation that was none. One that is valid is taken however often a client was wrong: whoever
   * shares its address is not locked out, and nobody guesses one.
   * @throws ApiError 429 rate_limit_exceeded
   */
  async countWrongLink(address: string): Promise<void> {
    await this.counts.count(attemptsFrom(address), ofAddress);
  }

  /**
   * Counts a link that is asked for, for whomever.
   * @throws ApiError 429 rate_limit_exceeded, the same for addresses of people and of nobody
   */
  async countLinkRequest(address: string, email: string): Promise<void> {
    await this.counts.count(`link from ${networkOf(address)}`, linksOfAddress);
    await this.counts.count(`link for ${email}`, linksOfEmail);
  }
}

function attemptsFrom(address: string): string {
  return `sign-in from ${networkOf(address)}`;
}
