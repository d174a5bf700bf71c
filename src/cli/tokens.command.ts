import { Command, Option } from 'commander';
import type { AdminToken } from '../auth/administration/admin-token-store.js';
import { type AdminRole, roles } from '../auth/administration/administrator.js';
import { statusOf } from '../auth/status-of.js';
import { CommandError } from './command-error.js';
import { accountOption, type CommonOptions, isoTime, parseExpiry, seenEverywhere, shortTime, withCommonOptions } from './common-options.js';
import { Operator } from './operator.js';
import type { Output } from './output.js';

interface CreateOptions extends CommonOptions {
  role: AdminRole;
  account?: string;
  label?: string;
  expires?: number;
}

export function tokensCommand(output: Output): Command {
  const tokens = new Command('tokens').description('tokens of the administration API; a full token is shown once, when it is made');

  withCommonOptions(tokens.command('create').description('make a token'))
    .addOption(new Option('-r, --role <role>', 'operator: everything; the others: one account').choices(roles).makeOptionMandatory())
    .addOption(accountOption())
    .option('-l, --label <text>', 'what the token is for')
    .option('-x, --expires <when>', 'a day, a time, or from now on as 12h, 90d', parseExpiry)
    .action(async ({ config, json, role, account: name, label, expires: expiresAt }: CreateOptions) => {
      const { adminToken, token } = await Operator.with(config, async (operator) => {
        const accountId = name === undefined ? undefined : (await operator.account(name)).id;
        const log = operator.audit('tokens create', { accountId, fields: ['role', 'label', 'expires_at'] });
        const made = await (await operator.tokens()).create({ role, accountId, label, expiresAt }, log);
        await seenEverywhere();
        return made;
      });
      if (json) return output.json({ ...toJson(adminToken), token });
      output.line`Created the token ${adminToken.id} of the role ${role}. It is shown this once:\n\n  ${token}\n`;
    });

  withCommonOptions(tokens.command('list').description('list the tokens, oldest first')).action(async ({ config, json }: CommonOptions) => {
    const { list, names } = await Operator.with(config, async (operator) => ({
      list: await (await operator.tokens()).list(),
      names: await operator.accountNames(),
    }));
    if (json) return output.json(list.map(toJson));
    output.table(
      ['id', 'token', 'role', 'account', 'status', 'expires', 'created', 'label'],
      list.map((token) => [
        token.id,
        token.display,
        token.role,
        token.accountId === undefined ? undefined : names.get(token.accountId),
        statusOf(token),
        shortTime(token.expiresAt),
        shortTime(token.createdAt),
        token.label,
      ]),
    );
  });

  withCommonOptions(tokens.command('revoke <id>').description('make a token invalid, for good')).action(
    async (id: string, options: CommonOptions) => {
      const token = await Operator.with(options.config, async (operator) => {
        const store = await operator.tokens();
        const log = operator.audit('tokens revoke', { accountId: (await store.find(id))?.accountId, fields: [] });
        const revoked = await store.revoke(id, log);
        if (!revoked) throw new CommandError(`there is no token '${id}': see switchyard tokens list`);
        await seenEverywhere();
        return revoked;
      });
      if (options.json) output.json(toJson(token));
      else output.line`Revoked ${token.display} (${token.id}).`;
    },
  );

  return tokens;
}

function toJson(token: AdminToken) {
  const { id, role, accountId, label, display, createdAt, expiresAt, revokedAt } = token;
  return {
    id,
    role,
    account_id: accountId ?? null,
    label,
    display,
    status: statusOf(token),
    created_at: isoTime(createdAt),
    expires_at: expiresAt === undefined ? null : isoTime(expiresAt),
    revoked_at: revokedAt === undefined ? null : isoTime(revokedAt),
  };
}
