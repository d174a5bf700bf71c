import { Injectable } from '@nestjs/common';
import { AccountStore } from '../auth/account-store.js';
import { ApiError } from '../common/api-error.js';
import { ConfigService } from '../config/config.service.js';
import { knownOrigin } from '../config/dashboard-origin.js';
import { type AttemptLimit, AttemptCounts } from '../people/attempt-counts.js';
import { creditsPage } from '../people/dashboard-address.js';
import { Mailer } from '../people/mail/mailer.js';
import { lowBalanceMessage } from '../people/mail/messages.js';
import { MemberStore } from '../people/member-store.js';
import { PersonStore } from '../people/person-store.js';
import type { Delivery, Ending } from './delivery-store.js';
import type { WebhookEndpoint } from './webhook-endpoint.js';

/** What the event `balance.low` tells. */
interface Fall {
  readonly environment: string;
  /** Credits, as `low_balance_below`. */
  readonly balance: string;
  readonly low_balance_below: string;
}

/** For one person, whatever they set; attempts that fail count. */
const limit: AttemptLimit = { limit: 20, windowMs: 86_400_000, message: 'the person was mailed as often as they may be in a day' };

/** What a mail server says that has taken a message (RFC 5321, section 4.2.3). */
const TAKEN = 250;

/** What ends the messages to an endpoint for good. */
export const GONE = 410;

/** Sends messages on low balances to people who look after the account, and to nobody who no longer does. */
@Injectable()
export class BalanceMails {
  constructor(
    private readonly people: PersonStore,
    private readonly members: MemberStore,
    private readonly accounts: AccountStore,
    private readonly counts: AttemptCounts,
    private readonly config: ConfigService,
    private readonly mailer: Mailer,
  ) {}

  /** Rejects only where the store does not answer. */
  async send({ accountId = '', personId = '' }: WebhookEndpoint, { id, data }: Pick<Delivery, 'id' | 'data'>): Promise<Ending> {
    const [person, member, account] = await Promise.all([
      this.people.row(personId),
      this.members.find(accountId, personId),
      this.accounts.withId(accountId),
    ]);
    const mayKnow = person?.operator === 1n || member?.role === 'owner' || member?.role === 'admin';
    if (!account || !person || person.disabled_at !== null || !mayKnow) return { status: GONE };
    try {
      await this.counts.count(`balance mails for ${personId}`, limit);
    } catch (error) {
      if (error instanceof ApiError) return { error: error.message };
      throw error;
    }
    const { environment, balance, low_balance_below: below } = JSON.parse(data) as Fall;
    const low = { accountName: account.name, environment, balance, below };
    const message = lowBalanceMessage(person.email, low, creditsPage(knownOrigin(this.config.current) ?? '', accountId));
    return (await this.mailer.send({ ...message, id })) ? { status: TAKEN } : { error: 'the mail server has not taken the message' };
  }
}
