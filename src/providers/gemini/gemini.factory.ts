import { Injectable } from '@nestjs/common';
import type { ProviderConfig } from '../../config/config.schema.js';
import { ModelFactsService } from '../model-facts/model-facts.service.js';
import { GeminiGenerateContentProtocol } from '../protocols/gemini-generate-content/gemini-generate-content.protocol.js';
import { ProviderFactory } from '../kit/provider-factory.js';
import { HttpTransport } from '../transport/http-transport.js';
import { GeminiProvider } from './gemini.provider.js';

@Injectable()
export class GeminiFactory extends ProviderFactory {
  readonly types = ['gemini'];

  constructor(
    private readonly protocol: GeminiGenerateContentProtocol,
    private readonly transport: HttpTransport,
    private readonly facts: ModelFactsService,
  ) {
    super();
  }

  create(id: string, config: ProviderConfig): GeminiProvider {
    return new GeminiProvider(id, config, this.protocol, this.transport, this.facts);
  }
}
