import { configSchema, providerSchema } from '../../config/config.schema.js';
import { ConfigService } from '../../config/config.service.js';
import { secretsOfProvider } from '../../config/secrets.js';
import { ModelFactsService } from '../model-facts/model-facts.service.js';
import { AnthropicMessagesProtocol } from '../protocols/anthropic-messages/anthropic-messages.protocol.js';
import { ChatCompletionsProtocol } from '../protocols/chat-completions/chat-completions.protocol.js';
import { GeminiGenerateContentProtocol } from '../protocols/gemini-generate-content/gemini-generate-content.protocol.js';
import { EntrySecrets } from '../credentials/entry-secrets.js';
import { SharedServices } from '../kit/provider-services.js';
import { HttpTransport } from '../transport/http-transport.js';
import type { SuiteEntry } from './provider-suite.js';

/** The key that no chunk and no error may show. */
export const API_KEY = 'sk-test-4f1d2c3b5a69788796a5b4c3d2e1f0';

const timeouts = { connect: 5_000, first_byte: 10_000, idle: 10_000, total: 60_000 };

/** The arguments of a factory for an entry with this address, and what else the entry says. It has to be closed. */
export function suiteEntry(baseUrl: string, entry: Readonly<Record<string, unknown>> = {}): SuiteEntry {
  const config = providerSchema.parse({ base_url: baseUrl, api_key: API_KEY, timeouts, ...entry });
  const transport = new HttpTransport();
  const shared = new SharedServices(
    transport,
    new ChatCompletionsProtocol(transport),
    new AnthropicMessagesProtocol(transport),
    new GeminiGenerateContentProtocol(transport),
    new ModelFactsService(new ConfigService(configSchema.parse({}))),
  );
  const services = shared.lent('suite', new EntrySecrets(secretsOfProvider(config)));
  return { baseUrl, apiKey: API_KEY, timeouts: config.timeouts, config, services, close: () => transport.onApplicationShutdown() };
}
