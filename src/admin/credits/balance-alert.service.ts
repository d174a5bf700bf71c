import { Injectable } from '@nestjs/common';
import { ApiError } from '../../common/api-error.js';
import { formatCredits, parseCredits } from '../../common/prices/credits.js';
import { audited, type Deed } from '../../observability/audit/audit-log.js';
import { Mailer } from '../../people/mail/mailer.js';
import { PersonStore } from '../../people/person-store.js';
import { BalanceAlertStore } from '../../webhooks/balance-alert-store.js';
import { found } from '../preconditions.js';
import type { BalanceAlertView } from './balance-alert.dto.js';

/** What people are told by mail of the balances of an account. */
@Injectable()
export class BalanceAlertService {
  constructor(
    private readonly people: PersonStore,
    private readonly alerts: BalanceAlertStore,
    private readonly mailer: Mailer,
  ) {}

  async show(accountId: string, personId: string): Promise<BalanceAlertView> {
    const { email } = found('user', personId, await this.people.row(personId));
    const below = await this.alerts.find(accountId, personId);
    return { email, low_balance_below: below === undefined ? null : formatCredits(below), mail_configured: this.mailer.isConfigured };
  }

  /** @param deed of the person who is to be told */
  async set(accountId: string, below: string, deed: Deed): Promise<BalanceAlertView> {
    if (!this.mailer.isConfigured) throw new ApiError('conflict', 'This gateway sends no mail.');
    const beside = audited(deed, { accountId, fields: ['low_balance_below'] });
    await this.alerts.set(accountId, deed.actor, parseCredits(below), beside);
    return this.show(accountId, deed.actor);
  }

  /** As set. */
  async remove(accountId: string, deed: Deed): Promise<BalanceAlertView> {
    await this.alerts.remove(accountId, deed.actor, audited(deed, { accountId, fields: [] }));
    return this.show(accountId, deed.actor);
  }
}
