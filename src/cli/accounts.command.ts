import { Command } from 'commander';
import { accountView } from '../admin/accounts/account.dto.js';
import { ChangeKeyHolderDto, CreateKeyHolderDto } from '../admin/key-holder.dto.js';
import { type AccountStatus, AccountStore } from '../auth/account-store.js';
import { administer } from './administer.js';
import { body, type CommonOptions, seenEverywhere, shortTime, withCommonOptions } from './common-options.js';
import type { Output } from './output.js';
import { rulesOf, type RulesOptions, withRulesOptions } from './rules-options.js';

export function accountsCommand(output: Output): Command {
  const accounts = new Command('accounts').description('customers: each has a live and a test balance, and keys');

  withCommonOptions(accounts.command('create <name>').description('make an account')).action(
    async (name: string, options: CommonOptions) => {
      const account = await administer(
        options,
        'accounts create',
        async (admin) => accountView(await admin.accounts.create(body(CreateKeyHolderDto, { name }), admin.by)),
        true,
      );
      if (options.json) output.json(account);
      else output.line`Created account ${account.name} (${account.id}).`;
    },
  );

  withCommonOptions(accounts.command('list').description('list the accounts, oldest first')).action(async (options: CommonOptions) => {
    const list = await administer(options, 'accounts list', (admin) => admin.get(AccountStore).list());
    output.list(options.json, list.map(accountView), {
      account: 'id',
      name: 'name',
      status: 'status',
      created: ({ created_at }) => shortTime(created_at),
    });
  });

  withRulesOptions(
    withCommonOptions(accounts.command('limit <account>').description('change, or show, the rules that all keys of an account have')),
  ).action(async (idOrName: string, options: CommonOptions & RulesOptions, command: Command) => {
    const account = await administer(options, 'accounts limit', async (admin) => {
      const { id, rules: before } = await admin.account(idOrName);
      const rules = rulesOf(command, options, before);
      const after = await admin.accounts.change(id, body(ChangeKeyHolderDto, { rules }), admin.by);
      if (rules) await seenEverywhere();
      return accountView(after);
    });
    if (options.json) output.json(account);
    else output.line`The rules of ${account.name} (${account.id}) are ${JSON.stringify(account.rules)}.`;
  });

  for (const [verb, status, description] of ends)
    withCommonOptions(accounts.command(`${verb} <account>`).description(description)).action(
      async (idOrName: string, options: CommonOptions) => {
        const account = await administer(options, `accounts ${verb}`, async (admin) => {
          const { id } = await admin.account(idOrName);
          const after = await admin.accounts.change(id, { status }, admin.by);
          await seenEverywhere();
          return accountView(after);
        });
        if (options.json) output.json(account);
        else output.line`${account.name} (${account.id}) is ${account.status}.`;
      },
    );

  return accounts;
}

const ends: readonly (readonly [verb: string, status: AccountStatus, description: string])[] = [
  ['suspend', 'suspended', 'reject the keys of an account until it is resumed, within a second'],
  ['resume', 'active', 'accept the keys of a suspended account again'],
  ['delete', 'closed', 'close an account for good, and keep it for the books'],
];
