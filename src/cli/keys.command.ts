import { Command, InvalidArgumentError, Option } from 'commander';
import { type ApiKey, MAX_KEY_GRACE_MS, type Metadata } from '../auth/api-key-store.js';
import { statusOf } from '../auth/status-of.js';
import { CommandError } from './command-error.js';
import {
  accountOption,
  type CommonOptions,
  environmentOption,
  type EnvironmentOption,
  namesOf,
  parseExpiry,
  projectOption,
  seenEverywhere,
  shortTime,
  spanUpTo,
  withCommonOptions,
} from './common-options.js';
import { explainKey, keyToJson } from './key-facts.js';
import { Operator } from './operator.js';
import type { Output } from './output.js';
import { rulesOf, type RulesOptions, withRulesOptions } from './rules-options.js';

interface CreateOptions extends CommonOptions, EnvironmentOption, RulesOptions {
  account: string;
  project?: string;
  label?: string;
  expires?: number;
  metadata?: Metadata;
}

interface ChangeOptions extends CommonOptions, RulesOptions {
  label?: string;
  expires?: number;
  metadata?: Metadata;
}

const DAY_MS = 86_400_000;

export function keysCommand(output: Output): Command {
  const keys = new Command('keys').description('API keys; a full key is shown once, when it is made');

  withRulesOptions(withCommonOptions(keys.command('create').description('make a key')))
    .addOption(accountOption().makeOptionMandatory())
    .addOption(environmentOption().makeOptionMandatory())
    .addOption(projectOption('a project of the account, by id or name'))
    .option('-l, --label <text>', 'what the key is for')
    .option('-x, --expires <when>', 'a day, a time, or from now on as 12h, 90d', parseExpiry)
    .addOption(metadataOption())
    .addHelpText('after', '\nA test key is answered by the sandbox and spends test credits; a live key reaches every model.')
    .action(async (options: CreateOptions, command: Command) => {
      const { account: name, env: environment, label, expires: expiresAt, metadata } = options;
      const rules = rulesOf(command, options);
      const { apiKey, key, account } = await Operator.with(options.config, async (operator) => {
        const found = await operator.account(name);
        const projectId = options.project === undefined ? undefined : (await operator.project(options.project, found.id)).id;
        const fields = namesOf({ environment, project_id: projectId, label, rules, metadata, expires_at: expiresAt });
        const log = operator.audit('keys create', { accountId: found.id, fields });
        const store = await operator.keys();
        const made = await store.create({ accountId: found.id, environment, projectId, label, expiresAt, metadata, rules }, log);
        await seenEverywhere();
        return { ...made, account: found };
      });
      if (options.json) return output.json({ ...keyToJson(apiKey), key });
      output.line`Created ${environment} key ${apiKey.id} of ${account.name}. It is shown this once:\n\n  ${key}\n`;
    });

  withCommonOptions(keys.command('list').description('list the keys, oldest first'))
    .addOption(accountOption())
    .action(async ({ config, json, account }: CommonOptions & { account?: string }) => {
      const { list, accounts, projects } = await Operator.with(config, async (operator) => {
        const accountId = account === undefined ? undefined : (await operator.account(account)).id;
        const store = await operator.keys();
        return { list: await store.list(accountId), accounts: await operator.accountNames(), projects: await operator.projectNames() };
      });
      if (json) return output.json(list.map(keyToJson));
      output.table(
        ['id', 'key', 'account', 'project', 'status', 'expires', 'created', 'label'],
        list.map((key) => [
          key.id,
          key.display,
          accounts.get(key.accountId),
          key.projectId && projects.get(key.projectId),
          statusOf(key),
          shortTime(key.expiresAt),
          shortTime(key.createdAt),
          key.label,
        ]),
      );
    });

  withCommonOptions(keys.command('show <id>').description('show a key with its rules and metadata, without its secret part')).action(
    async (id: string, { config, json }: CommonOptions) => {
      const { key, account, project } = await Operator.with(config, async (operator) => {
        const found = await (await operator.keys()).find(id);
        if (!found) throw noKey(id);
        const projects = await operator.projectNames();
        return {
          key: found,
          account: (await operator.accountNames()).get(found.accountId),
          project: found.projectId && projects.get(found.projectId),
        };
      });
      if (json) output.json(keyToJson(key));
      else explainKey(output, key, account, project);
    },
  );

  withRulesOptions(withCommonOptions(keys.command('change <id>').description('change a key, within a second everywhere')))
    .option('-l, --label <text>', 'what the key is for')
    .option('-x, --expires <when>', 'a day, a time, from now on as 12h, 90d, or never', parseNewExpiry)
    .addOption(metadataOption())
    .addHelpText('after', '\nMetadata that is given replaces all that there is.')
    .action(async (id: string, options: ChangeOptions, command: Command) => {
      const key = await Operator.with(options.config, async (operator) => {
        const store = await operator.keys();
        const found = await store.find(id);
        if (!found) throw noKey(id);
        const { label, metadata } = options;
        const expiresAt = options.expires === Infinity ? null : options.expires;
        const rules = rulesOf(command, options, found.rules);
        if (found.revokedAt !== undefined) throw ended(found);
        const wanted = { label, rules, metadata, expiresAt };
        const changed = await operator.change('keys change', found.accountId, found, wanted, (fields, log) =>
          store.change(id, fields, log),
        );
        if (!changed) throw ended((await store.find(id))!);
        return changed;
      });
      if (options.json) output.json(keyToJson(key));
      else output.line`Changed ${key.display} (${key.id}).`;
    });

  withCommonOptions(keys.command('rotate <id>').description('make a key that takes the place of another, with its rules and budgets'))
    .addOption(
      new Option('-g, --grace <span>', 'how long the old key goes on, at most 365d')
        .argParser(spanUpTo(MAX_KEY_GRACE_MS))
        .default(DAY_MS, '24h'),
    )
    .action(async (id: string, { config, json, grace }: CommonOptions & { grace: number }) => {
      const { apiKey, key, replaced } = await Operator.with(config, async (operator) => {
        const store = await operator.keys();
        const found = await store.find(id);
        if (!found) throw noKey(id);
        const log = operator.audit('keys rotate', { accountId: found.accountId, fields: ['grace_seconds', 'replaces'] });
        const made = await store.rotate(id, grace, undefined, log);
        const now = (await store.find(id))!;
        if (!made) throw ended(now);
        await seenEverywhere();
        return { ...made, replaced: now };
      });
      if (json) return output.json({ ...keyToJson(apiKey), key, replaces: keyToJson(replaced) });
      output.line`Created key ${apiKey.id} in place of ${replaced.display}, which ends at ${shortTime(replaced.expiresAt)} (UTC).`;
      output.line`It is shown this once:\n\n  ${key}\n`;
    });

  withCommonOptions(keys.command('revoke <id>').description('make a key invalid, for good')).action(
    async (id: string, options: CommonOptions) => {
      const key = await Operator.with(options.config, async (operator) => {
        const store = await operator.keys();
        const log = operator.audit('keys revoke', { accountId: (await store.find(id))?.accountId, fields: ['revoked_at'] });
        const revoked = await store.revoke(id, { beside: log });
        if (!revoked) throw noKey(id);
        await seenEverywhere();
        return revoked;
      });
      if (options.json) output.json(keyToJson(key));
      else output.line`Revoked ${key.display} (${key.id}).`;
    },
  );

  return keys;
}

function noKey(id: ApiKey['id']): CommandError {
  return new CommandError(`there is no key '${id}': see switchyard keys list`);
}

function ended({ id, revokedAt }: ApiKey): CommandError {
  return new CommandError(`the key '${id}' ${revokedAt === undefined ? 'has expired' : 'is revoked'}`);
}

function metadataOption(): Option {
  return new Option('--metadata <name=value>', 'shown beside the usage of the key; may be repeated').argParser(
    (text: string, before?: Metadata) => {
      const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
      if (name === undefined || value === undefined) throw new InvalidArgumentError('Give metadata as name=value.');
      return { ...before, [name]: value };
    },
  );
}

/** The library takes null for no value: Infinity stands for never. */
function parseNewExpiry(text: string): number {
  return text === 'never' ? Infinity : parseExpiry(text);
}
