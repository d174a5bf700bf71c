import { Injectable } from '@nestjs/common';
import { parseCredits } from '../../common/prices/credits.js';
import { messageOf } from '../../common/message-of.js';
import type { Page, PageQuery } from '../../database/pages.js';
import type { Deed } from '../../observability/audit/audit-log.js';
import type { MadeWebhookEndpoint, WebhookEndpoint } from '../../webhooks/webhook-endpoint.js';
import { WebhookEndpointStore } from '../../webhooks/webhook-endpoint-store.js';
import type { WebhookAnswer } from '../../webhooks/webhook-request.js';
import { WebhookSender } from '../../webhooks/webhook-sender.js';
import { changedMeanwhile, changeOptions, difference, requireChanged, requireVersion } from '../changes.js';
import type { Change } from '../route.decorators.js';
import { OnceService } from '../once.service.js';
import { found } from '../preconditions.js';
import type { ChangeWebhookDto, CreateWebhookDto, RotateWebhookDto, WebhookTestView } from './webhook.dto.js';

/** A webhook, with its secret where it was made by this very request. */
type Made = Pick<MadeWebhookEndpoint, 'endpoint'> & Partial<MadeWebhookEndpoint>;

/** The webhooks of an account, or of the operators where none is given. */
@Injectable()
export class WebhooksService {
  constructor(
    private readonly endpoints: WebhookEndpointStore,
    private readonly sender: WebhookSender,
    private readonly once: OnceService,
  ) {}

  page(accountId: string | undefined, query: PageQuery): Promise<Page<WebhookEndpoint>> {
    return this.endpoints.page(accountId ?? null, query);
  }

  /** @throws ApiError 404 not_found where there is no such webhook of theirs */
  async get(accountId: string | undefined, id: string): Promise<WebhookEndpoint> {
    const endpoint = await this.endpoints.find(id);
    return found('webhook', id, endpoint?.accountId === accountId ? endpoint : undefined);
  }

  async create(accountId: string | undefined, { id, ...content }: CreateWebhookDto, deed: Deed): Promise<Made> {
    const { url, events, description } = content;
    return this.once.once<Made>({
      kind: 'webhook',
      prefix: 'whk',
      id,
      accountId,
      content,
      deed,
      make: async (made, beside) => {
        const lowBalanceBelow = amountOf(content.low_balance_below) ?? undefined;
        return this.endpoints.create({ id: made, accountId, url, events, lowBalanceBelow, description }, beside);
      },
      find: async (made) => {
        const endpoint = await this.endpoints.find(made);
        return endpoint && { endpoint };
      },
    });
  }

  async change(
    accountId: string | undefined,
    id: string,
    { url, events, description, enabled, low_balance_below: below }: ChangeWebhookDto,
    by: Change,
  ): Promise<WebhookEndpoint> {
    const endpoint = await this.get(accountId, id);
    const wanted = {
      url: url === undefined ? undefined : this.endpoints.urlOf(url),
      events,
      description,
      enabled,
      lowBalanceBelow: amountOf(below),
    };
    const now = { ...endpoint, enabled: endpoint.disabledAt === undefined };
    const differs = difference(now, wanted, by, accountId);
    return differs ? requireChanged(await this.endpoints.change(id, differs.fields, differs.options)) : endpoint;
  }

  /**
   * Makes a new secret; the one of before signs as well for a while.
   * @throws ApiError 404 not_found, 409 idempotency_conflict, 412 precondition_failed
   */
  async rotate(accountId: string | undefined, id: string, { id: rotation, grace_seconds }: RotateWebhookDto, by: Change): Promise<Made> {
    await this.get(accountId, id);
    return this.once.once<Made>({
      kind: 'webhook rotation',
      prefix: 'whr',
      id: rotation,
      accountId,
      content: { webhook: id, grace_seconds },
      fields: ['secret'],
      deed: by,
      make: async (_rotation, beside) => {
        requireVersion(by, await this.get(accountId, id));
        return requireChanged(await this.endpoints.rotate(id, grace_seconds * 1_000, { ifVersion: by.ifVersion, beside }));
      },
      find: async () => ({ endpoint: await this.get(accountId, id) }),
    });
  }

  /**
   * Sends a test message, once. What was answered beside the status stays unknown: it may come from a private network.
   */
  async test(accountId: string | undefined, id: string): Promise<WebhookTestView> {
    await this.get(accountId, id);
    return this.ping(id).then(
      ({ status }) => ({ id, status, error: null }),
      (error: unknown) => ({ id, status: null, error: messageOf(error) }),
    );
  }

  /** As test, with all that was answered, for whom may see it. @throws Error (rejects) where no answer comes */
  async ping(id: string): Promise<WebhookAnswer> {
    return this.sender.ping(found('webhook', id, await this.endpoints.open(id)));
  }

  async remove(accountId: string | undefined, id: string, by: Change): Promise<WebhookEndpoint> {
    requireVersion(by, await this.get(accountId, id));
    const removed = await this.endpoints.remove(id, changeOptions(by, { accountId, fields: [] }));
    if (removed) return removed;
    // Somebody else has removed or changed it meanwhile.
    await this.get(accountId, id);
    throw changedMeanwhile();
  }
}

/** @returns nano-credits; null and undefined as they are */
function amountOf(text: string | null | undefined): bigint | null | undefined {
  return typeof text === 'string' ? parseCredits(text) : text;
}
