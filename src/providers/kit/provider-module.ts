import type { Type } from '@nestjs/common';
import type { ProviderConfig } from '../../config/config.schema.js';
import type { OptionsSchema } from '../../config/options-schema.js';
import type { ProviderType } from '../../config/provider-type.js';
import { type ModelProvider, PROVIDER_CONTRACT_VERSION } from '../contract/model-provider.js';
import type { ProviderServices } from './provider-services.js';

/** Marks a module, also of another copy of this package. Its value is the version of the contract. */
export const PROVIDER_MODULE_BRAND = Symbol.for('switchyard.provider-module');

/** An entry of the configuration whose `options` its schema has checked. */
export type ConfigWith<Options> = Omit<ProviderConfig, 'options'> & { readonly options: Options };

/**
 * The default export of a file or package that the configuration's `modules` setting names, made by `providerModule`.
 */
export interface ProviderModule extends ProviderModuleDefinition {
  readonly [PROVIDER_MODULE_BRAND]: number;
}

export interface ProviderModuleDefinition<Options = Record<string, unknown>> {
  /** The values of an entry's `type` that the module makes providers for, and what such an entry may leave out. */
  readonly types: readonly Omit<ProviderType, 'options'>[];

  /**
   * The schema of `config.options`: a Standard Schema, or a class with decorators of class-validator. `create` is given
   * what the schema makes of them. Absent: nothing is checked.
   */
  readonly options?: OptionsSchema<Options> | Type<Options>;

  /**
   * Called at start and when the entry changes. It opens no connection.
   * @param id the entry's name in the configuration, which must be the provider's id
   * @throws Error that says what is wrong with the entry; the start, or the new configuration, is refused with its
   * message
   */
  create(id: string, config: ConfigWith<Options>, services: ProviderServices): ModelProvider | Promise<ModelProvider>;
}

/** A module without Nest: a function that makes providers. */
export function providerModule<Options = Record<string, unknown>>(definition: ProviderModuleDefinition<Options>): ProviderModule {
  return { ...(definition as ProviderModuleDefinition), [PROVIDER_MODULE_BRAND]: PROVIDER_CONTRACT_VERSION };
}

/**
 * The static members of a class with `@Module`, which is the other form of a default export. Its providers are found by
 * Nest: factories of the `types`, and providers that need no entry.
 */
export interface ProviderNestModule extends Type {
  readonly types?: ProviderModuleDefinition['types'];
  readonly options?: ProviderModuleDefinition<unknown>['options'];
}

/** A module as the gateway uses it. */
export interface LoadedModule {
  /** With the schema of their options. */
  readonly types: readonly ProviderType[];
  readonly create?: ProviderModuleDefinition['create'];
  /** The class with `@Module`. */
  readonly nest?: Type;
  /** Its name in the configuration, and the folder that its code lies in. */
  readonly place?: { readonly name: string; readonly folder: string };
}
