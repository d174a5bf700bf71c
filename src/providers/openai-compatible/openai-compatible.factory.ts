import { Injectable } from '@nestjs/common';
import type { ProviderConfig } from '../../config/config.schema.js';
import { ModelFactsService } from '../model-facts/model-facts.service.js';
import { ProviderFactory } from '../kit/provider-factory.js';
import { ChatCompletionsProtocol } from '../protocols/chat-completions/chat-completions.protocol.js';
import { OpenAIResponsesProtocol } from '../protocols/openai-responses/openai-responses.protocol.js';
import type { ProviderServices } from '../kit/provider-services.js';
import { HttpTransport } from '../transport/http-transport.js';
import type { Sign } from '../transport/upstream-request.js';
import { OpenAICompatibleProvider } from './openai-compatible.provider.js';
import { presets } from './presets.js';

@Injectable()
export class OpenAICompatibleFactory extends ProviderFactory {
  readonly types = ['openai-compatible', ...presets.map(({ type }) => type)];

  constructor(
    private readonly protocol: ChatCompletionsProtocol,
    private readonly transport: HttpTransport,
    private readonly facts: ModelFactsService,
    private readonly responses?: OpenAIResponsesProtocol,
  ) {
    super();
  }

  create(id: string, config: ProviderConfig, services: ProviderServices): OpenAICompatibleProvider | Promise<OpenAICompatibleProvider> {
    const preset = presets.find(({ type }) => type === config.type);
    const { protocol, transport, facts, responses } = this;
    const make = (sign?: Sign) => new OpenAICompatibleProvider(id, config, protocol, transport, preset, facts, sign, responses);
    const signing = preset?.signs?.(config, services);
    return signing ? signing.then(make) : make();
  }
}
