import { Injectable } from '@nestjs/common';
import { type BalanceOverTime, BalanceSeries } from '../../billing/balance-series.js';
import { type Balance, CreditStore, repeats, type Transfer } from '../../billing/credit-store.js';
import { ApiError } from '../../common/api-error.js';
import { parseCredits } from '../../common/credits.js';
import type { Page, PageQuery } from '../../database/pages.js';
import { audited, type Deed } from '../../observability/audit/audit-log.js';
import { fieldsOf } from '../once.service.js';
import { found } from '../preconditions.js';
import { seriesTimes } from '../series-times.js';
import type { BalanceSeriesQueryDto } from './balance-series.dto.js';
import type { GrantDto } from './credit.dto.js';

@Injectable()
export class CreditsService {
  constructor(
    private readonly credits: CreditStore,
    private readonly balancesOverTime: BalanceSeries,
  ) {}

  balances(accountId: string): Promise<Balance[]> {
    return this.credits.balances(accountId);
  }

  /** @throws ApiError 404 not_found, and 400 invalid_request for too many intervals */
  async series(accountId: string, query: BalanceSeriesQueryDto): Promise<BalanceOverTime> {
    const { environment, interval } = query;
    const times = seriesTimes(query);
    return this.balancesOverTime.read({ accountId, environment, interval, ...times });
  }

  transfers(accountId: string, query: PageQuery): Promise<Page<Transfer>> {
    return this.credits.transfers(accountId, query);
  }

  /**
   * The row of the transfer is what tells a repetition from another grant: such rows are never changed.
   * @throws ApiError 409 idempotency_conflict
   */
  async grant(accountId: string, { id, ...content }: GrantDto, deed: Deed): Promise<Transfer> {
    const { environment, note = '' } = content;
    const amount = parseCredits(content.amount);
    const beside = audited(deed, { accountId, fields: fieldsOf(content) });
    const grant = { id, accountId, environment, amount, note };
    await this.credits.grant(grant, beside);
    const made = found('transfer', id, await this.credits.transfer(id));
    if (repeats(grant, made) && made.note === note) return made;
    throw new ApiError('idempotency_conflict', `The id '${id}' was used before for another transfer.`);
  }
}
