import { Command } from 'commander';
import { accountView } from '../admin/accounts/account.dto.js';
import { ChangeKeyHolderDto, CreateKeyHolderDto } from '../admin/key-holder.dto.js';
import { type AccountStatus, AccountStore } from '../auth/account-store.js';
import { administering } from './administer.js';
import { body, type CommonOptions, shortTime } from './common-options.js';
import type { Output } from './output.js';
import { rulesOf, type RulesOptions, withRulesOptions } from './rules-options.js';

export function accountsCommand(output: Output): Command {
  const administers = administering(output);
  const accounts = new Command('accounts').description('customers: each has a live and a test balance, and keys');

  const create = accounts.command('create <name>').description('make an account');
  administers(
    create,
    async (admin, _options, name: string) => {
      const account = accountView(await admin.accounts.create(body(CreateKeyHolderDto, { name }), admin.by));
      return output.says(account)`Created account ${account.name} (${account.id}).`;
    },
    true,
  );

  administers(accounts.command('list').description('list the accounts, oldest first'), async (admin) =>
    output.list((await admin.get(AccountStore).list()).map(accountView), {
      account: 'id',
      name: 'name',
      status: 'status',
      created: ({ created_at }) => shortTime(created_at),
    }),
  );

  const limit = accounts.command('limit <account>').description('change, or show, the rules that all keys of an account have');
  administers(withRulesOptions(limit), async (admin, options: CommonOptions & RulesOptions, idOrName: string) => {
    const { id, rules: before } = await admin.account(idOrName);
    const rules = rulesOf(options, before);
    const change = admin.accounts.change(id, body(ChangeKeyHolderDto, { rules }), admin.by);
    const account = accountView(await (rules ? admin.inForce(change) : change));
    return output.says(account)`The rules of ${account.name} (${account.id}) are ${JSON.stringify(account.rules)}.`;
  });

  for (const [verb, status, description] of ends)
    administers(accounts.command(`${verb} <account>`).description(description), async (admin, _options, idOrName: string) => {
      const { id } = await admin.account(idOrName);
      const account = accountView(await admin.inForce(admin.accounts.change(id, { status }, admin.by)));
      return output.says(account)`${account.name} (${account.id}) is ${account.status}.`;
    });

  return accounts;
}

const ends: readonly (readonly [verb: string, status: AccountStatus, description: string])[] = [
  ['suspend', 'suspended', 'reject the keys of an account until it is resumed, within a second'],
  ['resume', 'active', 'accept the keys of a suspended account again'],
  ['delete', 'closed', 'close an account for good, and keep it for the books'],
];
