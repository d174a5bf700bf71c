import { cpus } from 'node:os';
import { TemporaryPostgres } from '../../src/database/testing/temporary-postgres.ts';
import type { Measurement } from './bench.ts';
import { median, saturate } from './measure.ts';
import { small } from './requests.ts';

const COUNTS = [1, 2] as const;
const CONNECTIONS = 64;
/** Seconds until the processes of a gateway have compiled what is hot. */
const WARM_UP = 10;

/** How much more workers carry, on all cores; several share a PostgreSQL, so that one has it too. */
const workers: Measurement = {
  name: 'throughput by number of workers',
  oursOnly: true,
  fullOnly: true,
  ownProcesses: true,
  async run(bench) {
    const postgres = await TemporaryPostgres.start();
    const env = { DATABASE_URL: postgres.url, SWITCHYARD_PEPPER: 'a pepper of at least thirty-two characters' };
    const start = (count: number, key: string | null) =>
      bench.freshGateway({ env: { ...env, SWITCHYARD_WORKERS: String(count) }, core: 'any', key });
    try {
      const rates: number[] = [];
      let key: string | null = null;
      for (const count of COUNTS) {
        const gateway = await start(count, key);
        ({ key } = gateway);
        try {
          await saturate({ ...gateway, pid: Number.NaN }, small, CONNECTIONS, WARM_UP);
          const turns: number[] = [];
          for (let round = 0; round < bench.rounds; round++)
            turns.push((await saturate({ ...gateway, pid: Number.NaN }, small, CONNECTIONS, bench.seconds)).rate);
          rates.push(median(turns));
        } finally {
          await gateway.stop();
        }
      }
      for (const [index, count] of COUNTS.entries())
        bench.add({
          name: `${count} worker${count === 1 ? '' : 's'}, PostgreSQL, 1 KB, ${CONNECTIONS} connections: throughput`,
          value: rates[index]! / rates[0]!,
          unit: 'x',
          detail: `${rates[index]!.toFixed(0)} /s; ${cpus().length} cores, of which load, provider and PostgreSQL take their part`,
        });
    } finally {
      await postgres.stop();
    }
  },
};

export const workerMeasurements: readonly Measurement[] = [workers];
