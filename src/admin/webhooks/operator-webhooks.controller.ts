import { Body, Delete, Get, HttpCode, Post, Query } from '@nestjs/common';
import { CurrentDeed } from '../../auth/administration/deed.decorator.js';
import { Roles } from '../../auth/administration/roles.decorator.js';
import { DtoPipe } from '../../http/requests/dto.pipe.js';
import { IfMatch } from '../../http/requests/if-match.decorator.js';
import type { Deed } from '../../observability/audit/audit-log.js';
import { AdminController } from '../admin-controller.decorator.js';
import { Id } from '../fields.js';
import { PageDto, type PageView, pageView } from '../page.dto.js';
import {
  CreateWebhookDto,
  type MadeWebhookView,
  madeWebhookView,
  type WebhookTestView,
  type WebhookView,
  webhookView,
} from './webhook.dto.js';
import { WebhooksService } from './webhooks.service.js';

@AdminController('webhooks')
export class OperatorWebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  /**
   * Lists the webhooks of the operators, oldest first.
   * @returns a page of them
   * @throws ApiError 404 not_found
   */
  @Get()
  @Roles('operator')
  async list(@Query(new DtoPipe(PageDto)) query: PageDto): Promise<PageView<WebhookView>> {
    return pageView(await this.webhooks.page(undefined, query), webhookView);
  }

  /**
   * Makes a webhook of the operators.
   * @returns the webhook with its secret, which is shown this once
   * @throws ApiError 404 not_found, 409 idempotency_conflict, conflict
   */
  @Post()
  @HttpCode(200)
  @Roles('operator')
  async create(@Body(new DtoPipe(CreateWebhookDto)) body: CreateWebhookDto, @CurrentDeed() deed: Deed): Promise<MadeWebhookView> {
    return madeWebhookView(await this.webhooks.create(undefined, body, deed));
  }

  /**
   * Shows a webhook without its secret.
   * @returns the webhook
   * @throws ApiError 404 not_found
   */
  @Get(':webhook')
  @Roles('operator')
  async get(@Id('webhook') id: string): Promise<WebhookView> {
    return webhookView(await this.webhooks.get(undefined, id));
  }

  /**
   * Sends a webhook a test message, once.
   * @returns what has come back
   * @throws ApiError 404 not_found
   */
  @Post(':webhook/test')
  @HttpCode(200)
  @Roles('operator')
  async test(@Id('webhook') id: string): Promise<WebhookTestView> {
    return this.webhooks.test(undefined, id);
  }

  /**
   * Ends a webhook with the messages that it has not got, for good.
   * @returns what it was
   * @throws ApiError 404 not_found, 412 precondition_failed
   */
  @Delete(':webhook')
  @Roles('operator')
  async remove(@Id('webhook') id: string, @IfMatch() version: bigint | undefined, @CurrentDeed() deed: Deed): Promise<WebhookView> {
    return webhookView(await this.webhooks.remove(undefined, id, version, deed));
  }
}
