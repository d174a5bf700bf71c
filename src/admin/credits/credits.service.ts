import { randomUUIDv7 } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type BalanceOverTime, BalanceSeries } from '../../billing/balance-series.js';
import { type Balance, CreditStore, repeats, type Transfer } from '../../billing/credit-store.js';
import { ApiError } from '../../common/api-error.js';
import { parseCredits } from '../../common/prices/credits.js';
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

  /** As give. @throws ApiError 409 idempotency_conflict where the transfer of this id is another one */
  async grant(accountId: string, grant: GrantDto, deed: Deed): Promise<Transfer> {
    const { transfer, same } = await this.give(accountId, grant, deed);
    if (same && transfer.note === (grant.note ?? '')) return transfer;
    throw new ApiError('idempotency_conflict', `The id '${grant.id}' was used before for another transfer.`);
  }

  /**
   * Adds credits, once for each id.
   * @returns the transfer of this id, whether it was made now, and whether it moves the same
   */
  async give(accountId: string, { id = randomUUIDv7(), ...content }: Omit<GrantDto, 'id'> & { id?: string | undefined }, deed: Deed) {
    const { environment, note } = content;
    const grant = { id, accountId, environment, amount: parseCredits(content.amount), note };
    const made = await this.credits.grant(grant, audited(deed, { accountId, fields: fieldsOf(content) }));
    // Such rows are never changed.
    const transfer = found('transfer', id, await this.credits.transfer(id));
    return { transfer, made, same: repeats(grant, transfer) };
  }
}
