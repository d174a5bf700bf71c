import type { Command } from 'commander';
import type { Config } from '../config/config.schema.js';
import { problemOf, storedEntry } from '../provider-store/stored-entry.js';
import type { StoredProvider } from '../provider-store/stored-provider-store.js';
import { CommandError } from './command-error.js';
import { type CommonOptions, isoTime, withCommonOptions } from './common-options.js';
import { Operator } from './operator.js';
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
    const stored = await Operator.with(config, async (operator) => (await operator.storedProviders()).list());
    const list = [...Object.entries(settings.providers).map(ofFile), ...stored.map((one) => ofStore(one, settings))];
    if (json) return output.json(list);
    output.table(
      ['provider', 'source', 'type', 'address', 'status'],
      list.map((one) => [one.id, one.source, one.type ?? '', one.address ?? '', statusOf(one)]),
    );
  });

  withCommonOptions(providers.command('disable <id>').description('switch a provider of the store off, within a second'))
    .option('-m, --message <text>', 'why, for other operators')
    .action(async (id: string, { config, json, message }: CommonOptions & { message?: string }) => {
      const disabledAt = Date.now();
      const log = { action: 'providers disable', fields: message === undefined ? ['disabled_at'] : ['disabled_at', 'message'] };
      await change(config, id, log, { disabledAt, message });
      if (json) output.json({ id, disabled_at: isoTime(disabledAt), message: message ?? null });
      else output.line`Switched off ${id}.`;
    });

  withCommonOptions(providers.command('enable <id>').description('switch a provider of the store on again')).action(
    async (id: string, { config, json }: CommonOptions) => {
      await change(config, id, { action: 'providers enable', fields: ['disabled_at'] }, { disabledAt: undefined, message: undefined });
      if (json) output.json({ id, disabled_at: null, message: null });
      else output.line`Switched on ${id}.`;
    },
  );

  withCommonOptions(providers.command('remove <id>').description('remove a provider of the store with its secrets, for good')).action(
    async (id: string, { config, json }: CommonOptions) => {
      const removed = await Operator.with(config, async (operator) => {
        const store = await operator.storedProviders();
        return store.remove(id, { beside: operator.audit('providers remove', { fields: [] }) });
      });
      if (!removed) throw noSuchProvider(id);
      if (json) output.json({ id });
      else output.line`Removed ${id}.`;
    },
  );
}

async function change(
  config: string | undefined,
  id: string,
  { action, fields }: { action: string; fields: readonly string[] },
  to: Pick<StoredProvider, 'disabledAt' | 'message'>,
): Promise<void> {
  const changed = await Operator.with(config, async (operator) => {
    const store = await operator.storedProviders();
    const now = await store.find(id);
    if (now && now.message === to.message && (now.disabledAt === undefined) === (to.disabledAt === undefined)) return now;
    return store.change(id, to, { beside: operator.audit(action, { fields }) });
  });
  if (!changed) throw noSuchProvider(id);
}

function noSuchProvider(id: string): CommandError {
  return new CommandError(`there is no provider '${id}' in the store: see switchyard providers list`);
}

function ofFile([id, { type, base_url }]: [string, Config['providers'][string]]): Listed {
  return { id, source: 'file', type, address: new URL(base_url).host, disabled_at: null, message: null, problem: null };
}

function ofStore({ id, settings, disabledAt, message }: StoredProvider, config: Config): Listed {
  const shown = {
    id,
    source: 'store' as const,
    disabled_at: disabledAt === undefined ? null : isoTime(disabledAt),
    message: message ?? null,
  };
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
