import type { Command } from 'commander';
import { DisableProviderDto } from '../admin/providers/provider.dto.js';
import type { Config } from '../config/config.schema.js';
import { problemOf, storedEntry } from '../provider-store/stored-entry.js';
import { type StoredProvider, StoredProviderStore } from '../provider-store/stored-provider-store.js';
import { administering } from './administer.js';
import { body, isoTime } from './common-options.js';
import type { Output } from './output.js';

interface Listed {
  readonly id: string;
  readonly source: 'file' | 'store';
  readonly type: string | null;
  /** Host and port. */
  readonly address: string | null;
  readonly disabled_at: string | null;
  readonly message: string | null;
  /** Why the gateway leaves it out. */
  readonly problem: string | null;
}

/** Adds the commands that list the providers, and switch and remove those of the store. */
export function addStoredProviderCommands(providers: Command, output: Output): void {
  const administers = administering(output);
  const listed = providers.command('list').description('list the providers of the file, without those of modules, and those of the store');
  administers(listed, async (admin) => {
    const stored = await admin.get(StoredProviderStore).list();
    const list = [...Object.entries(admin.config.providers).map(ofFile), ...stored.map((one) => ofStore(one, admin.config))];
    return output.list(list, { provider: 'id', source: 'source', type: 'type', address: 'address', status: statusOf });
  });

  const disable = providers
    .command('disable <id>')
    .description('switch a provider of the store off, within a second')
    .option('-m, --message <text>', 'why, for other operators');
  administers(disable, async (admin, options: { message?: string }, id: string) => {
    const { message } = body(DisableProviderDto, { message: options.message });
    return output.says(switchOf(await admin.providers.disable(id, message, admin.by)))`Switched off ${id}.`;
  });

  administers(
    providers.command('enable <id>').description('switch a provider of the store on again'),
    async (admin, _options, id: string) => output.says(switchOf(await admin.providers.enable(id, admin.by)))`Switched on ${id}.`,
  );

  const remove = providers.command('remove <id>').description('remove a provider of the store with its secrets, for good');
  administers(remove, async (admin, _options, id: string) => {
    await admin.providers.remove(id, admin.by);
    return output.says({ id })`Removed ${id}.`;
  });
}

function switchOf({ id, disabledAt, message }: StoredProvider) {
  return { id, disabled_at: disabledAt === undefined ? null : isoTime(disabledAt), message: message ?? null };
}

function ofFile([id, { type, base_url }]: [string, Config['providers'][string]]): Listed {
  return { id, source: 'file', type, address: new URL(base_url).host, disabled_at: null, message: null, problem: null };
}

function ofStore(stored: StoredProvider, config: Config): Listed {
  const { id, settings } = stored;
  const shown = { ...switchOf(stored), source: 'store' as const };
  try {
    if (!settings) throw new Error('its settings cannot be decrypted');
    const { type, base_url } = storedEntry(id, settings, config);
    const problem = Object.hasOwn(config.providers, id) ? 'the file has a provider of this id' : null;
    return { ...shown, type, address: new URL(base_url).host, problem };
  } catch (error) {
    return { ...shown, type: null, address: null, problem: problemOf(error) };
  }
}

function statusOf({ disabled_at, message, problem }: Listed): string {
  if (disabled_at !== null) return message === null ? 'off' : `off: ${message}`;
  return problem === null ? '' : `left out: ${problem}`;
}
