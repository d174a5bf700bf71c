import { printChecks } from '../support/program-options.ts';
import type { Tally } from './compare.ts';
import type { Options, Outcome } from './run.ts';

/** Nano-credits as credits. */
const credits = (nano: bigint): string => (Number(nano) / 1e9).toFixed(9);

/**
 * Prints what was found.
 * @returns whether every target was met
 */
export function report(options: Options, outcome: Outcome): boolean {
  const { comparison } = outcome;
  const { settled, inFlight, unknown } = comparison;
  const print = (line: string) => process.stdout.write(`${line}\n`);
  print(
    `\n${options.engine === 'postgres' ? `PostgreSQL, ${options.gateways} gateways` : 'SQLite, one gateway'}, ${options.clients} clients, ` +
      `lease ${options.lease} ms, seed ${options.seed}: ${outcome.requests} requests in ${outcome.seconds.toFixed(0)} s\n`,
  );
  for (const counts of [outcome.faults, outcome.statuses]) {
    for (const [what, times] of [...counts].sort(([one], [other]) => one.localeCompare(other)))
      print(`  ${what.slice(0, 80).padEnd(80)} ${String(times).padStart(6)}`);
    print('');
  }
  print(['requests'.padEnd(24), ...['number', 'due', 'charged', 'uncollected', 'short', 'over'].map((name) => name.padStart(16))].join(''));
  const row = (name: string, { requests, due, charged, uncollected, short, over }: Tally) =>
    print(
      [
        name.padEnd(24),
        ...[String(requests), ...[due, charged, uncollected, short, over].map(credits)].map((text) => text.padStart(16)),
      ].join(''),
    );
  row('not in flight at a kill', settled);
  row('in flight at a kill', inFlight);
  row('nobody was answered', unknown);
  print('');

  const checks = checksOf(options, outcome);
  const met = printChecks(checks);
  for (const line of [...comparison.examples, ...outcome.troubles.slice(0, 10)]) print(`  ${line}`);
  if (!met) for (const line of outcome.log) print(`  ${line}`);
  return met;
}

/** What must hold, whether it did, and the figures. */
export function checksOf(options: Options, outcome: Outcome): [string, boolean, string][] {
  const { comparison, stranded } = outcome;
  const { settled, inFlight, unknown } = comparison;
  const over = settled.over + inFlight.over + unknown.over;
  const paid = settled.charged + inFlight.charged + settled.uncollected + inFlight.uncollected;
  const owed = settled.due + inFlight.due - inFlight.short;
  return [
    ['gateways killed', outcome.kills >= options.kills, `${outcome.kills} times`],
    ['overcharged', over === 0n, `${credits(over)} credits`],
    [
      'not in flight at a kill: exact',
      settled.requests > 0 && settled.inexact === 0,
      `${settled.requests - settled.inexact} of ${settled.requests}`,
    ],
    [
      'in flight at a kill: short by one write at most',
      comparison.tooShort === 0,
      `${inFlight.inexact} of ${inFlight.requests} short, by ${credits(inFlight.short)} credits; ${comparison.tooShort} by more than a write`,
    ],
    ['charged and uncollected are what was delivered', paid === owed, `${credits(paid)} of ${credits(owed)} credits`],
    [
      'uncollected only beyond a hold, or where outages left no time to renew its lease',
      comparison.unexplained === 0,
      `${credits(settled.uncollected + inFlight.uncollected)} credits, ${comparison.unexplained} unexplained; ${comparison.lapses} leases ` +
        `lapsed, ${comparison.neglected} with time to renew them, ${comparison.longestChance.toFixed(0)} ms at most`,
    ],
    [
      'nothing is held after the lease’s time',
      stranded === undefined,
      stranded
        ? `${stranded.leases} leases, ${credits(stranded.reserved)} credits, ${stranded.inflight} requests`
        : `all back after ${outcome.returnedAfter.toFixed(0)} ms`,
    ],
    [
      'snapshots with a negative balance or a broken sum',
      outcome.snapshots > 0 && outcome.badSnapshots === 0,
      `${outcome.badSnapshots} of ${outcome.snapshots}`,
    ],
    ['ledger verified', outcome.verified, ''],
    ['answers and ends as they must be', outcome.troubles.length === 0, `${outcome.troubles.length} others`],
  ];
}
