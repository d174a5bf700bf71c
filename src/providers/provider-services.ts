import { Injectable } from '@nestjs/common';
import { ModelFactsService } from './model-facts/model-facts.service.js';
import { AnthropicMessagesProtocol } from './protocols/anthropic-messages/anthropic-messages.protocol.js';
import { ChatCompletionsProtocol } from './protocols/chat-completions/chat-completions.protocol.js';
import { GeminiGenerateContentProtocol } from './protocols/gemini-generate-content/gemini-generate-content.protocol.js';
import { HttpTransport } from './transport/http-transport.js';

/** The gateway's services that the providers of modules may use. */
@Injectable()
export class ProviderServices {
  constructor(
    readonly transport: HttpTransport,
    readonly chatCompletions: ChatCompletionsProtocol,
    readonly anthropicMessages: AnthropicMessagesProtocol,
    readonly geminiGenerateContent: GeminiGenerateContentProtocol,
    readonly facts: ModelFactsService,
  ) {}
}
