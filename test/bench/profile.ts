import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import type { HeapProfiler, Profiler } from 'node:inspector';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Gateway, GatewayOptions } from './gateway.ts';
import { sleep } from './load.ts';
import { latency, saturate, streaming } from './measure.ts';
import { cpuByThread } from './processes.ts';
import { type ByStep, bytesOf, timesOf } from './profile-table.ts';
import { KB, small } from './requests.ts';
import { silence } from './silence.ts';
import { afterAnswer, steps } from './steps.ts';
import { FLAT } from './streams.ts';

/** Seconds of load before a profile, and of a profile. */
const WARM_UP = 12;
const SECONDS = 8;

interface Load {
  readonly each: string;
  /** Seconds of it before the profile. */
  readonly warmUp: number;
  /** @returns how many requests or chunks there were */
  readonly run: (gateway: Gateway, seconds: number) => Promise<number>;
}

const saturated =
  (connections: number, shape = small) =>
  async (gateway: Gateway, seconds: number) =>
    (await saturate(gateway, shape, connections, seconds)).all;

const loads: Readonly<Record<string, Load>> = {
  warm: { each: 'request of 1 KB, 16 connections', warmUp: WARM_UP, run: saturated(16) },
  single: { each: 'request of 1 KB, 1 connection', warmUp: WARM_UP, run: saturated(1) },
  body: { each: 'request of 100 KB, 16 connections', warmUp: WARM_UP, run: saturated(16, { promptBytes: 100 * KB }) },
  cold: {
    each: 'request of 1 KB, 50 a second',
    warmUp: 0,
    run: async (gateway, seconds) => (await latency([gateway], small, 50, 2 * seconds))[0]!.length,
  },
  stream: {
    each: 'chunk, flat out',
    warmUp: WARM_UP,
    run: async (gateway, seconds) => (await streaming(gateway, FLAT.shape, FLAT.streams, seconds)).all,
  },
};

/**
 * What the main thread does for a request, or a chunk, step by step: microseconds, and bytes that it allocates. The
 * profiles are left in files.
 * @param root the folder of the build that is profiled
 * @param which loads, by their names
 * @param print gets the lines
 */
export async function profile(
  freshGateway: (options: GatewayOptions) => Promise<Gateway>,
  root: string,
  which: RegExp,
  print: (line: string) => void,
): Promise<void> {
  const out = mkdtempSync(join(tmpdir(), 'switchyard-profile-'));
  if (which.test('silence')) await silence(freshGateway, root, join(out, 'silence'), print);
  for (const [name, { each, warmUp, run }] of Object.entries(loads)) {
    if (!which.test(name)) continue;
    const file = join(out, name);
    const preload = `${pathToFileURL(join(import.meta.dirname, 'profiler.ts')).href}?file=${encodeURIComponent(file)}`;
    const gateway = await freshGateway({ flags: ['--import', preload] });
    try {
      if (warmUp > 0) await run(gateway, warmUp);
      const timed = await profiled(gateway, `${file}.cpuprofile`, run);
      const times = timesOf(timed.profile as Profiler.Profile, root, timed.cpu.get(MAIN)!);
      const counted = await profiled(gateway, `${file}.heapprofile`, run);
      print(`\n${name}: ${each}`);
      const ofMain = perOne(times, timed.count);
      table(ofMain, perOne(bytesOf(counted.profile as HeapProfiler.SamplingHeapProfile, root), counted.count), print);
      threads(ofMain, timed, print);
      print(`  ${file}.cpuprofile, .heapprofile`);
    } finally {
      await gateway.stop();
    }
  }
}

interface Profiled {
  readonly profile: unknown;
  /** How many requests or chunks there were. */
  readonly count: number;
  /** Microseconds of CPU by name of thread. */
  readonly cpu: ReadonlyMap<string, number>;
}

async function profiled(gateway: Gateway, file: string, run: Load['run']): Promise<Profiled> {
  process.kill(gateway.pid, 'SIGUSR2');
  await sleep(200);
  const before = cpuByThread(gateway.pid);
  const count = await run(gateway, SECONDS);
  const cpu = new Map(Array.from(cpuByThread(gateway.pid), ([thread, micros]) => [thread, micros - (before.get(thread) ?? 0)]));
  process.kill(gateway.pid, 'SIGUSR2');
  while (!existsSync(file)) await sleep(100);
  return { profile: JSON.parse(readFileSync(file, 'utf8')), count, cpu };
}

function perOne({ steps: found, sum }: ByStep, count: number): ByStep {
  return { steps: new Map([...found].map(([step, amount]) => [step, amount / count])), sum: sum / count };
}

function table(times: ByStep, bytes: ByStep, print: (line: string) => void): void {
  const line = (name: string, micros: number, allocated: number): void =>
    print(`  ${name.padEnd(24)} ${micros.toFixed(1).padStart(7)} µs ${allocated.toFixed(0).padStart(8)} bytes`);
  for (const step of steps) line(step, times.steps.get(step) ?? 0, bytes.steps.get(step) ?? 0);
  line('main thread', times.sum, bytes.sum);
}

const MAIN = 'MainThread';

/** Threads on which V8 compiles, collects and takes samples; all others store. */
const OF_V8 = /^(MainThread|node|V8Worker|v8:)/;

function threads({ steps: found }: ByStep, { cpu, count }: Profiled, print: (line: string) => void): void {
  const line = (name: string, micros: number): void => print(`  ${name.padEnd(24)} ${micros.toFixed(1).padStart(7)} µs`);
  let behind = afterAnswer.reduce((sum, step) => sum + (found.get(step) ?? 0), 0);
  for (const [thread, micros] of cpu) {
    if (thread === MAIN || micros / count < 0.05) continue;
    line(`thread ${thread}`, micros / count);
    if (!OF_V8.test(thread)) behind += micros / count;
  }
  line('behind the answer', behind);
}
