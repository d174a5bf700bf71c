import type { Config } from '../config/config.schema.js';
import { loadConfig } from '../config/load-config.js';
import { providerTypes } from '../providers/registry/provider-types.js';

/**
 * Reads the configuration as the gateway does, but without running the code of its modules: entries of their types are
 * left out.
 * @param file instead of SWITCHYARD_CONFIG or switchyard.yaml
 */
export function readConfig(file: string | undefined): Config {
  return loadConfig({ file, types: providerTypes });
}
