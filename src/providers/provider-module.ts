import type { ProviderConfig } from '../config/config.schema.js';
import type { ProviderType } from '../config/provider-type.js';
import { type ModelProvider, PROVIDER_CONTRACT_VERSION } from './model-provider.js';
import type { ProviderServices } from './provider-services.js';
import { isObject } from '../wire/json-object.js';

/** Marks a module, also of another copy of this package. Its value is the version of the contract. */
const PROVIDER_MODULE_BRAND = Symbol.for('switchyard.provider-module');

/**
 * The default export of a file or package that the configuration's `modules` setting names, made by `providerModule`.
 */
export interface ProviderModule extends ProviderModuleDefinition {
  readonly [PROVIDER_MODULE_BRAND]: number;
}

export interface ProviderModuleDefinition {
  /** The values of an entry's `type` that the module makes providers for, and what such an entry may leave out. */
  readonly types: readonly ProviderType[];

  /**
   * Called at start and when the entry changes. It opens no connection.
   * @param id the entry's name in the configuration, which must be the provider's id
   * @throws Error that says what is wrong with the entry, `config.options` above all; the start, or the new
   * configuration, is refused with its message
   */
  create(id: string, config: ProviderConfig, services: ProviderServices): ModelProvider;
}

export function providerModule(definition: ProviderModuleDefinition): ProviderModule {
  return { ...definition, [PROVIDER_MODULE_BRAND]: PROVIDER_CONTRACT_VERSION };
}

/** Characters of a module's error message that are shown. */
const MAX_REASON = 500;

/** The first line of the message of what a module has thrown. */
export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.trim().split('\n', 1)[0]!.slice(0, MAX_REASON);
}

/**
 * @param taken types that exist already
 * @returns what is wrong with a module's default export
 */
export function moduleProblem(exported: unknown, taken: ReadonlySet<string>): string | undefined {
  if (!isObject(exported) || !(PROVIDER_MODULE_BRAND in exported)) return 'has no default export that providerModule() has made';
  const { [PROVIDER_MODULE_BRAND]: version, types, create } = exported as Partial<ProviderModule>;
  if (version !== PROVIDER_CONTRACT_VERSION)
    return `was built for contract version ${String(version)}, this is version ${PROVIDER_CONTRACT_VERSION}`;
  if (typeof create !== 'function') return 'has no function create';
  if (!Array.isArray(types) || types.length === 0) return 'brings no types';
  for (const type of types as unknown[]) {
    const problem = typeProblem(type, taken);
    if (problem) return problem;
  }
  return undefined;
}

function typeProblem(value: unknown, taken: ReadonlySet<string>): string | undefined {
  if (!isObject(value)) return 'brings a type that is no object';
  const { type, name, baseUrl, environment } = value;
  if (typeof type !== 'string' || !/^[a-z0-9][a-z0-9-]{0,62}$/.test(type))
    return 'brings a type whose name is not of lower-case letters, digits and dashes';
  if (typeof name !== 'string' || name === '') return `brings the type '${type}' without a name for people`;
  if (baseUrl !== undefined && !(typeof baseUrl === 'string' && URL.canParse(baseUrl)))
    return `brings the type '${type}' with a baseUrl that is no URL`;
  if (environment !== undefined && !isObject(environment)) return `brings the type '${type}' with an environment that is no object`;
  return taken.has(type) ? `brings the type '${type}', which there is already` : undefined;
}
