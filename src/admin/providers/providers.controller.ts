import { Body, Delete, Get, Patch, Query } from '@nestjs/common';
import { CurrentDeed } from '../../auth/administration/deed.decorator.js';
import { Roles } from '../../auth/administration/roles.decorator.js';
import type { Deed } from '../../observability/audit/audit-log.js';
import { AdminController, type Change, Id, IfMatch, Perform } from '../route.decorators.js';
import { type PageView, pageView, SearchDto } from '../page.dto.js';
import { ProviderChanges } from './provider-changes.js';
import { ProviderList } from './provider-list.js';
import { ProviderSwitches } from './provider-switches.js';
import { ProviderTrials } from './provider-trials.js';
import {
  ChangeProviderDto,
  CreateProviderDto,
  DisableProviderDto,
  type ProviderView,
  trialView,
  type TrialView,
  TryNewProviderDto,
  TryProviderDto,
} from './provider.dto.js';

@AdminController('providers')
export class ProvidersController {
  constructor(
    private readonly all: ProviderList,
    private readonly changes: ProviderChanges,
    private readonly switches: ProviderSwitches,
    private readonly trials: ProviderTrials,
  ) {}

  /**
   * Lists the providers of the configuration file and of the store, in the order of their ids, without their secrets.
   * @returns a page of them
   */
  @Get()
  @Roles('operator')
  async list(@Query() query: SearchDto): Promise<PageView<ProviderView>> {
    return pageView(await this.all.page(query), (provider) => provider);
  }

  /**
   * Adds a provider to the store. It serves at all gateways within a second.
   * @returns the provider
   * @throws ApiError 409 idempotency_conflict, conflict where the file or the gateway itself has one of this id
   */
  @Perform()
  @Roles('operator')
  async create(@Body() body: CreateProviderDto, @CurrentDeed() deed: Deed): Promise<ProviderView> {
    return this.all.view(await this.changes.create(body, deed));
  }

  /**
   * Tries settings that are not saved, by asking for a few words. No account is charged.
   * @returns what has come of it
   * @throws ApiError 429 rate_limit_exceeded
   */
  @Perform('try')
  @Roles('operator')
  async tryUnsaved(@Body() body: TryNewProviderDto): Promise<TrialView> {
    return trialView(await this.trials.unsaved(body));
  }

  /**
   * Shows a provider without its secrets: that of the store, where the file has one of the same id.
   * @returns the provider
   * @throws ApiError 404 not_found
   */
  @Get(':provider')
  @Roles('operator')
  async get(@Id('provider') id: string): Promise<ProviderView> {
    return this.all.get(id);
  }

  /**
   * Changes settings of a provider of the store. Where the change decides where a secret is sent, the secret has to be
   * given again.
   * @returns the provider as it is now
   * @throws ApiError 404 not_found, 409 conflict for one of the file, 412 precondition_failed
   */
  @Patch(':provider')
  @Roles('operator')
  async change(@Id('provider') id: string, @Body() { settings }: ChangeProviderDto, @IfMatch() by: Change): Promise<ProviderView> {
    return this.all.view(await this.changes.change(id, settings, by));
  }

  /**
   * Switches a provider of the store off at all gateways, within a second. Requests that run end as they would. Where
   * it is so already, the message is replaced.
   * @returns the provider as it is now
   * @throws ApiError 404 not_found, 409 conflict for one of the file, 412 precondition_failed
   */
  @Perform(':provider/disable')
  @Roles('operator')
  async disable(@Id('provider') id: string, @Body() { message }: DisableProviderDto, @IfMatch() by: Change): Promise<ProviderView> {
    return this.all.view(await this.switches.disable(id, message, by));
  }

  /**
   * Switches a provider of the store on again at all gateways, within a second.
   * @returns the provider as it is now
   * @throws ApiError 404 not_found, 409 conflict for one of the file, 412 precondition_failed
   */
  @Perform(':provider/enable')
  @Roles('operator')
  async enable(@Id('provider') id: string, @IfMatch() by: Change): Promise<ProviderView> {
    return this.all.view(await this.switches.enable(id, by));
  }

  /**
   * Tries a provider, of the file too, by asking for a few words; with settings, as it would be with these. No account
   * is charged.
   * @returns what has come of it
   * @throws ApiError 404 not_found, 409 conflict for settings of one of the file, 429 rate_limit_exceeded
   */
  @Perform(':provider/try')
  @Roles('operator')
  async try(@Id('provider') id: string, @Body() body: TryProviderDto): Promise<TrialView> {
    return trialView(await this.trials.existing(id, body));
  }

  /**
   * Removes a provider of the store with its secrets, for good. Requests that run end as they would.
   * @returns what it was
   * @throws ApiError 404 not_found, 409 conflict for one of the file, 412 precondition_failed
   */
  @Delete(':provider')
  @Roles('operator')
  async remove(@Id('provider') id: string, @IfMatch() by: Change): Promise<ProviderView> {
    return this.all.view(await this.switches.remove(id, by));
  }
}
