import { isDeepStrictEqual } from 'node:util';
import type { ProviderSettings } from './stored-provider-store.js';

/** What decides where requests go, and with them what the provider knows us by. */
const destination = ['type', 'base_url', 'headers', 'options'];

/**
 * The settings after a change. Fields that are named are replaced as a whole, null takes one away. Where the change
 * leads elsewhere, each field that has a secret has to be part of it: who may change an address must not learn what is
 * sent there.
 * @param secretsIn dotted names of the secrets in settings
 * @throws RangeError that names the first field that has to be given again
 */
export function changedSettings(
  now: ProviderSettings,
  change: ProviderSettings,
  secretsIn: (settings: ProviderSettings) => readonly string[],
): ProviderSettings {
  const next: Record<string, unknown> = { ...now, ...change };
  for (const [name, value] of Object.entries(next)) if (value === null || value === undefined) delete next[name];
  const moved = destination.find((name) => !isDeepStrictEqual(next[name], now[name]));
  if (moved === undefined) return next;
  const kept = secretsIn(next).find((name) => !Object.hasOwn(change, name.split('.', 1)[0]!));
  if (kept !== undefined)
    throw new RangeError(`settings.${kept} has to be given again, because settings.${moved} decides where it is sent`);
  return next;
}
