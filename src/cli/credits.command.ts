import { Command, InvalidArgumentError } from 'commander';
import { type Balance, type Grant, repeats } from '../billing/credit-store.js';
import { formatCredits, parseCredits } from '../common/credits.js';
import { CommandError } from './command-error.js';
import { accountOption, type CommonOptions, environmentOption, type EnvironmentOption, withCommonOptions } from './common-options.js';
import { Operator } from './operator.js';
import type { Output } from './output.js';

interface GrantOptions extends CommonOptions, EnvironmentOption {
  account: string;
  note?: string;
  id?: string;
}

interface Holding extends Balance {
  readonly accountId: string;
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
      const { granted, holding } = await Operator.with(config, async (operator) => {
        const account = await operator.account(name);
        const log = operator.audit('credits grant', { accountId: account.id, fields: ['environment', 'amount', 'note'] });
        const grant = { accountId: account.id, environment, amount, note, id };
        const made = await operator.credits.grant(grant, log);
        if (!made) await requireRepetition(operator, grant);
        const balance = (await operator.credits.balances(account.id)).find((candidate) => candidate.environment === environment)!;
        return { granted: made, holding: { ...balance, accountId: account.id, account: account.name } };
      });
      if (json) return output.json({ granted: granted ? formatCredits(amount) : '0', ...toJson(holding) });
      const done = granted ? `Granted ${formatCredits(amount)} credits` : `The grant ${id} had been made before: nothing was added`;
      output.line`${done}; ${holding.account} has ${formatCredits(holding.available)} ${environment} credits available.`;
    });

  withCommonOptions(credits.command('show').description('show balances: what there is, what is held for open requests, what can be spent'))
    .addOption(accountOption())
    .action(async ({ config, json, account }: CommonOptions & { account?: string }) => {
      const holdings = await Operator.with(config, async (operator) => {
        const accounts = account === undefined ? await operator.accounts.list() : [await operator.account(account)];
        const found: Holding[] = [];
        for (const { id, name } of accounts)
          for (const balance of await operator.credits.balances(id)) found.push({ ...balance, accountId: id, account: name });
        return found;
      });
      if (json) return output.json(holdings.map(toJson));
      output.table(
        ['account', 'environment', 'balance', 'held', 'available'],
        holdings.map((one) => [
          one.account,
          one.environment,
          formatCredits(one.posted),
          formatCredits(one.held),
          formatCredits(one.available),
        ]),
      );
    });

  return credits;
}

/** @throws CommandError where the id of a grant that was not made is that of another one */
async function requireRepetition(operator: Operator, grant: Grant): Promise<void> {
  const made = (await operator.credits.transfer(grant.id!))!;
  if (repeats(grant, made)) return;
  const { name } = await operator.account(made.accountId);
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

function toJson({ accountId, account, environment, posted, held, available }: Holding) {
  return {
    account_id: accountId,
    account,
    environment,
    balance: formatCredits(posted),
    held: formatCredits(held),
    available: formatCredits(available),
  };
}
