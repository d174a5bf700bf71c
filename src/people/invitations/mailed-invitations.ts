import { Injectable } from '@nestjs/common';
import { type AttemptLimit, AttemptCounts } from '../attempt-counts.js';
import { Mailer } from '../mail/mailer.js';
import { invitationMessage } from '../mail/messages.js';
import type { Invitation } from './invitation-store.js';

const HOUR_MS = 3_600_000;

const without = 'Please retry later, or invite with mail: false and hand the link on yourself.';
const ofAccount: AttemptLimit = {
  limit: 50,
  windowMs: HOUR_MS,
  message: `The account has had as many invitations mailed as it may in an hour. ${without}`,
};
/** From all accounts together: each of them could be the same sender's. */
const ofEmail: AttemptLimit = {
  limit: 5,
  windowMs: 24 * HOUR_MS,
  message: `This address was mailed as many invitations as it may be in a day. ${without}`,
};

/** Sends invitations by mail, so many of them at most: nobody fills a stranger's mailbox. */
@Injectable()
export class MailedInvitations {
  constructor(
    private readonly counts: AttemptCounts,
    private readonly mailer: Mailer,
  ) {}

  /**
   * Counts a message that is to be sent, before there is an invitation. Nothing where there is no mail server.
   * @param accountId undefined where an operator is invited
   * @param email as normalEmail writes it
   * @throws ApiError 429 rate_limit_exceeded
   */
  async count(accountId: string | undefined, email: string): Promise<void> {
    if (!this.mailer.isConfigured) return;
    await this.counts.count(accountId === undefined ? 'invitations of operators' : `invitations of ${accountId}`, ofAccount);
    await this.counts.count(`invitations for ${email}`, ofEmail);
  }

  /** @returns whether the mail server has taken it */
  send(invitation: Invitation, accountName: string | undefined, link: string): Promise<boolean> {
    return this.mailer.send(invitationMessage(invitation, accountName, link));
  }
}
