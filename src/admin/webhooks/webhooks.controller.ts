import { Body, Delete, Get, Patch, Query } from '@nestjs/common';
import { CurrentDeed } from '../../auth/administration/deed.decorator.js';
import { Roles } from '../../auth/administration/roles.decorator.js';
import type { Deed } from '../../observability/audit/audit-log.js';
import { AdminController, type Change, Id, IfMatch, Perform } from '../route.decorators.js';
import { PageDto, type PageView, pageView } from '../page.dto.js';
import {
  ChangeWebhookDto,
  CreateWebhookDto,
  type MadeWebhookView,
  madeWebhookView,
  RotateWebhookDto,
  type WebhookTestView,
  type WebhookView,
  webhookView,
} from './webhook.dto.js';
import { WebhooksService } from './webhooks.service.js';

/** The webhooks of the operators, and below an account those of the account. */
@AdminController('webhooks', 'accounts/:account/webhooks')
export class WebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  /**
   * Lists the webhooks of an account, or of the operators, oldest first.
   * @returns a page of them
   * @throws ApiError 404 not_found
   */
  @Get()
  @Roles('operator', 'owner', 'admin')
  async list(@Id('account') account: string | undefined, @Query() query: PageDto): Promise<PageView<WebhookView>> {
    return pageView(await this.webhooks.page(account, query), webhookView);
  }

  /**
   * Makes a webhook of an account, or of the operators.
   * @returns the webhook with its secret, which is shown this once
   * @throws ApiError 404 not_found, 409 idempotency_conflict, conflict
   */
  @Perform()
  @Roles('operator', 'owner', 'admin')
  async create(
    @Id('account') account: string | undefined,
    @Body() body: CreateWebhookDto,
    @CurrentDeed() deed: Deed,
  ): Promise<MadeWebhookView> {
    return madeWebhookView(await this.webhooks.create(account, body, deed));
  }

  /**
   * Shows a webhook without its secret.
   * @returns the webhook
   * @throws ApiError 404 not_found
   */
  @Get(':webhook')
  @Roles('operator', 'owner', 'admin')
  async get(@Id('account') account: string | undefined, @Id('webhook') id: string): Promise<WebhookView> {
    return webhookView(await this.webhooks.get(account, id));
  }

  /**
   * Changes a webhook: what it is told of, where, and whether.
   * @returns the webhook
   * @throws ApiError 404 not_found, 412 precondition_failed
   */
  @Patch(':webhook')
  @Roles('operator', 'owner', 'admin')
  async change(
    @Id('account') account: string | undefined,
    @Id('webhook') id: string,
    @Body() body: ChangeWebhookDto,
    @IfMatch() by: Change,
  ): Promise<WebhookView> {
    return webhookView(await this.webhooks.change(account, id, body, by));
  }

  /**
   * Makes a new secret for a webhook. The one of before signs its messages as well, until the grace ends.
   * @returns the webhook with its new secret, which is shown this once
   * @throws ApiError 404 not_found, 409 idempotency_conflict, 412 precondition_failed
   */
  @Perform(':webhook/rotate')
  @Roles('operator', 'owner', 'admin')
  async rotate(
    @Id('account') account: string | undefined,
    @Id('webhook') id: string,
    @Body() body: RotateWebhookDto,
    @IfMatch() by: Change,
  ): Promise<MadeWebhookView> {
    return madeWebhookView(await this.webhooks.rotate(account, id, body, by));
  }

  /**
   * Sends a webhook a test message, once.
   * @returns what has come back
   * @throws ApiError 404 not_found
   */
  @Perform(':webhook/test')
  @Roles('operator', 'owner', 'admin')
  async test(@Id('account') account: string | undefined, @Id('webhook') id: string): Promise<WebhookTestView> {
    return this.webhooks.test(account, id);
  }

  /**
   * Ends a webhook with the messages that it has not got, for good.
   * @returns what it was
   * @throws ApiError 404 not_found, 412 precondition_failed
   */
  @Delete(':webhook')
  @Roles('operator', 'owner', 'admin')
  async remove(@Id('account') account: string | undefined, @Id('webhook') id: string, @IfMatch() by: Change): Promise<WebhookView> {
    return webhookView(await this.webhooks.remove(account, id, by));
  }
}
