import { Body, Get, Query } from '@nestjs/common';
import { CurrentDeed } from '../../auth/administration/deed.decorator.js';
import { Roles } from '../../auth/administration/roles.decorator.js';
import type { Deed } from '../../observability/audit/audit-log.js';
import { AdminController, Id, Perform } from '../route.decorators.js';
import { PageDto, type PageView, pageView } from '../page.dto.js';
import { BalanceSeriesQueryDto, type BalanceSeriesView, balanceSeriesView } from './balance-series.dto.js';
import { type BalancesView, balanceView, GrantDto, type TransferView, transferView } from './credit.dto.js';
import { CreditsService } from './credits.service.js';

@AdminController('accounts/:account/credits')
export class CreditsController {
  constructor(private readonly credits: CreditsService) {}

  /**
   * Shows what an account has, what is held for open requests, and what can be spent.
   * @returns the live and the test balance
   * @throws ApiError 404 not_found
   */
  @Get()
  @Roles('operator', 'owner', 'admin', 'developer', 'viewer')
  async balances(@Id('account') account: string): Promise<BalancesView> {
    return { data: (await this.credits.balances(account)).map(balanceView) };
  }

  /**
   * Shows what an account had over time, what it was given and what its requests were charged.
   * @returns the intervals in which there were grants or charges
   * @throws ApiError 404 not_found
   */
  @Get('series')
  @Roles('operator', 'owner', 'admin', 'developer', 'viewer')
  async series(@Id('account') account: string, @Query() query: BalanceSeriesQueryDto): Promise<BalanceSeriesView> {
    return balanceSeriesView(query, await this.credits.series(account, query));
  }

  /**
   * Lists what an account was given, newest first. What its requests have cost is in their list and in the usage.
   * @returns a page of transfers
   * @throws ApiError 404 not_found
   */
  @Get('transfers')
  @Roles('operator', 'owner', 'admin', 'developer', 'viewer')
  async transfers(@Id('account') account: string, @Query() query: PageDto): Promise<PageView<TransferView>> {
    return pageView(await this.credits.transfers(account, query), transferView);
  }

  /**
   * Adds credits to an account, once for each id.
   * @returns the transfer, also where it was made before
   * @throws ApiError 404 not_found, 409 idempotency_conflict
   */
  @Perform('grants')
  @Roles('operator')
  async grant(@Id('account') account: string, @Body() body: GrantDto, @CurrentDeed() deed: Deed): Promise<TransferView> {
    return transferView(await this.credits.grant(account, body, deed));
  }
}
