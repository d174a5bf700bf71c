import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ClientFormat, ClientFormats, type LookedAt, type WrittenError } from '../http/requests/client-formats.js';
import type { MessagesErrorBody } from '../wire/anthropic-message.js';
import { messagesError } from './messages-error.js';

const ADDRESS = /^\/v1\/messages(?:[/?]|$)/;
/** Where Anthropic's clients read the id of a request (docs.anthropic.com, Errors). */
export const ID_HEADER = 'request-id';

const MODELS = /^\/v1\/models(?:[/?]|$)/;

/**
 * What Anthropic's clients expect: keys in the header x-api-key, and errors in Anthropic's shape. They are told by the
 * address of the messages, and at that of the models by the header anthropic-version.
 */
@Injectable()
export class MessagesFormat extends ClientFormat implements OnModuleInit {
  readonly idHeader = ID_HEADER;

  constructor(private readonly formats: ClientFormats) {
    super();
  }

  onModuleInit(): void {
    this.formats.add(this);
  }

  override speaks({ url, headers }: LookedAt): boolean {
    return ADDRESS.test(url) || (headers['anthropic-version'] !== undefined && MODELS.test(url));
  }

  override error({ body: { error }, requestId }: WrittenError): MessagesErrorBody {
    return messagesError(error.code, error.message, requestId);
  }

  override authorization({ headers }: LookedAt): string | undefined {
    const key = headers['x-api-key'];
    return typeof key === 'string' && key !== '' ? `Bearer ${key}` : undefined;
  }
}
