import type { ProviderConfig } from '../config/config.schema.js';
import { type ModelProvider, PROVIDER_CONTRACT_VERSION } from './model-provider.js';

/** Marks a factory across package copies; carries the contract's version. */
export const PROVIDER_FACTORY_BRAND = Symbol.for('switchyard.provider-factory');

/** Makes providers from entries of the configuration's `providers` section. */
export abstract class ProviderFactory {
  get [PROVIDER_FACTORY_BRAND](): number {
    return PROVIDER_CONTRACT_VERSION;
  }

  /** Values of an entry's `type` that this factory answers to. */
  abstract readonly types: readonly string[];

  /**
   * Called at start and when the entry changes; opens no connection.
   * @param id the entry's name in the configuration, which becomes the provider's id.
   */
  abstract create(id: string, config: ProviderConfig): ModelProvider;
}
