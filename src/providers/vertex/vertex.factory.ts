import { Injectable } from '@nestjs/common';
import type { ProviderConfig } from '../../config/config.schema.js';
import type { ModelProvider } from '../contract/model-provider.js';
import { ProviderFactory } from '../kit/provider-factory.js';
import type { ProviderServices } from '../kit/provider-services.js';

@Injectable()
export class VertexFactory extends ProviderFactory {
  readonly types = ['vertex'];

  /** Loads the provider and the vendor's client only where an entry asks for them. */
  async create(id: string, config: ProviderConfig, services: ProviderServices): Promise<ModelProvider> {
    const { createVertexProvider } = await import('./vertex.provider.js');
    return createVertexProvider(id, config, services);
  }
}
