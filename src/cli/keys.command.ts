import { setTimeout as wait } from 'node:timers/promises';
import { Command } from 'commander';
import type { ApiKey } from '../auth/api-key-store.js';
import { statusOf } from '../auth/status-of.js';
import { CommandError } from './command-error.js';
import {
  accountOption,
  type CommonOptions,
  environmentOption,
  type EnvironmentOption,
  isoTime,
  parseExpiry,
  SEEN_EVERYWHERE_MS,
  shortTime,
  withCommonOptions,
} from './common-options.js';
import { Operator } from './operator.js';
import type { Output } from './output.js';

interface CreateOptions extends CommonOptions, EnvironmentOption {
  account: string;
  label?: string;
  expires?: number;
}

export function keysCommand(output: Output): Command {
  const keys = new Command('keys').description('API keys; a full key is shown once, when it is made');

  withCommonOptions(keys.command('create').description('make a key'))
    .addOption(accountOption().makeOptionMandatory())
    .addOption(environmentOption().makeOptionMandatory())
    .option('-l, --label <text>', 'what the key is for')
    .option('-x, --expires <when>', 'a day, a time, or from now on as 12h, 90d', parseExpiry)
    .addHelpText('after', '\nA test key is answered by the sandbox and spends test credits; a live key reaches every model.')
    .action(async ({ config, json, account: name, env: environment, label, expires: expiresAt }: CreateOptions) => {
      const { apiKey, key, account } = await Operator.with(config, async (operator) => {
        const found = await operator.account(name);
        const log = operator.audit('keys create', { accountId: found.id, fields: ['environment', 'label', 'expires_at'] });
        const made = await (await operator.keys()).create({ accountId: found.id, environment, label, expiresAt }, log);
        await wait(SEEN_EVERYWHERE_MS);
        return { ...made, account: found };
      });
      if (json) return output.json({ ...toJson(apiKey), key });
      output.line(`Created ${environment} key ${apiKey.id} of ${account.name}. It is shown this once:\n\n  ${key}\n`);
    });

  withCommonOptions(keys.command('list').description('list the keys, oldest first'))
    .addOption(accountOption())
    .action(async ({ config, json, account }: CommonOptions & { account?: string }) => {
      const { list, names } = await Operator.with(config, async (operator) => {
        const accountId = account === undefined ? undefined : (await operator.account(account)).id;
        return { list: await (await operator.keys()).list(accountId), names: await operator.accountNames() };
      });
      if (json) return output.json(list.map(toJson));
      output.table(
        ['id', 'key', 'account', 'status', 'expires', 'created', 'label'],
        list.map((key) => [
          key.id,
          key.display,
          names.get(key.accountId),
          statusOf(key),
          shortTime(key.expiresAt),
          shortTime(key.createdAt),
          key.label,
        ]),
      );
    });

  withCommonOptions(keys.command('revoke <id>').description('make a key invalid, for good')).action(
    async (id: string, options: CommonOptions) => {
      const key = await Operator.with(options.config, async (operator) => {
        const store = await operator.keys();
        const log = operator.audit('keys revoke', { accountId: (await store.find(id))?.accountId, fields: [] });
        const revoked = await store.revoke(id, log);
        if (!revoked) throw new CommandError(`there is no key '${id}': see switchyard keys list`);
        await wait(SEEN_EVERYWHERE_MS);
        return revoked;
      });
      if (options.json) output.json(toJson(key));
      else output.line(`Revoked ${key.display} (${key.id}).`);
    },
  );

  return keys;
}

function toJson(key: ApiKey) {
  const { id, accountId, environment, label, display, createdAt, expiresAt, revokedAt } = key;
  return {
    id,
    account_id: accountId,
    environment,
    label,
    display,
    status: statusOf(key),
    created_at: isoTime(createdAt),
    expires_at: expiresAt === undefined ? null : isoTime(expiresAt),
    revoked_at: revokedAt === undefined ? null : isoTime(revokedAt),
  };
}
