import { Injectable } from '@nestjs/common';
import type { ProviderConfig } from '../../config/config.schema.js';
import { ModelFactsService } from '../model-facts/model-facts.service.js';
import { AnthropicMessagesProtocol } from '../protocols/anthropic-messages/anthropic-messages.protocol.js';
import { ProviderFactory } from '../kit/provider-factory.js';
import { HttpTransport } from '../transport/http-transport.js';
import { AnthropicProvider } from './anthropic.provider.js';

@Injectable()
export class AnthropicFactory extends ProviderFactory {
  readonly types = ['anthropic'];

  constructor(
    private readonly protocol: AnthropicMessagesProtocol,
    private readonly transport: HttpTransport,
    private readonly facts: ModelFactsService,
  ) {
    super();
  }

  create(id: string, config: ProviderConfig): AnthropicProvider {
    return new AnthropicProvider(id, config, this.protocol, this.transport, this.facts);
  }
}
