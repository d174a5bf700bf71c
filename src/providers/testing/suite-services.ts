import { configSchema } from '../../config/config.schema.js';
import { ConfigService } from '../../config/config.service.js';
import { ModelFactsService } from '../model-facts/model-facts.service.js';
import { AnthropicMessagesProtocol } from '../protocols/anthropic-messages/anthropic-messages.protocol.js';
import { ChatCompletionsProtocol } from '../protocols/chat-completions/chat-completions.protocol.js';
import { GeminiGenerateContentProtocol } from '../protocols/gemini-generate-content/gemini-generate-content.protocol.js';
import { ProviderServices } from '../provider-services.js';
import { HttpTransport } from '../transport/http-transport.js';

/** What the gateway lends to providers, for a spec; its transport is to be closed. */
export function suiteServices(): ProviderServices {
  const transport = new HttpTransport();
  return new ProviderServices(
    transport,
    new ChatCompletionsProtocol(transport),
    new AnthropicMessagesProtocol(transport),
    new GeminiGenerateContentProtocol(transport),
    new ModelFactsService(new ConfigService(configSchema.parse({}))),
  );
}
