/**
 * npm run test:faults [-- --help]
 *
 * Breaks the gateway on purpose, one line at a time, and demands that specs notice.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Copy, root, type SpecResult } from './copy.ts';
import { type Fault, faults } from './faults.ts';
import { programOptions } from '../support/program-options.ts';

const help = `npm run test:faults [-- options]

Deliberate faults of one line each, in copies of the checkout, one at a time: the specs that are named beside a fault have to fail by an assertion. They
pass without it, which is shown first. Ends with 1 where a fault is not found, and where the line that it replaces is not there any more. Faults that
test:all finds need PostgreSQL and Chromium.

  --only PATTERN   faults whose kind, name or command match the regular expression, in any case of letters
  --at-once 2      faults that are tried at the same time
  --list           only names them
  --help
`;

const values = programOptions(help, {
  list: { type: 'boolean', default: false },
  only: { type: 'string', default: '' },
  'at-once': { type: 'string', default: '2' },
});

/** Of what a spec says, that are printed. */
const LINES = 20;

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const since = (start: number): string => `${((performance.now() - start) / 1000).toFixed(0)} s`.padStart(5);

/** @returns why it cannot be tried */
function outdated({ file, line, specs }: Fault): string | undefined {
  const missing = [file, ...specs].find((path) => !existsSync(join(root, path)));
  if (missing !== undefined) return `there is no ${missing}`;
  const found = readFileSync(join(root, file), 'utf8')
    .split('\n')
    .filter((text) => text.trim() === line).length;
  return found === 1 ? undefined : `${file} has the line ${found} times: ${line}`;
}

const excerptOf = (result?: SpecResult): string => result?.message.trim().split('\n').slice(0, LINES).join('\n') ?? 'It has not run.';

/** @returns whether the specs of these faults, which are run alike, pass without any */
async function pass(copy: Copy, alike: readonly Fault[]): Promise<boolean> {
  const start = performance.now();
  const { command, tests } = alike[0]!;
  const specs = [...new Set(alike.flatMap((fault) => fault.specs))];
  const results = await copy.run(command, specs, tests);
  const failing = specs.filter((spec) => !results.get(spec)?.passed);
  const which = `${specs.length === 1 ? specs[0] : `${specs.length} spec files`} of \`npm run ${command}\``;
  print(`${since(start)}  ${which}: ${failing.length === 0 ? 'pass without faults' : `${failing.length} FAIL WITHOUT A FAULT`}`);
  for (const spec of failing) print(excerptOf(results.get(spec)));
  return failing.length === 0;
}

/** @returns whether all of its specs have failed by an assertion */
async function isFound(copy: Copy, fault: Fault): Promise<boolean> {
  const start = performance.now();
  const results = await copy.try(fault);
  const silent = fault.specs.filter((spec) => !results.get(spec)?.failed);
  const failed = fault.specs.map((spec) => `${spec} (${results.get(spec)?.failed ?? 0})`);
  print(`${since(start)}  ${silent.length > 0 ? 'NOT FOUND' : 'found'}  ${fault.kind}: ${fault.name}: ${failed.join(', ')}`);
  for (const spec of silent) print(excerptOf(results.get(spec)));
  return silent.length === 0;
}

async function main(): Promise<number> {
  const pattern = new RegExp(values.only, 'i');
  const chosen = faults.filter(({ kind, name, command }) => pattern.test(`${kind}: ${name} (${command})`));
  if (values.list) for (const { kind, name, command } of chosen) print(`${kind}: ${name} (${command})`);
  const wrong = chosen.flatMap((fault) => outdated(fault) ?? []);
  for (const reason of wrong) print(reason);
  if (wrong.length > 0) return 1;
  if (values.list) return 0;
  const atOnce = Math.min(Number(values['at-once']), chosen.length);
  if (!(atOnce >= 1)) throw new Error('nothing to do: see --help');
  const start = performance.now();
  const copies = Array.from({ length: atOnce }, () => new Copy());
  process.once('exit', () => copies.forEach((copy) => copy.remove()));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  /** @returns of how many things it holds, each of which is tried in one of the copies */
  const count = async <Thing>(things: readonly Thing[], holds: (copy: Copy, thing: Thing) => Promise<boolean>): Promise<number> => {
    const queue = things.values();
    let counted = 0;
    const work = async (copy: Copy): Promise<void> => {
      for (const thing of queue) if (await holds(copy, thing)) counted++;
    };
    await Promise.all(copies.map(work));
    return counted;
  };
  const runs = [...Map.groupBy(chosen, ({ command, tests }) => `${command} ${tests}`).values()];
  if ((await count(runs, pass)) < runs.length) return 1;
  const found = await count(chosen, isFound);
  print(`${since(start)}  ${found} of ${chosen.length} found`);
  return found === chosen.length ? 0 : 1;
}

process.exit(await main());
