import { Injectable } from '@nestjs/common';
import type { ProviderConfig } from '../../config/config.schema.js';
import { ModelFactsService } from '../model-facts/model-facts.service.js';
import type { ModelProvider } from '../contract/model-provider.js';
import { ProviderFactory } from '../kit/provider-factory.js';
import { HttpTransport } from '../transport/http-transport.js';

/** Loads the provider when the first entry asks for it. */
@Injectable()
export class CohereFactory extends ProviderFactory {
  readonly types = ['cohere'];

  constructor(
    private readonly transport: HttpTransport,
    private readonly facts: ModelFactsService,
  ) {
    super();
  }

  async create(id: string, config: ProviderConfig): Promise<ModelProvider> {
    const { CohereProvider } = await import('./cohere.provider.js');
    return new CohereProvider(id, config, this.transport, this.facts);
  }
}
