/**
 * npm run hostile [-- --help]
 *
 * Plays the customer and the provider against a real gateway with a heap of 1 GB, and compares what was got, what was
 * due and what was charged.
 */
import { join } from 'node:path';
import { TemporaryPostgres } from '../../src/database/testing/temporary-postgres.ts';
import { attacks } from './attacks.ts';
import { run, WITHIN } from './run.ts';
import { table } from './table.ts';
import { programOptions } from '../support/program-options.ts';

const help = `npm run hostile [-- options]

A customer who wants tokens for nothing, or the gateway down, and a provider that plays along, against the built gateway in a process of its own
with a heap of 1 GB. A bystander in another process asks 40 small questions a second. Ends with 1 where a row breaks its bound.

  charged    0.95 to 1.00 of what the provider has counted and of roundings; where the client has left, the shares that billing/README.md names
  bystander  p99 of 250 ms at most, no failures
  work       CPU of the main thread at most 5 times that of an ordinary conversation of that size, memory 4 times the bytes
  gateway    alive, its ledger verified

  --store both        sqlite, postgres or both
  --only PATTERN      attacks whose group and name match the regular expression
  --short             the rows of continuous integration
  --within ${WITHIN}        milliseconds that 99 of 100 of the bystander's requests may take; with more, all else may take as many times as long
  --seed 1            of the generated bodies and of the order of what clients do
  --list              only names the attacks
  --program dist      folder of the build
`;

const values = programOptions(help, {
  list: { type: 'boolean', default: false },
  store: { type: 'string', default: 'both' },
  only: { type: 'string', default: '' },
  short: { type: 'boolean', default: false },
  within: { type: 'string', default: String(WITHIN) },
  seed: { type: 'string', default: '1' },
  program: { type: 'string', default: join(import.meta.dirname, '../../dist') },
});

async function main(): Promise<void> {
  const pattern = new RegExp(values.only, 'i');
  const chosen = attacks.filter(({ group, name, short }) => pattern.test(`${group} ${name}`) && (!values.short || short));
  if (values.list) return void process.stdout.write(chosen.map(({ group, name }) => `${group}: ${name}\n`).join(''));
  const engines = (['sqlite', 'postgres'] as const).filter((engine) => values.store === 'both' || values.store === engine);
  if (engines.length === 0 || chosen.length === 0) throw new Error('nothing to do: see --help');
  for (const engine of engines) {
    if (engine === 'postgres' && !TemporaryPostgres.available) {
      process.stdout.write('No PostgreSQL is installed: nothing is known about it.\n');
      process.exitCode = 1;
      continue;
    }
    const began = performance.now();
    const rows = await run({
      engine,
      program: values.program,
      seed: Number(values.seed),
      short: values.short,
      within: Number(values.within),
      attacks: chosen,
      progress: (line) => void process.stderr.write(`  ${line}\n`),
    });
    const seconds = ((performance.now() - began) / 1000).toFixed(0);
    process.stdout.write(`\n${engine === 'postgres' ? 'PostgreSQL' : 'SQLite'}, seed ${values.seed}, ${seconds} s\n\n${table(rows)}\n`);
    if (rows.some(({ broken }) => broken.length > 0)) process.exitCode = 1;
  }
}

await main();
process.exit();
