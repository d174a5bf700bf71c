import type { ProviderConfig } from '../../config/config.schema.js';
import type { ProviderServices } from './provider-services.js';
import { type ModelProvider, PROVIDER_CONTRACT_VERSION } from '../contract/model-provider.js';

/** Marks a factory, also of another copy of this package. Its value is the version of the contract. */
export const PROVIDER_FACTORY_BRAND = Symbol.for('switchyard.provider-factory');

/** Makes providers from entries of the configuration's `providers` section. */
export abstract class ProviderFactory {
  get [PROVIDER_FACTORY_BRAND](): number {
    return PROVIDER_CONTRACT_VERSION;
  }

  /** The values of an entry's `type` that this factory makes providers for. */
  abstract readonly types: readonly string[];

  /**
   * Called at start and when the entry changes. It opens no connection.
   * @param id the entry's name in the configuration, which becomes the provider's id
   * @param services what the gateway lends to the provider of this entry
   */
  abstract create(id: string, config: ProviderConfig, services: ProviderServices): ModelProvider | Promise<ModelProvider>;
}
