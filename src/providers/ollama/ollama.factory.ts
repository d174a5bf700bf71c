import { Injectable } from '@nestjs/common';
import type { ProviderConfig } from '../../config/config.schema.js';
import type { ModelProvider } from '../contract/model-provider.js';
import { ProviderFactory } from '../kit/provider-factory.js';
import { HttpTransport } from '../transport/http-transport.js';
import { ollamaType } from './ollama.type.js';

@Injectable()
export class OllamaFactory extends ProviderFactory {
  readonly types = [ollamaType.type];

  constructor(private readonly transport: HttpTransport) {
    super();
  }

  async create(id: string, config: ProviderConfig): Promise<ModelProvider> {
    const { OllamaProvider } = await import('./ollama.provider.js');
    return new OllamaProvider(id, config, this.transport);
  }
}
