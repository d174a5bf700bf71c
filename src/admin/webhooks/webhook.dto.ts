import { IsBoolean, IsIn } from '../../common/validation/class-validator.js';
import { formatCredits } from '../../common/prices/credits.js';
import { type EventType, eventTypes } from '../../database/outbox.js';
import { IsInteger, IsList } from '../../http/requests/typed-fields.js';
import type { MadeWebhookEndpoint, WebhookEndpoint } from '../../webhooks/webhook-endpoint.js';
import { MAX_SECRET_GRACE_MS } from '../../webhooks/webhook-endpoint-store.js';
import { IsClientId, IsText, isoTime, MayBeAbsent, MayBeNull } from '../fields.js';

export class CreateWebhookDto {
  @MayBeAbsent(IsClientId())
  id?: string;

  /** Begins with https:// and is not private. */
  @IsText(2_048, 1)
  url: string;

  @IsList(eventTypes.length, IsIn(eventTypes, { each: true }))
  events: EventType[];

  /** With balance.low: credits, as a decimal text. */
  @MayBeAbsent(IsText(40, 1))
  low_balance_below?: string;

  /** What it is for. */
  @MayBeAbsent(IsText(200))
  description?: string;
}

export class ChangeWebhookDto {
  /** Begins with https:// and is not private. */
  @MayBeAbsent(IsText(2_048, 1))
  url?: string;

  @MayBeAbsent(IsList(eventTypes.length, IsIn(eventTypes, { each: true })))
  events?: EventType[];

  /** With balance.low: credits, as a decimal text; null where no balance is called low any more. */
  @MayBeNull(IsText(40, 1))
  low_balance_below?: string | null;

  @MayBeAbsent(IsText(200))
  description?: string;

  /** False: nothing is sent to it, and what waits for it ends. True: it is told of what happens from now on. */
  @MayBeAbsent(IsBoolean())
  enabled?: boolean;
}

export class RotateWebhookDto {
  /** Repeating a rotation under the same id makes no further secret. */
  @MayBeAbsent(IsClientId())
  id?: string;

  /** Seconds for which the secret of before signs as well; absent: a day. */
  @MayBeAbsent(IsInteger(0, MAX_SECRET_GRACE_MS / 1_000))
  grace_seconds = 86_400;
}

export class WebhookView {
  id: string;
  /** Null for those of operators. */
  account_id: string | null;
  url: string;
  events: EventType[];
  low_balance_below: string | null;
  description: string;
  created_at: string;
  /** When it was disabled, or answered that it is gone; nothing is sent to it from then on. */
  disabled_at: string | null;
  /** When a message was last given up, with none delivered since. */
  failing_since: string | null;
  /** Until when the secret of before signs as well. */
  old_secret_until: string | null;
  version: string;
}

export class MadeWebhookView extends WebhookView {
  /** What signs its messages. It is shown when it is made and never again: null in the answer to a repetition. */
  secret: string | null;
}

/** What has come back on a test message. */
export class WebhookTestView {
  id: string;
  /** HTTP status; null where no answer came. */
  status: number | null;
  /** Why no answer came. */
  error: string | null;
}

export function webhookView(endpoint: WebhookEndpoint): WebhookView {
  const { id, accountId, url, events, lowBalanceBelow, createdAt, disabledAt, failingSince, description, oldSecretUntil, version } =
    endpoint;
  return {
    id,
    account_id: accountId ?? null,
    url,
    events: [...events],
    low_balance_below: lowBalanceBelow === undefined ? null : formatCredits(lowBalanceBelow),
    description,
    created_at: isoTime(createdAt),
    disabled_at: isoTime(disabledAt),
    failing_since: isoTime(failingSince),
    old_secret_until: isoTime(oldSecretUntil),
    version: String(version),
  };
}

export function madeWebhookView({
  endpoint,
  secret,
}: Pick<MadeWebhookEndpoint, 'endpoint'> & Partial<MadeWebhookEndpoint>): MadeWebhookView {
  return Object.assign(webhookView(endpoint), { secret: secret ?? null });
}
