import { Body, Delete, Get, Put } from '@nestjs/common';
import type { Administrator } from '../../auth/administration/administrator.js';
import { CurrentDeed } from '../../auth/administration/deed.decorator.js';
import { CurrentAdministrator, OwnSession } from '../../auth/administration/roles.decorator.js';
import type { Deed } from '../../observability/audit/audit-log.js';
import { AdminController, Id } from '../route.decorators.js';
import { type BalanceAlertView, SetBalanceAlertDto } from './balance-alert.dto.js';
import { BalanceAlertService } from './balance-alert.service.js';

/** Messages by mail on low balances, to whoever is signed in. Webhooks tell programs of them. */
@AdminController('accounts/:account/credits/alert')
export class BalanceAlertController {
  constructor(private readonly alerts: BalanceAlertService) {}

  /**
   * Shows whether whoever is signed in is told by mail of low balances.
   * @returns their address, and below how many credits a balance is low
   * @throws ApiError 404 not_found
   */
  @Get()
  @OwnSession('operator', 'owner', 'admin')
  show(@Id('account') account: string, @CurrentAdministrator() { id }: Administrator): Promise<BalanceAlertView> {
    return this.alerts.show(account, id);
  }

  /**
   * Has whoever is signed in told by mail when the live or the test balance falls below an amount, once for each fall.
   * A balance that is low already is not told of.
   * @returns what is set
   * @throws ApiError 404 not_found, 409 conflict where the gateway sends no mail
   */
  @Put()
  @OwnSession('operator', 'owner', 'admin')
  set(
    @Id('account') account: string,
    @Body() { low_balance_below }: SetBalanceAlertDto,
    @CurrentDeed() deed: Deed,
  ): Promise<BalanceAlertView> {
    return this.alerts.set(account, low_balance_below, deed);
  }

  /**
   * Tells whoever is signed in of low balances no more, also not of what has happened already.
   * @returns what is set
   * @throws ApiError 404 not_found
   */
  @Delete()
  @OwnSession('operator', 'owner', 'admin')
  remove(@Id('account') account: string, @CurrentDeed() deed: Deed): Promise<BalanceAlertView> {
    return this.alerts.remove(account, deed);
  }
}
