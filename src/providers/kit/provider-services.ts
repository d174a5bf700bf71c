import { Injectable, Optional } from '@nestjs/common';
import type { EntrySecrets } from '../credentials/entry-secrets.js';
import { ModelFactsService } from '../model-facts/model-facts.service.js';
import { AnthropicMessagesProtocol } from '../protocols/anthropic-messages/anthropic-messages.protocol.js';
import { ChatCompletionsProtocol } from '../protocols/chat-completions/chat-completions.protocol.js';
import { GeminiGenerateContentProtocol } from '../protocols/gemini-generate-content/gemini-generate-content.protocol.js';
import { ProviderLogger } from './provider-logger.js';
import { ProviderFigures, ProviderMetrics } from './provider-metrics.js';
import { HttpTransport } from '../transport/http-transport.js';

/** What sends requests to a provider. */
export type ProviderTransport = Pick<HttpTransport, 'send'>;

/** What the gateway lends to the provider of one entry. */
export interface ProviderServices {
  readonly transport: ProviderTransport;
  readonly chatCompletions: ChatCompletionsProtocol;
  readonly anthropicMessages: AnthropicMessagesProtocol;
  readonly geminiGenerateContent: GeminiGenerateContentProtocol;
  /** Public facts and prices of models. */
  readonly facts: Pick<ModelFactsService, 'of'>;
  /** Named after the entry; it shows none of its secrets. */
  readonly logger: ProviderLogger;
  readonly metrics: ProviderMetrics;
  /** From now on no error and no log line shows this text: a token that was fetched with the entry's key. */
  hide(secret: string): void;
}

/** The services that all providers share, from which those of one entry are made. */
@Injectable()
export class SharedServices {
  constructor(
    readonly transport: HttpTransport,
    private readonly chatCompletions: ChatCompletionsProtocol,
    private readonly anthropicMessages: AnthropicMessagesProtocol,
    private readonly geminiGenerateContent: GeminiGenerateContentProtocol,
    private readonly facts: ModelFactsService,
    @Optional() readonly figures?: ProviderFigures,
  ) {}

  /** @param id the entry's name */
  lent(id: string, secrets: EntrySecrets): ProviderServices {
    const { transport, chatCompletions, anthropicMessages, geminiGenerateContent, facts } = this;
    return {
      transport,
      chatCompletions,
      anthropicMessages,
      geminiGenerateContent,
      facts,
      logger: new ProviderLogger(id, secrets),
      metrics: new ProviderMetrics(id, this.figures),
      hide: (secret) => secrets.hide(secret),
    };
  }
}
