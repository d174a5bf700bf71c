import { type DynamicModule, Module } from '@nestjs/common';
import type { ProviderConfig } from '../config/config.schema.js';
import type { ModelProvider } from './model-provider.js';
import { ProviderFactory } from './provider-factory.js';
import type { ProviderModule } from './provider-module.js';
import { ProviderServicesModule } from './provider-services.module.js';
import { ProviderServices } from './provider-services.js';

/** Makes the providers of modules from outside of the gateway. */
@Module({})
export class ExternalProvidersModule {
  static forRoot(modules: readonly ProviderModule[]): DynamicModule {
    const factories = modules.map((module) => ({
      provide: Symbol(module.types[0]?.type),
      useFactory: (services: ProviderServices) => new ModuleFactory(module, services),
      inject: [ProviderServices],
    }));
    return { module: ExternalProvidersModule, imports: [ProviderServicesModule], providers: factories };
  }
}

class ModuleFactory extends ProviderFactory {
  readonly types: readonly string[];

  constructor(
    private readonly module: ProviderModule,
    private readonly services: ProviderServices,
  ) {
    super();
    this.types = module.types.map(({ type }) => type);
  }

  create(id: string, config: ProviderConfig): ModelProvider {
    return this.module.create(id, config, this.services);
  }
}
