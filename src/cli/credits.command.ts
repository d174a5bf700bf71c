import { Command, InvalidArgumentError } from 'commander';
import { balanceView } from '../admin/credits/credit.dto.js';
import { type Account, AccountStore } from '../auth/account-store.js';
import { formatCredits } from '../common/prices/credits.js';
import { administering } from './administer.js';
import type { Administration } from './administration.js';
import { CommandError } from './command-error.js';
import { accountOption, type AccountOption, environmentOption, type EnvironmentOption, parseAmount } from './common-options.js';
import type { Output } from './output.js';

interface GrantOptions extends EnvironmentOption {
  account: string;
  note?: string;
  id?: string;
}

export function creditsCommand(output: Output): Command {
  const administers = administering(output);
  const credits = new Command('credits').description('prepaid credits, in exact decimals');

  const grant = credits
    .command('grant')
    .description('add credits to an account')
    .argument('<amount>', 'credits, at most 9 decimals', parseGrant)
    .addOption(accountOption().makeOptionMandatory())
    .addOption(environmentOption().default('live'))
    .option('--note <text>', 'why')
    .option('--id <id>', 'a name for this grant: repeating it under the same name adds nothing, and no other grant can have it');
  administers(grant, async (admin, { account: name, env: environment, note, id }: GrantOptions, amount: string) => {
    const account = await admin.account(name);
    const { transfer, made, same } = await admin.credits.give(account.id, { id, environment, amount, note }, admin.by);
    if (!same) {
      const of = (await admin.accounts.get(transfer.accountId)).name;
      throw new CommandError(
        `nothing was added: the grant '${transfer.id}' of before was ${formatCredits(transfer.amount)} ${transfer.environment} credits ` +
          `for ${of}: give this one another --id`,
      );
    }
    const holding = (await holdingsOf(admin, account)).find((one) => one.environment === environment)!;
    const done = made ? `Granted ${amount} credits` : `The grant ${transfer.id} had been made before: nothing was added`;
    const answer = output.says(Object.assign({ granted: made ? amount : '0' }, holding));
    return answer`${done}; ${holding.account} has ${holding.available} ${environment} credits available.`;
  });

  const show = credits
    .command('show')
    .description('show balances: what there is, what is held for open requests, what can be spent')
    .addOption(accountOption());
  administers(show, async (admin, { account }: AccountOption) => {
    const accounts = account === undefined ? await admin.get(AccountStore).list() : [await admin.account(account)];
    const holdings = [];
    for (const one of accounts) holdings.push(...(await holdingsOf(admin, one)));
    const columns = { account: 'account', environment: 'environment', balance: 'balance', held: 'held', available: 'available' } as const;
    return output.list(holdings, columns);
  });

  return credits;
}

function parseGrant(text: string): string {
  const amount = parseAmount(text);
  if (amount === '0') throw new InvalidArgumentError('Give an amount above 0.');
  return amount;
}

async function holdingsOf(admin: Administration, { id, name }: Account) {
  const balances = await admin.credits.balances(id);
  return balances.map((balance) => Object.assign({ account_id: id, account: name }, balanceView(balance)));
}
