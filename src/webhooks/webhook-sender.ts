import { randomUUIDv7 } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../common/time/clock.js';
import { ConfigService } from '../config/config.service.js';
import type { MadeWebhookEndpoint } from './webhook-endpoint.js';
import { post, type WebhookAnswer } from './webhook-request.js';
import { signedHeaders } from './webhook-signature.js';

/** What is told, as it is stored. */
interface Message {
  readonly id: string;
  readonly type: string;
  /** JSON. */
  readonly data: string;
  /** When it happened, in milliseconds since 1970. */
  readonly createdAt: number;
}

/** What a test message is called, which no change leads to. */
const PING = 'webhook.ping';

/** Sends signed messages. */
@Injectable()
export class WebhookSender {
  constructor(
    private readonly config: ConfigService,
    private readonly clock: Clock,
  ) {}

  /** @throws Error (rejects) where no answer comes */
  send({ endpoint, secret, oldSecret }: MadeWebhookEndpoint, message: Message, signal?: AbortSignal): Promise<WebhookAnswer> {
    const { id, type, data, createdAt } = message;
    const body = JSON.stringify({ type, timestamp: new Date(createdAt).toISOString(), data: JSON.parse(data) as object });
    const now = this.clock.now();
    const secrets = oldSecret !== undefined && now < endpoint.oldSecretUntil! ? [secret, oldSecret] : [secret];
    const headers = { ...signedHeaders(secrets, id, Math.floor(now / 1000), body) };
    return post({ url: endpoint.url, headers, body, signal }, this.config.current.webhooks, this.clock);
  }

  /** Sends a test message, once. @throws as send */
  ping(to: MadeWebhookEndpoint): Promise<WebhookAnswer> {
    const data = JSON.stringify({ endpoint_id: to.endpoint.id });
    return this.send(to, { id: `evt_${randomUUIDv7()}`, type: PING, data, createdAt: this.clock.now() });
  }
}
