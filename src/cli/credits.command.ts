import { Command, InvalidArgumentError } from 'commander';
import { type BalanceView, balanceView } from '../admin/credits/credit.dto.js';
import { type Account, AccountStore } from '../auth/account-store.js';
import { CreditStore, type Grant, repeats } from '../billing/credit-store.js';
import { formatCredits, parseCredits } from '../common/credits.js';
import { administer } from './administer.js';
import type { Administration } from './administration.js';
import { CommandError } from './command-error.js';
import { accountOption, type CommonOptions, environmentOption, type EnvironmentOption, withCommonOptions } from './common-options.js';
import type { Output } from './output.js';

interface GrantOptions extends CommonOptions, EnvironmentOption {
  account: string;
  note?: string;
  id?: string;
}

interface Holding extends BalanceView {
  readonly account_id: string;
  readonly account: string;
}

export function creditsCommand(output: Output): Command {
  const credits = new Command('credits').description('prepaid credits, in exact decimals');

  withCommonOptions(
    credits.command('grant').description('add credits to an account').argument('<amount>', 'credits, at most 9 decimals', parseAmount),
  )
    .addOption(accountOption().makeOptionMandatory())
    .addOption(environmentOption().default('live'))
    .option('--note <text>', 'why')
    .option('--id <id>', 'a name for this grant: repeating it under the same name adds nothing, and no other grant can have it')
    .action(async (amount: bigint, { config, json, account: name, env: environment, note, id }: GrantOptions) => {
      const { granted, holding } = await administer({ config }, 'credits grant', async (admin) => {
        const account = await admin.account(name);
        const grant = { accountId: account.id, environment, amount, note, id };
        const log = admin.audit({ accountId: account.id, fields: ['environment', 'amount', 'note'] });
        const made = await admin.get(CreditStore).grant(grant, log);
        if (!made) await requireRepetition(admin, grant);
        return { granted: made, holding: (await holdingsOf(admin, account)).find((one) => one.environment === environment)! };
      });
      if (json) return output.json({ granted: granted ? formatCredits(amount) : '0', ...holding });
      const done = granted ? `Granted ${formatCredits(amount)} credits` : `The grant ${id} had been made before: nothing was added`;
      output.line`${done}; ${holding.account} has ${holding.available} ${environment} credits available.`;
    });

  withCommonOptions(credits.command('show').description('show balances: what there is, what is held for open requests, what can be spent'))
    .addOption(accountOption())
    .action(async ({ config, json, account }: CommonOptions & { account?: string }) => {
      const holdings = await administer({ config }, 'credits show', async (admin) => {
        const accounts = account === undefined ? await admin.get(AccountStore).list() : [await admin.account(account)];
        const found: Holding[] = [];
        for (const one of accounts) found.push(...(await holdingsOf(admin, one)));
        return found;
      });
      output.list(json, holdings, {
        account: 'account',
        environment: 'environment',
        balance: 'balance',
        held: 'held',
        available: 'available',
      });
    });

  return credits;
}

/** @throws CommandError where the id of a grant that was not made is that of another one */
async function requireRepetition(admin: Administration, grant: Grant): Promise<void> {
  const made = (await admin.get(CreditStore).transfer(grant.id!))!;
  if (repeats(grant, made)) return;
  const { name } = await admin.accounts.get(made.accountId);
  throw new CommandError(
    `nothing was added: the grant '${made.id}' of before was ${formatCredits(made.amount)} ${made.environment} credits for ${name}: ` +
      'give this one another --id',
  );
}

function parseAmount(text: string): bigint {
  try {
    const amount = parseCredits(text);
    if (amount > 0n) return amount;
  } catch (error) {
    throw new InvalidArgumentError(`That is ${(error as Error).message}.`);
  }
  throw new InvalidArgumentError('Give an amount above 0.');
}

async function holdingsOf(admin: Administration, { id, name }: Account): Promise<Holding[]> {
  const balances = await admin.credits.balances(id);
  return balances.map((balance) => Object.assign({ account_id: id, account: name }, balanceView(balance)));
}
