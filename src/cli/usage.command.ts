import { Command, InvalidArgumentError, Option } from 'commander';
import { usageDimensions, type UsageDimension, type UsageQuery, UsageReport, type UsageSum } from '../billing/usage-report.js';
import { ChargeReport, type ChargeSums } from '../billing/charge-report.js';
import { formatCredits, formatDecimal } from '../common/credits.js';
import { chargesView, usageView } from '../billing/usage-view.js';
import { administer } from './administer.js';
import { chargeTable } from './charge-table.js';
import {
  accountOption,
  type CommonOptions,
  environmentOption,
  type EnvironmentOption,
  parseTime,
  projectOption,
  withCommonOptions,
} from './common-options.js';
import type { Output } from './output.js';

const DAY_MS = 86_400_000;

const choices = `${usageDimensions.join(', ')}, or metadata.<name> of the keys`;

interface UsageOptions extends CommonOptions, Partial<EnvironmentOption> {
  account?: string;
  project?: string;
  key?: string;
  model?: string;
  day?: number;
  since?: number;
  until?: number;
  by: readonly UsageDimension[];
  components?: true;
}

function explain(output: Output, sums: ChargeSums, json: boolean | undefined): void {
  if (json) return output.json(chargesView(sums));
  const { lines, adjustments, saved } = sums;
  chargeTable(output, lines, adjustments);
  if (saved > 0n) output.line`\nThe providers’ caches have saved ${formatDecimal(saved, 12)} credits.`;
}

export function usageCommand(output: Output): Command {
  return withCommonOptions(new Command('usage').description('sums of what was used and charged'))
    .addOption(accountOption())
    .addOption(environmentOption())
    .addOption(projectOption('only of this project, by id or name'))
    .option('-k, --key <id>', 'only of this key')
    .option('-m, --model <model>', 'only of this model')
    .addOption(new Option('-d, --day <day>', 'only of this day, in UTC').argParser(parseTime).conflicts(['since', 'until']))
    .option('-s, --since <time>', 'only from this time on', parseTime)
    .option('-u, --until <time>', 'only before this time', parseTime)
    .option('-b, --by <list>', `sum by ${choices}`, parseDimensions, ['day', 'account', 'model'])
    .addOption(new Option('--components', 'sum by component and price instead: count x price = credits').conflicts('by'))
    .addHelpText(
      'after',
      '\nExamples:\n  switchyard usage --day 2026-11-21 --by key,model\n  switchyard usage --account Acme --by outcome --json\n  switchyard usage --by project,metadata.team',
    )
    .action(async ({ config, json, by, components, ...options }: UsageOptions) => {
      const { charges, sums, names } = await administer({ config }, 'usage', async (admin) => {
        const accountId = await admin.accountId(options.account);
        const projectId = options.project === undefined ? undefined : (await admin.project(options.project, accountId)).id;
        const { key: keyId, env: environment } = options;
        const model = admin.modelId(options.model);
        const query: UsageQuery = { by, accountId, projectId, keyId, model, environment, ...period(options) };
        const report = components ? await admin.get(ChargeReport).sum(query) : undefined;
        const found = { account: await admin.accountNames(), project: await admin.projectNames() };
        return { charges: report, sums: report ? [] : await admin.get(UsageReport).sum(query), names: found };
      });
      if (charges) return explain(output, charges, json);
      if (json) return output.json(sums.map(usageView));
      const cell = (sum: UsageSum, dimension: UsageDimension) =>
        dimension === 'account' || dimension === 'project' ? names[dimension].get(sum.of[dimension]!) : sum.of[dimension];
      output.table(
        [...by, 'requests', 'prompt tokens', 'completion tokens', 'credits', 'uncollected'],
        sums.map((sum) => [
          ...by.map((dimension) => cell(sum, dimension)),
          sum.requests,
          String(sum.promptTokens),
          String(sum.completionTokens),
          formatCredits(sum.amount),
          formatCredits(sum.uncollected),
        ]),
      );
    });
}

function period({ day, since, until }: Pick<UsageOptions, 'day' | 'since' | 'until'>): Pick<UsageQuery, 'since' | 'until'> {
  return day === undefined ? { since, until } : { since: day, until: day + DAY_MS };
}

function parseDimensions(text: string): UsageDimension[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .map((word) => {
      if (/^metadata\../.test(word)) return word as UsageDimension;
      const dimension = usageDimensions.find((known) => known === word);
      if (!dimension) throw new InvalidArgumentError(`Choose from ${choices}.`);
      return dimension;
    });
}
