import { Injectable } from '@nestjs/common';
import type { ProviderConfig } from '../../config/config.schema.js';
import type { ModelProvider } from '../contract/model-provider.js';
import { ModelFactsService } from '../model-facts/model-facts.service.js';
import { ProviderFactory } from '../kit/provider-factory.js';
import type { ProviderServices } from '../kit/provider-services.js';
import { HttpTransport } from '../transport/http-transport.js';

/** Loads the provider, and the packages of AWS that it needs, with the first entry of its type. */
@Injectable()
export class BedrockFactory extends ProviderFactory {
  readonly types = ['bedrock'];

  constructor(
    private readonly transport: HttpTransport,
    private readonly facts: ModelFactsService,
  ) {
    super();
  }

  /** @throws Error (rejects) that names what has to be installed */
  async create(id: string, config: ProviderConfig, services: Pick<ProviderServices, 'hide'>): Promise<ModelProvider> {
    const [{ awsPackages }, { BedrockProvider }] = await Promise.all([import('./aws-packages.js'), import('./bedrock.provider.js')]);
    return new BedrockProvider(id, config, await awsPackages(), { transport: this.transport, facts: this.facts, hide: services.hide });
  }
}
