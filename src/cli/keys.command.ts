import { Command, InvalidArgumentError, Option } from 'commander';
import { ChangeKeyDto, CreateKeyDto, keyView, madeKeyView, RotateKeyDto } from '../admin/keys/key.dto.js';
import { type ApiKey, ApiKeyStore, MAX_KEY_GRACE_MS, type Metadata } from '../auth/api-key-store.js';
import { administer } from './administer.js';
import type { Administration } from './administration.js';
import {
  accountOption,
  body,
  type CommonOptions,
  environmentOption,
  type EnvironmentOption,
  isoTime,
  known,
  parseExpiry,
  projectOption,
  seenEverywhere,
  shortTime,
  spanUpTo,
  withCommonOptions,
} from './common-options.js';
import { explainKey } from './key-facts.js';
import type { Output } from './output.js';
import { rulesOf, type RulesOptions, withRulesOptions } from './rules-options.js';

interface ChangeOptions extends CommonOptions, RulesOptions {
  label?: string;
  expires?: number;
  metadata?: Metadata;
}

interface CreateOptions extends ChangeOptions, EnvironmentOption {
  account: string;
  project?: string;
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
      const { env: environment, label, metadata } = options;
      const rules = rulesOf(command, options);
      const { key, account } = await administer(options, 'keys create', async (admin) => {
        const { id, name } = await admin.account(options.account);
        const project_id = options.project === undefined ? undefined : (await admin.project(options.project, id)).id;
        const wanted = { environment, project_id, label, rules, metadata, expires_at: expiryOf(options) };
        const made = await admin.keys.create(id, body(CreateKeyDto, wanted), admin.by);
        await seenEverywhere();
        return { key: madeKeyView(made), account: name };
      });
      if (options.json) return output.json(key);
      output.line`Created ${environment} key ${key.id} of ${account}. It is shown this once:\n\n  ${key.key!}\n`;
    });

  withCommonOptions(keys.command('list').description('list the keys, oldest first'))
    .addOption(accountOption())
    .action(async ({ account, ...options }: CommonOptions & { account?: string }) => {
      const { list, accounts, projects } = await administer(options, 'keys list', async (admin) => ({
        list: await admin.get(ApiKeyStore).list(await admin.accountId(account)),
        accounts: await admin.accountNames(),
        projects: await admin.projectNames(),
      }));
      output.list(options.json, list.map(keyView), {
        id: 'id',
        key: 'display',
        account: ({ account_id }) => accounts.get(account_id),
        project: ({ project_id }) => project_id && projects.get(project_id),
        status: 'status',
        expires: ({ expires_at }) => shortTime(expires_at),
        created: ({ created_at }) => shortTime(created_at),
        label: 'label',
      });
    });

  withCommonOptions(keys.command('show <id>').description('show a key with its rules and metadata, without its secret part')).action(
    async (id: string, options: CommonOptions) => {
      const { key, account, project } = await administer(options, 'keys show', async (admin) => {
        const found = await keyOf(admin, id);
        return {
          key: keyView(found),
          account: (await admin.accounts.get(found.accountId)).name,
          project: found.projectId && (await admin.projects.get(found.accountId, found.projectId)).name,
        };
      });
      if (options.json) output.json(key);
      else explainKey(output, key, account, project);
    },
  );

  withRulesOptions(withCommonOptions(keys.command('change <id>').description('change a key, within a second everywhere')))
    .option('-l, --label <text>', 'what the key is for')
    .option('-x, --expires <when>', 'a day, a time, from now on as 12h, 90d, or never', parseNewExpiry)
    .addOption(metadataOption())
    .addHelpText('after', '\nMetadata that is given replaces all that there is.')
    .action(async (id: string, options: ChangeOptions, command: Command) => {
      const { label, metadata } = options;
      const key = await administer(options, 'keys change', async (admin) => {
        const { accountId, rules: before } = await keyOf(admin, id);
        const wanted = { label, rules: rulesOf(command, options, before), metadata, expires_at: expiryOf(options) };
        const changed = await admin.keys.change(accountId, id, body(ChangeKeyDto, wanted), admin.by);
        await seenEverywhere();
        return keyView(changed);
      });
      if (options.json) output.json(key);
      else output.line`Changed ${key.display} (${key.id}).`;
    });

  withCommonOptions(keys.command('rotate <id>').description('make a key that takes the place of another, with its rules and budgets'))
    .addOption(
      new Option('-g, --grace <span>', 'how long the old key goes on, at most 365d')
        .argParser(spanUpTo(MAX_KEY_GRACE_MS))
        .default(DAY_MS, '24h'),
    )
    .action(async (id: string, { grace, ...options }: CommonOptions & { grace: number }) => {
      const { key, replaces } = await administer(options, 'keys rotate', async (admin) => {
        const { accountId } = await keyOf(admin, id);
        const made = await admin.keys.rotate(accountId, id, body(RotateKeyDto, { grace_seconds: grace / 1_000 }), admin.by);
        await seenEverywhere();
        return { key: madeKeyView(made), replaces: keyView(await admin.keys.get(accountId, id)) };
      });
      if (options.json) return output.json(Object.assign(key, { replaces }));
      output.line`Created key ${key.id} in place of ${replaces.display}, which ends at ${shortTime(replaces.expires_at)} (UTC).`;
      output.line`It is shown this once:\n\n  ${key.key!}\n`;
    });

  withCommonOptions(keys.command('revoke <id>').description('make a key invalid, for good')).action(
    async (id: string, options: CommonOptions) => {
      const key = await administer(options, 'keys revoke', async (admin) => {
        const { accountId } = await keyOf(admin, id);
        const revoked = await admin.keys.revoke(accountId, id, admin.by);
        await seenEverywhere();
        return keyView(revoked);
      });
      if (options.json) output.json(key);
      else output.line`Revoked ${key.display} (${key.id}).`;
    },
  );

  return keys;
}

async function keyOf(admin: Administration, id: string): Promise<ApiKey> {
  return known('key', id, await admin.get(ApiKeyStore).find(id));
}

/** @returns null for never */
function expiryOf({ expires }: Pick<ChangeOptions, 'expires'>): string | null | undefined {
  return expires === undefined ? undefined : expires === Infinity ? null : isoTime(expires);
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
