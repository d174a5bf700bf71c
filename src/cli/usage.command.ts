import { Command, InvalidArgumentError, Option } from 'commander';
import { usageDimensions, type UsageDimension } from '../billing/usage-report.js';
import { type ChargesView, chargesView, usageView } from '../billing/usage-view.js';
import { administering } from './administer.js';
import { chargeTable } from './charge-table.js';
import {
  accountOption,
  type AccountOption,
  environmentOption,
  type EnvironmentOption,
  isoTime,
  parseTime,
  projectOption,
} from './common-options.js';
import type { Output } from './output.js';

const DAY_MS = 86_400_000;

const choices = `${usageDimensions.join(', ')}, or metadata.<name> of the keys`;

interface UsageOptions extends AccountOption, Partial<EnvironmentOption> {
  project?: string;
  key?: string;
  model?: string;
  day?: number;
  since?: number;
  until?: number;
  by: UsageDimension[];
  components?: true;
}

export function usageCommand(output: Output): Command {
  const administers = administering(output);
  const usage = new Command('usage')
    .description('sums of what was used and charged')
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
    );
  administers(usage, async (admin, { by, components, key, model, env: environment, ...options }: UsageOptions) => {
    const accountId = await admin.accountId(options.account);
    const project = await admin.projectId(options.project, accountId);
    const which = { project, key, model, environment, ...period(options) };
    if (components) {
      const charges = chargesView(await admin.usage.components(accountId, which));
      return [charges, () => explain(output, charges)];
    }
    const sums = await admin.usage.sums(accountId, { by, ...which }, Number.MAX_SAFE_INTEGER - 1);
    const names: Partial<Record<UsageDimension, Map<string, string>>> = {
      account: await admin.accountNames(),
      project: await admin.projectNames(),
    };
    const views = sums.map(usageView);
    const titles = [...by, 'requests', 'prompt tokens', 'completion tokens', 'credits', 'uncollected'];
    const rows = views.map(({ requests, prompt_tokens, completion_tokens, credits, uncollected }, row) => {
      const { of } = sums[row]!;
      const keys = by.map((dimension) => (names[dimension] ? names[dimension].get(of[dimension]!) : of[dimension]));
      return [...keys, requests, prompt_tokens, completion_tokens, credits, uncollected];
    });
    return [views, () => output.table(titles, rows)];
  });
  return usage;
}

function explain(output: Output, { components, saved_by_cache: saved }: ChargesView): void {
  chargeTable(output, components);
  if (saved !== '0') output.line`\nThe providers’ caches have saved ${saved} credits.`;
}

function period({ day, since, until }: Pick<UsageOptions, 'day' | 'since' | 'until'>) {
  const [from, to] = day === undefined ? [since, until] : [day, day + DAY_MS];
  return { since: timeText(from), until: timeText(to) };
}

function timeText(time: number | undefined): string | undefined {
  return time === undefined ? undefined : isoTime(time);
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
