import type { Config } from '../config/config.schema.js';
import { loadConfig } from '../config/load-config.js';
import { providerTypes } from '../providers/provider-types.js';

/** The configuration as the gateway reads it, without running the code of its modules: what belongs to them is left out. @param file instead of SWITCHYARD_CONFIG or switchyard.yaml */
export function readConfig(file: string | undefined): Config {
  return loadConfig({ file, types: providerTypes });
}
