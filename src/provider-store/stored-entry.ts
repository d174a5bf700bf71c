import { lookup } from 'node:dns/promises';
import { ConfigError } from '../config/config-problems.js';
import type { Config, ProviderConfig } from '../config/config.schema.js';
import { loadProviderEntry } from '../config/load-config.js';
import { COMPATIBLE } from '../config/provider-type.js';
import { isInternalAddress } from '../common/addresses/refused-addresses.js';
import type { Clock } from '../common/time/clock.js';
import { messageOf } from '../common/message-of.js';
import { waitAtMost } from '../common/time/waits.js';
import { providerTypes } from '../providers/registry/provider-types.js';
import type { ProviderSettings } from './stored-provider-store.js';

/** What an operator who may not change the file must not decide: how the gateway reaches addresses. */
const ofTheFile = ['proxy', 'allow_link_local', 'allow_private_addresses'];

/**
 * The entry of a provider of the store, completed and checked as one of the file, and held to what the file allows.
 * @throws ConfigError whose problems name the wrong settings, without a value
 */
export function storedEntry(
  id: string,
  settings: ProviderSettings,
  { stored_providers }: Pick<Config, 'stored_providers'>,
): ProviderConfig {
  const named = ofTheFile.filter((name) => settings[name] !== undefined);
  if (named.length > 0) throw new ConfigError(named.map((name) => `settings.${name} comes by the configuration file alone`));
  const { allow_private_addresses } = stored_providers;
  const entry = loadProviderEntry(id, { ...settings, allow_private_addresses }, providerTypes);
  const type = providerTypes.find((one) => one.type === entry.type);
  const alone = entry.type === COMPATIBLE ? undefined : type?.fileAlone?.(entry);
  if (alone !== undefined) throw new ConfigError([`settings.type ${entry.type} ${alone}`]);
  if (!allow_private_addresses && isInternalAddress(new URL(entry.base_url).hostname)) throw new ConfigError([privateAddress]);
  return entry;
}

const privateAddress =
  'settings.base_url must not lead to this machine or a private network, unless stored_providers.allow_private_addresses of the configuration file allows it';

/** Why an entry cannot be used. */
export function problemOf(error: unknown): string {
  return error instanceof ConfigError ? error.problems.join('; ') : messageOf(error);
}

/** Milliseconds that a name may take; one that takes longer is checked by each connection alone. */
const LOOKUP_MS = 2_000;

/**
 * Tells an operator at once what every connection checks again: where the name of the address leads.
 * @throws ConfigError (rejects) where that is not public and has to be
 */
export async function requirePublic(clock: Clock, { base_url, allow_private_addresses }: ProviderConfig): Promise<void> {
  if (allow_private_addresses) return;
  let internal = false;
  const look = async (): Promise<void> => {
    const all = await lookup(new URL(base_url).hostname, { all: true });
    internal = all.some(({ address }) => isInternalAddress(address));
  };
  await waitAtMost(clock, LOOKUP_MS, look()).catch(() => undefined);
  if (internal) throw new ConfigError([privateAddress]);
}
