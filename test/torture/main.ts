/**
 * npm run torture [-- --help]
 *
 * Real gateways under load are killed, paused and cut off from their store, again and again. What clients received is
 * compared with what was charged.
 */
import { join } from 'node:path';
import { TemporaryPostgres } from '../../src/database/testing/temporary-postgres.ts';
import { cutPower } from './power-cut.ts';
import { report } from './report.ts';
import { type Options, run } from './run.ts';
import { programOptions } from '../support/program-options.ts';

/** Many times as long as a quiet machine needs. */
const SECONDS_A_KILL = 20;

const help = `npm run torture [-- options]

Several gateways on one PostgreSQL, and one on SQLite, under concurrent clients of a provider whose tokens can be counted. Gateways are killed
(SIGKILL) and paused (SIGSTOP) for longer than their leases live, PostgreSQL is killed and restarted, connections are cut. At the end what clients
received is compared with what was charged. Ends with 1 when a target is missed, and then tells every fault and its time.

The provider counts more than was held of some answers, which is charged as far as the balance goes. Within a hold charges may be left uncollected
where a lease lapsed, which PostgreSQL notes by itself: its gateway must not have had the time to renew it, in any stretch between the outages of the two. On SQLite nothing may: its one gateway keeps its leases, whatever it sleeps through.

  --engine both      sqlite, postgres or both
  --kills 50         gateways to kill, on each engine; the run lasts until they are
  --seconds 1000     on each engine at most, and two minutes more to end; without it, 20 for each kill
  --gateways 3       processes on PostgreSQL
  --clients 24       requests at a time
  --every 1000       milliseconds from one fault to the next, on average
  --lease 2000       milliseconds that a lease lives (store.lease_ttl)
  --late 250         milliseconds that a gateway may be late in renewing one, on a busy machine
  --seed 1           of the faults' order and of what clients ask
  --power-cut 0      instead: cut the power of a gateway on SQLite so often; needs root, mount and mkfs.ext4
  --program dist     folder of the build
`;

const values = programOptions(help, {
  engine: { type: 'string', default: 'both' },
  kills: { type: 'string', default: '50' },
  seconds: { type: 'string' },
  gateways: { type: 'string', default: '3' },
  clients: { type: 'string', default: '24' },
  every: { type: 'string', default: '1000' },
  lease: { type: 'string', default: '2000' },
  late: { type: 'string', default: '250' },
  seed: { type: 'string', default: '1' },
  'power-cut': { type: 'string', default: '0' },
  program: { type: 'string', default: join(import.meta.dirname, '../../dist') },
});

const progress = (line: string): void => void process.stderr.write(`  ${line}\n`);

async function main(): Promise<void> {
  const cuts = Number(values['power-cut']);
  const engines = (['postgres', 'sqlite'] as const).filter((engine) =>
    cuts > 0 ? engine === 'sqlite' : values.engine === 'both' || values.engine === engine,
  );
  if (engines.length === 0) throw new Error(`no engine ${values.engine}`);
  for (const engine of engines) {
    const options: Options = {
      engine,
      program: values.program,
      kills: Number(values.kills),
      seconds: Number(values.seconds ?? SECONDS_A_KILL * Number(values.kills)),
      gateways: Number(values.gateways),
      clients: Number(values.clients),
      every: Number(values.every),
      lease: Number(values.lease),
      late: Number(values.late),
      seed: Number(values.seed),
    };
    if (!(cuts > 0 ? await cutPower(options, cuts, progress) : await torture(options))) process.exitCode = 1;
  }
}

async function torture(options: Options): Promise<boolean> {
  if (options.engine === 'postgres' && !TemporaryPostgres.available) {
    process.stdout.write('No PostgreSQL is installed: nothing is known about it.\n');
    return false;
  }
  const overdue = setTimeout(
    () => {
      process.stdout.write('It does not end.\n');
      process.exit(1);
    },
    (options.seconds + 120) * 1000,
  );
  const outcome = await run(options, progress);
  clearTimeout(overdue);
  return report(options, outcome);
}

await main();
process.exit();
