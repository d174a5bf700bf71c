/** npm run bench -- --help */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Bench, Measurement } from './bench.ts';
import { buildMeasurements } from './builds.ts';
import { embeddingMeasurements } from './embeddings.ts';
import { floorMeasurements } from './floors.ts';
import { formatMeasurements } from './formats.ts';
import { ledgerMeasurements } from './ledger.ts';
import { listMeasurements } from './lists.ts';
import { type Gateway, type GatewayOptions, startGateway } from './gateway.ts';
import { help, type Options, readOptions } from './options.ts';
import { components } from './prices.ts';
import { processMeasurements } from './process-costs.ts';
import { listenerOf, LOAD_CORE, pin, pinned, start, type Target, TARGET_CORE } from './processes.ts';
import { profile } from './profile.ts';
import { requestMeasurements, use } from './requests.ts';
import { isMet, lineOf, type Row } from './row.ts';
import { ruleMeasurements } from './rules.ts';
import { type Sample, soak } from './soak.ts';
import { streamMeasurements } from './streams.ts';
import { workerMeasurements } from './workers.ts';

const measurements: readonly Measurement[] = [
  ...requestMeasurements,
  ...streamMeasurements,
  ...formatMeasurements,
  ...embeddingMeasurements,
  ...processMeasurements,
  ...ledgerMeasurements,
  ...listMeasurements,
  components,
  ...ruleMeasurements,
  ...buildMeasurements,
  ...floorMeasurements,
  ...workerMeasurements,
];

/** The source of a pattern that was not given. */
const NO_PATTERN = '(?:)';

function chosen({ full, only, against }: Options): Measurement[] {
  return measurements.filter(
    ({ name, fullOnly, oursOnly }) => only.test(name) && (full || !fullOnly || only.source !== NO_PATTERN) && !(against && oursOnly),
  );
}

const script = (name: string) => join(import.meta.dirname, name);
const portIn = (output: string) => (/^\d+\n/.test(output) ? { port: Number.parseInt(output, 10) } : undefined);
const root = resolve(import.meta.dirname, '../..');
const say = (text: string): void => void process.stderr.write(`${text}\n`);

function otherGateway({ port, key, model }: NonNullable<Options['against']>): Target {
  const pid = listenerOf(port);
  if (Number.isNaN(pid)) say(`no process is known to listen on port ${port}: no CPU rows`);
  else pin(pid, TARGET_CORE);
  return { name: 'gateway', pid, port, key, model, startMs: Number.NaN, stop: () => Promise.resolve() };
}

interface Result {
  readonly rows: readonly Row[];
  readonly samples?: readonly Sample[];
}

async function run(options: Options): Promise<Result> {
  const rows: Row[] = [];
  const running: Target[] = [];
  const keep = <T extends Target>(target: T): T => {
    running.push(target);
    return target;
  };
  try {
    pin(process.pid, LOAD_CORE);
    const upstream = keep(await start('provider', [script('upstream.ts'), String(options.providerPort)], LOAD_CORE, {}, portIn));
    const freshBaseline = (): Promise<Target> =>
      start('baseline', [script('baseline.ts'), `http://127.0.0.1:${upstream.port}`], TARGET_CORE, { cwd: root }, portIn);
    const freshGateway = (more: GatewayOptions = {}): Promise<Gateway> => startGateway(upstream, more);
    if (options.soak !== undefined) {
      return await soak(keep(await freshGateway()), options.soak, say);
    }
    if (options.profile) {
      const program = options.before ?? root;
      await profile(
        (more) => freshGateway({ program, ...more }),
        program,
        options.only,
        (line) => process.stdout.write(`${line}\n`),
      );
      return { rows };
    }
    const bench: Bench = {
      full: options.full,
      rounds: 5,
      seconds: options.full ? 4 : 0.7,
      upstream,
      baseline: keep(await freshBaseline()),
      gateway: options.against ? otherGateway(options.against) : keep(await freshGateway()),
      add(row) {
        rows.push(row);
        process.stdout.write(`${lineOf(row)}\n`);
      },
      before: options.before,
      freshGateway,
      freshBaseline,
      floor: (kind) => start(kind, [script('floor.ts'), `http://127.0.0.1:${upstream.port}`, kind], TARGET_CORE, { cwd: root }, portIn),
    };
    say(pinned ? 'target on core 0, load and provider on core 1' : 'cores are not pinned: taskset is missing, or there is one core');
    const measured = chosen(options);
    const timed = async (what: string, action: () => Promise<void> | undefined): Promise<void> => {
      const began = performance.now();
      await action();
      say(`    ${((performance.now() - began) / 1000).toFixed(1)} s for ${what}`);
    };
    if (!measured.every(({ ownProcesses }) => ownProcesses)) await timed('other loads before the first', () => use(bench));
    for (const measurement of measured)
      if (measurement.first) await timed(`${measurement.name}, first seconds`, () => measurement.first?.(bench));
    for (const measurement of measured) await timed(measurement.name, () => measurement.run(bench));
    return { rows };
  } finally {
    for (const target of running.toReversed()) await target.stop();
  }
}

async function main(): Promise<void> {
  const options = readOptions();
  if (options.help) return void process.stdout.write(help);
  if (options.list) return void process.stdout.write(`${measurements.map(({ name }) => name).join('\n')}\n`);
  const began = performance.now();
  const limit = options.soak === undefined ? (options.full || options.only.source !== NO_PATTERN ? 60 : 15) : options.soak + 10;
  setTimeout(() => {
    say(`not done in ${limit} minutes`);
    process.exit(1);
  }, limit * 60_000).unref();
  const { rows, samples } = await run(options);
  if (options.profile) return;
  const missed = rows.filter((row) => isMet(row) === false);
  const seconds = Math.round((performance.now() - began) / 1000);
  // Elsewhere standard output holds the table already: only on a terminal is it interleaved with what standard error
  // tells.
  if (process.stdout.isTTY || options.soak !== undefined) process.stdout.write(`\n${rows.map(lineOf).join('\n')}\n`);
  process.stdout.write(`\n${rows.length} rows, ${missed.length} outside their target, ${seconds} s\n`);
  if (options.json !== undefined) {
    const report = { at: new Date().toISOString(), node: process.version, pinned, full: options.full, seconds };
    const judged = rows.map((row) => ({ ...row, met: isMet(row) }));
    writeFileSync(options.json, `${JSON.stringify({ ...report, rows: judged, samples }, null, 2)}\n`);
  }
  if (missed.length > 0) process.exitCode = 1;
}

await main();
