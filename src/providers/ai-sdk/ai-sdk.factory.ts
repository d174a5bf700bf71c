import { Injectable } from '@nestjs/common';
import type { ProviderConfig } from '../../config/config.schema.js';
import type { ModelProvider } from '../contract/model-provider.js';
import { ModelFactsService } from '../model-facts/model-facts.service.js';
import { ProviderFactory } from '../kit/provider-factory.js';
import { HttpTransport } from '../transport/http-transport.js';

@Injectable()
export class AiSdkFactory extends ProviderFactory {
  readonly types = ['ai-sdk'];

  constructor(
    private readonly transport: HttpTransport,
    private readonly facts: ModelFactsService,
  ) {
    super();
  }

  async create(id: string, config: ProviderConfig): Promise<ModelProvider> {
    const [{ loadPackage }, { AiSdkProvider }] = await Promise.all([import('./load-package.js'), import('./ai-sdk.provider.js')]);
    return new AiSdkProvider(id, config, await loadPackage(config), this.transport, this.facts);
  }
}
