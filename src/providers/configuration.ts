import type { Config } from '../config/config.schema.js';
import { loadConfig, type LoadOptions } from '../config/load-config.js';
import { loadProviderModules } from './load-provider-modules.js';
import type { ProviderModule } from './provider-module.js';
import { providerTypes } from './provider-types.js';

export interface Configuration {
  readonly config: Config;
  /** The modules that the configuration's `modules` name. */
  readonly modules: readonly ProviderModule[];
  /** Options that read the configuration again with the same modules. */
  readonly source: LoadOptions;
}

/**
 * Loads the configuration as the gateway starts with it, and the modules that it names.
 * @throws ConfigError
 */
export async function loadConfiguration(options: LoadOptions = {}): Promise<Configuration> {
  const own = { types: providerTypes, ...options };
  const config = loadConfig(own);
  const names = config.modules;
  const modules = await loadProviderModules(names, own);
  const source = { ...own, modules: { names, types: modules.flatMap(({ types }) => types) } };
  return { config: names.length > 0 ? loadConfig(source) : config, modules, source };
}
