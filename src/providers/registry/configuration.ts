import type { Config } from '../../config/config.schema.js';
import { loadConfig, type LoadOptions, modulesOf, requireFound } from '../../config/load-config.js';
import { notInstalled } from '../../config/provider-defaults.js';
import type { ProviderType } from '../../config/provider-type.js';
import { loadProviderModules } from '../modules/load-provider-modules.js';
import type { LoadedModule } from '../kit/provider-module.js';
import { providerTypes } from './provider-types.js';

export interface Configuration {
  readonly config: Config;
  /** The modules that the configuration's `modules` name. */
  readonly modules: readonly LoadedModule[];
  /** Options that read the configuration again, with the same modules, and from the file if there was one. */
  readonly source: LoadOptions;
  /**
   * Sentences for the operator about providers that the environment would switch on if their packages were installed.
   */
  readonly notInstalled: readonly string[];
}

/**
 * Loads the configuration as the gateway starts with it, and the modules that it names.
 * @throws ConfigError
 */
export async function loadConfiguration(options: LoadOptions = {}): Promise<Configuration> {
  const own = { types: providerTypes, ...requireFound(options) };
  const config = loadConfig(own);
  const names = config.modules;
  const modules = await loadProviderModules(names, own);
  const source = { ...own, modules: { names, types: modules.flatMap(({ types }) => types) } };
  const whole = names.length > 0 ? loadConfig(source) : config;
  const missing = notInstalled(whole.providers, [...own.types, ...source.modules.types], own.env);
  return { config: whole, modules, source, notInstalled: missing };
}

/**
 * The types that the modules bring which the file names, whatever else is wrong with it.
 * @throws ConfigError where a module cannot be loaded
 */
export async function typesOfModules(options: LoadOptions): Promise<readonly ProviderType[]> {
  const modules = await loadProviderModules(modulesOf(options), options);
  return modules.flatMap(({ types }) => types);
}
