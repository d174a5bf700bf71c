import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseRules, type RulesDto } from '../auth/rules/rules.dto.js';
import { keyOperations } from '../wire/operations.js';

export interface RulesOptions {
  rules?: RulesDto;
  allowModel?: string[];
  denyModel?: string[];
  allowProvider?: string[];
  denyProvider?: string[];
  operation?: RulesDto['operations'];
  address?: string[];
  rpm?: number;
  tpm?: number;
  concurrency?: number;
  lowerMaxTokens?: boolean;
  budget?: RulesDto['budgets'];
}

const help = `
Rules: what none of the options names is not restricted. --rules takes all of them as JSON, and replaces those there are:
  {"models": {"allow": ["gpt-*"], "deny": ["*-pro"]}, "addresses": ["10.0.0.0/8"], "requests_per_minute": 60}
The other options replace the part that they name and leave the rest. In patterns * stands for any characters.`;

/** Adds the options with which the rules of a key, a project or an account are said. */
export function withRulesOptions(command: Command): Command {
  const many = (flags: string, description: string) =>
    new Option(flags, `${description}; may be repeated`).argParser((text: string, before?: string[]) => [...(before ?? []), text]);
  const rate = (flags: string, description: string) => new Option(flags, description).argParser(parseCount);
  return command
    .option('--rules <json>', 'rules as JSON, or a file that has them', parseRulesText)
    .addOption(many('--allow-model <pattern>', 'only models of such ids'))
    .addOption(many('--deny-model <pattern>', 'no models of such ids'))
    .addOption(many('--allow-provider <pattern>', 'only these providers'))
    .addOption(many('--deny-provider <pattern>', 'not these providers'))
    .addOption(many('--operation <name>', `only these of ${keyOperations.join(', ')}`))
    .addOption(many('--address <range>', 'only clients here, as 203.0.113.7 or 10.0.0.0/8'))
    .addOption(rate('--rpm <number>', 'requests a minute'))
    .addOption(rate('--tpm <number>', 'tokens a minute'))
    .addOption(rate('--concurrency <number>', 'requests that are answered at the same time'))
    .option('--lower-max-tokens', "lower a max_tokens beyond a model's to it instead of refusing it")
    .option('--no-lower-max-tokens', 'refuse it, also where the operator lowers it for all')
    .option('--budget <window=credits>', 'day=1.5, month=20 or ever=100; may be repeated', parseBudget)
    .addHelpText('after', help);
}

/**
 * The rules that the options come to.
 * @param current those there are
 * @returns undefined where no option says anything of rules
 * @throws InvalidArgumentError
 */
export function rulesOf(options: RulesOptions, current: RulesDto = {}): RulesDto | undefined {
  const {
    rules = current,
    allowModel,
    denyModel,
    allowProvider,
    denyProvider,
    operation,
    address,
    rpm,
    tpm,
    concurrency,
    lowerMaxTokens,
    budget,
  } = options;
  const models = { ...(allowModel && { allow: allowModel }), ...(denyModel && { deny: denyModel }) };
  const providers = { ...(allowProvider && { allow: allowProvider }), ...(denyProvider && { deny: denyProvider }) };
  const own = {
    ...(Object.keys(models).length > 0 && { models: Object.assign({}, rules.models, models) }),
    ...(Object.keys(providers).length > 0 && { providers: Object.assign({}, rules.providers, providers) }),
    ...(operation && { operations: operation }),
    ...(address && { addresses: address }),
    ...(rpm !== undefined && { requests_per_minute: rpm }),
    ...(tpm !== undefined && { tokens_per_minute: tpm }),
    ...(concurrency !== undefined && { concurrency }),
    ...(lowerMaxTokens !== undefined && { lower_max_tokens: lowerMaxTokens }),
    ...(budget && { budgets: Object.assign({}, rules.budgets, budget) }),
  };
  if (options.rules === undefined && Object.keys(own).length === 0) return undefined;
  try {
    return parseRules(Object.assign({}, rules, own));
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

function parseRulesText(text: string): RulesDto {
  try {
    return parseRules(JSON.parse(text.trimStart().startsWith('{') ? text : readFileSync(text, 'utf8')));
  } catch (error) {
    throw new InvalidArgumentError(`${(error as Error).message}.`);
  }
}

function parseCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError('Give a whole number above 0.');
  return count;
}

function parseBudget(text: string, before: RulesDto['budgets'] = {}): RulesDto['budgets'] {
  const [, window, credits] = /^(day|month|ever)=(.+)$/.exec(text) ?? [];
  if (window === undefined) throw new InvalidArgumentError('Give a budget as day=1.5, month=20 or ever=100.');
  return Object.assign({}, before, { [window]: credits });
}
