import type { Command } from 'commander';
import { DisableProviderDto } from '../admin/providers/provider.dto.js';
import type { Config } from '../config/config.schema.js';
import { problemOf, storedEntry } from '../provider-store/stored-entry.js';
import { type StoredProvider, StoredProviderStore } from '../provider-store/stored-provider-store.js';
import { administer } from './administer.js';
import { body, type CommonOptions, isoTime, withCommonOptions } from './common-options.js';
import type { Output } from './output.js';
import { readConfig } from './read-config.js';

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
  withCommonOptions(
    providers.command('list').description('list the providers of the file, without those of modules, and those of the store'),
  ).action(async ({ config, json }: CommonOptions) => {
    const settings = readConfig(config);
    const stored = await administer({ config }, 'providers list', (admin) => admin.get(StoredProviderStore).list());
    const list = [...Object.entries(settings.providers).map(ofFile), ...stored.map((one) => ofStore(one, settings))];
    if (json) return output.json(list);
    output.table(
      ['provider', 'source', 'type', 'address', 'status'],
      list.map((one) => [one.id, one.source, one.type ?? '', one.address ?? '', statusOf(one)]),
    );
  });

  withCommonOptions(providers.command('disable <id>').description('switch a provider of the store off, within a second'))
    .option('-m, --message <text>', 'why, for other operators')
    .action(async (id: string, options: CommonOptions & { message?: string }) => {
      const { message } = body(DisableProviderDto, { message: options.message });
      const provider = await administer(options, 'providers disable', (admin) => admin.providers.disable(id, message, admin.by));
      if (options.json) output.json(switchOf(provider));
      else output.line`Switched off ${id}.`;
    });

  withCommonOptions(providers.command('enable <id>').description('switch a provider of the store on again')).action(
    async (id: string, options: CommonOptions) => {
      const provider = await administer(options, 'providers enable', (admin) => admin.providers.enable(id, admin.by));
      if (options.json) output.json(switchOf(provider));
      else output.line`Switched on ${id}.`;
    },
  );

  withCommonOptions(providers.command('remove <id>').description('remove a provider of the store with its secrets, for good')).action(
    async (id: string, options: CommonOptions) => {
      await administer(options, 'providers remove', (admin) => admin.providers.remove(id, admin.by));
      if (options.json) output.json({ id });
      else output.line`Removed ${id}.`;
    },
  );
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
