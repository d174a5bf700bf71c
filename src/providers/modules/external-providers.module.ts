import { type DynamicModule, Module } from '@nestjs/common';
import type { ProviderConfig } from '../../config/config.schema.js';
import type { ModelProvider } from '../contract/model-provider.js';
import { ProviderFactory } from '../kit/provider-factory.js';
import type { LoadedModule, ProviderModuleDefinition } from '../kit/provider-module.js';
import type { ProviderServices } from '../kit/provider-services.js';

/** Makes the providers of modules from outside of the gateway. */
@Module({})
export class ExternalProvidersModule {
  static forRoot(modules: readonly LoadedModule[]): DynamicModule {
    const factories = modules.flatMap(({ types, create }) =>
      create ? [{ provide: Symbol(types[0]?.type), useValue: new ModuleFactory(types, create) }] : [],
    );
    const imports = modules.flatMap(({ nest }) => nest ?? []);
    return { module: ExternalProvidersModule, imports, providers: factories };
  }
}

class ModuleFactory extends ProviderFactory {
  readonly types: readonly string[];

  constructor(
    types: LoadedModule['types'],
    private readonly make: ProviderModuleDefinition['create'],
  ) {
    super();
    this.types = types.map(({ type }) => type);
  }

  create(id: string, config: ProviderConfig, services: ProviderServices): ModelProvider | Promise<ModelProvider> {
    return this.make(id, config, services);
  }
}
