import type { Principal } from '../auth/principal.js';
import type { Config } from '../config/config.schema.js';

/** Whether the provider of tests answers in the place of the models' own. */
export function isTestMode({ environment }: Principal, { keys }: Pick<Config, 'keys'>): boolean {
  return environment === 'test' && !keys.test_keys_reach_providers;
}
