import { Command, Option } from 'commander';
import { CreateTokenDto, madeTokenView, tokenView } from '../admin/tokens/token.dto.js';
import { AdminTokenStore } from '../auth/administration/admin-token-store.js';
import { type AdminRole, roles } from '../auth/administration/administrator.js';
import { administer } from './administer.js';
import {
  accountOption,
  body,
  type CommonOptions,
  isoTime,
  known,
  parseExpiry,
  seenEverywhere,
  shortTime,
  withCommonOptions,
} from './common-options.js';
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
    .action(async ({ role, account, label, expires, ...options }: CreateOptions) => {
      const wanted = body(CreateTokenDto, { label, expires_at: expires === undefined ? undefined : isoTime(expires) });
      const token = await administer(options, 'tokens create', async (admin) => {
        const made = await admin.tokens.create(await admin.accountId(account), role, wanted, admin.by);
        await seenEverywhere();
        return madeTokenView(made);
      });
      if (options.json) return output.json(token);
      output.line`Created the token ${token.id} of the role ${role}. It is shown this once:\n\n  ${token.token!}\n`;
    });

  withCommonOptions(tokens.command('list').description('list the tokens, oldest first')).action(async (options: CommonOptions) => {
    const { list, names } = await administer(options, 'tokens list', async (admin) => ({
      list: await admin.get(AdminTokenStore).list(),
      names: await admin.accountNames(),
    }));
    output.list(options.json, list.map(tokenView), {
      id: 'id',
      token: 'display',
      role: 'role',
      account: ({ account_id }) => account_id && names.get(account_id),
      status: 'status',
      expires: ({ expires_at }) => shortTime(expires_at),
      created: ({ created_at }) => shortTime(created_at),
      label: 'label',
    });
  });

  withCommonOptions(tokens.command('revoke <id>').description('make a token invalid, for good')).action(
    async (id: string, options: CommonOptions) => {
      const token = await administer(options, 'tokens revoke', async (admin) => {
        const { accountId } = known('token', id, await admin.get(AdminTokenStore).find(id));
        const revoked = await admin.tokens.revoke(accountId, id, admin.by);
        await seenEverywhere();
        return tokenView(revoked);
      });
      if (options.json) output.json(token);
      else output.line`Revoked ${token.display} (${token.id}).`;
    },
  );

  return tokens;
}
