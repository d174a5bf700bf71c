import { Command } from 'commander';
import type { Account, AccountStatus } from '../auth/account-store.js';
import { CommandError } from './command-error.js';
import { type CommonOptions, isoTime, shortTime, withCommonOptions } from './common-options.js';
import { Operator } from './operator.js';
import type { Output } from './output.js';
import { rulesOf, type RulesOptions, withRulesOptions } from './rules-options.js';

export function accountsCommand(output: Output): Command {
  const accounts = new Command('accounts').description('customers: each has a live and a test balance, and keys');

  withCommonOptions(accounts.command('create <name>').description('make an account')).action(
    async (name: string, options: CommonOptions) => {
      const account = await Operator.with(
        options.config,
        (operator) =>
          operator.accounts.create(name, {}, (trx, id) => operator.audit('accounts create', { accountId: id, fields: ['name'] })(trx, id)),
        true,
      );
      if (options.json) output.json(toJson(account));
      else output.line`Created account ${account.name} (${account.id}).`;
    },
  );

  withCommonOptions(accounts.command('list').description('list the accounts, oldest first')).action(async (options: CommonOptions) => {
    const list = await Operator.with(options.config, (operator) => operator.accounts.list());
    if (options.json) return output.json(list.map(toJson));
    output.table(
      ['account', 'name', 'status', 'created'],
      list.map(({ id, name, status, createdAt }) => [id, name, status, shortTime(createdAt)]),
    );
  });

  withRulesOptions(
    withCommonOptions(accounts.command('limit <account>').description('change, or show, the rules that all keys of an account have')),
  ).action(async (idOrName: string, options: CommonOptions & RulesOptions, command: Command) => {
    const account = await Operator.with(options.config, async (operator) => {
      const found = await operator.account(idOrName);
      const rules = rulesOf(command, options, found.rules);
      const changed = await operator.change('accounts limit', found.id, found, { rules }, (fields, log) =>
        operator.accounts.change(found.id, fields, log),
      );
      return changed!;
    });
    if (options.json) output.json(toJson(account));
    else output.line`The rules of ${account.name} (${account.id}) are ${JSON.stringify(account.rules)}.`;
  });

  for (const [verb, status, description] of ends)
    withCommonOptions(accounts.command(`${verb} <account>`).description(description)).action(
      async (idOrName: string, options: CommonOptions) => {
        const account = await Operator.with(options.config, async (operator) => {
          const found = await operator.account(idOrName);
          const changed = await operator.change(`accounts ${verb}`, found.id, found, { status }, (fields, log) =>
            operator.accounts.change(found.id, fields, log),
          );
          if (!changed) throw new CommandError(`${found.name} is closed, for good`);
          return changed;
        });
        if (options.json) output.json(toJson(account));
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

function toJson({ id, name, rules, status, createdAt }: Account) {
  return { id, name, rules, status, created_at: isoTime(createdAt) };
}
