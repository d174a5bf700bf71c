import { Command, Option } from 'commander';
import { CreateTokenDto, madeTokenView, tokenView } from '../admin/tokens/token.dto.js';
import { AdminTokenStore } from '../auth/administration/admin-token-store.js';
import { type AdminRole, roles } from '../auth/administration/administrator.js';
import { administering } from './administer.js';
import { accountOption, type AccountOption, body, isoTime, known, parseExpiry, shortTime } from './common-options.js';
import type { Output } from './output.js';

interface CreateOptions extends AccountOption {
  role: AdminRole;
  label?: string;
  expires?: number;
}

export function tokensCommand(output: Output): Command {
  const administers = administering(output);
  const tokens = new Command('tokens').description('tokens of the administration API; a full token is shown once, when it is made');

  const create = tokens
    .command('create')
    .description('make a token')
    .addOption(new Option('-r, --role <role>', 'operator: everything; the others: one account').choices(roles).makeOptionMandatory())
    .addOption(accountOption())
    .option('-l, --label <text>', 'what the token is for')
    .option('-x, --expires <when>', 'a day, a time, or from now on as 12h, 90d', parseExpiry);
  administers(create, async (admin, { role, account, label, expires }: CreateOptions) => {
    const wanted = body(CreateTokenDto, { label, expires_at: expires === undefined ? undefined : isoTime(expires) });
    const accountId = await admin.accountId(account);
    const token = madeTokenView(await admin.inForce(admin.tokens.create(accountId, role, wanted, admin.by)));
    return output.says(token)`Created the token ${token.id} of the role ${role}. It is shown this once:\n\n  ${token.token!}\n`;
  });

  administers(tokens.command('list').description('list the tokens, oldest first'), async (admin) => {
    const names = await admin.accountNames();
    return output.list((await admin.get(AdminTokenStore).list()).map(tokenView), {
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

  administers(tokens.command('revoke <id>').description('make a token invalid, for good'), async (admin, _options, id: string) => {
    const { accountId } = known('token', id, await admin.get(AdminTokenStore).find(id));
    const token = tokenView(await admin.inForce(admin.tokens.revoke(accountId, id, admin.by)));
    return output.says(token)`Revoked ${token.display} (${token.id}).`;
  });

  return tokens;
}
