import { Command, InvalidArgumentError, Option } from 'commander';
import { ChangeKeyDto, CreateKeyDto, type KeyView, keyView, madeKeyView, RotateKeyDto } from '../admin/keys/key.dto.js';
import { type ApiKey, ApiKeyStore, MAX_KEY_GRACE_MS, type Metadata } from '../auth/api-key-store.js';
import { administering } from './administer.js';
import type { Administration } from './administration.js';
import {
  accountOption,
  type AccountOption,
  body,
  environmentOption,
  type EnvironmentOption,
  graceOption,
  isoTime,
  known,
  parseExpiry,
  projectOption,
  shortTime,
} from './common-options.js';
import type { Output } from './output.js';
import { rulesOf, type RulesOptions, withRulesOptions } from './rules-options.js';

interface ChangeOptions extends RulesOptions {
  label?: string;
  expires?: number;
  metadata?: Metadata;
}

interface CreateOptions extends ChangeOptions, EnvironmentOption {
  account: string;
  project?: string;
}

export function keysCommand(output: Output): Command {
  const administers = administering(output);
  const keys = new Command('keys').description('API keys; a full key is shown once, when it is made');

  const create = withRulesOptions(keys.command('create').description('make a key'))
    .addOption(accountOption().makeOptionMandatory())
    .addOption(environmentOption().makeOptionMandatory())
    .addOption(projectOption('a project of the account, by id or name'))
    .option('-l, --label <text>', 'what the key is for')
    .option('-x, --expires <when>', 'a day, a time, or from now on as 12h, 90d', parseExpiry)
    .addOption(metadataOption())
    .addHelpText('after', '\nA test key is answered by the sandbox and spends test credits; a live key reaches every model.');
  administers(create, async (admin, options: CreateOptions) => {
    const { env: environment, label, metadata } = options;
    const rules = rulesOf(options);
    const { id, name } = await admin.account(options.account);
    const project_id = await admin.projectId(options.project, id);
    const wanted = { environment, project_id, label, rules, metadata, expires_at: expiryOf(options) };
    const key = madeKeyView(await admin.inForce(admin.keys.create(id, body(CreateKeyDto, wanted), admin.by)));
    return output.says(key)`Created ${environment} key ${key.id} of ${name}. It is shown this once:\n\n  ${key.key!}\n`;
  });

  const listed = keys.command('list').description('list the keys, oldest first').addOption(accountOption());
  administers(listed, async (admin, { account }: AccountOption) => {
    const list = await admin.get(ApiKeyStore).list(await admin.accountId(account));
    const accounts = await admin.accountNames();
    const projects = await admin.projectNames();
    return output.list(list.map(keyView), {
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

  const show = keys.command('show <id>').description('show a key with its rules and metadata, without its secret part');
  administers(show, async (admin, _options, id: string) => {
    const key = await keyOf(admin, id);
    const account = (await admin.accounts.get(key.accountId)).name;
    const project = key.projectId && (await admin.projects.get(key.accountId, key.projectId)).name;
    return [keyView(key), () => explainKey(output, keyView(key), account, project)];
  });

  const change = withRulesOptions(keys.command('change <id>').description('change a key, within a second everywhere'))
    .option('-l, --label <text>', 'what the key is for')
    .option('-x, --expires <when>', 'a day, a time, from now on as 12h, 90d, or never', parseNewExpiry)
    .addOption(metadataOption())
    .addHelpText('after', '\nMetadata that is given replaces all that there is.');
  administers(change, async (admin, options: ChangeOptions, id: string) => {
    const { label, metadata } = options;
    const { accountId, rules: before } = await keyOf(admin, id);
    const wanted = { label, rules: rulesOf(options, before), metadata, expires_at: expiryOf(options) };
    const key = keyView(await admin.inForce(admin.keys.change(accountId, id, body(ChangeKeyDto, wanted), admin.by)));
    return output.says(key)`Changed ${key.display} (${key.id}).`;
  });

  const rotate = keys
    .command('rotate <id>')
    .description('make a key that takes the place of another, with its rules and budgets')
    .addOption(graceOption('key', MAX_KEY_GRACE_MS));
  administers(rotate, async (admin, { grace }: { grace: number }, id: string) => {
    const { accountId } = await keyOf(admin, id);
    const wanted = body(RotateKeyDto, { grace_seconds: grace / 1_000 });
    const key = madeKeyView(await admin.inForce(admin.keys.rotate(accountId, id, wanted, admin.by)));
    const replaces = keyView(await admin.keys.get(accountId, id));
    const end = shortTime(replaces.expires_at);
    const answer = output.says(Object.assign(key, { replaces }));
    return answer`Created key ${key.id} in place of ${replaces.display}, which ends at ${end} (UTC).\nIt is shown this once:\n\n  ${key.key!}\n`;
  });

  administers(keys.command('revoke <id>').description('make a key invalid, for good'), async (admin, _options, id: string) => {
    const { accountId } = await keyOf(admin, id);
    const key = keyView(await admin.inForce(admin.keys.revoke(accountId, id, admin.by)));
    return output.says(key)`Revoked ${key.display} (${key.id}).`;
  });

  return keys;
}

function explainKey(output: Output, key: KeyView, account: string, project: string | undefined): void {
  output.facts([
    ['key', key.display],
    ['id', key.id],
    ['account', `${account} (${key.account_id})`],
    ['project', key.project_id && `${project} (${key.project_id})`],
    ['label', key.label || undefined],
    ['status', key.status],
    ['created', key.created_at],
    ['expires', key.expires_at],
    ['revoked', key.revoked_at],
    ['last used', key.last_used_at ?? 'never'],
    ['continues', key.first_id === key.id ? undefined : key.first_id],
    ...Object.entries(key.rules).map(([name, rule]) => [name, JSON.stringify(rule)] as const),
    ...Object.entries(key.metadata).map(([name, value]) => [`metadata.${name}`, value] as const),
  ]);
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
