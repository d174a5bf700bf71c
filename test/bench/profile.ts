import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import type { HeapProfiler, Profiler } from 'node:inspector';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Gateway, GatewayOptions } from './gateway.ts';
import { sleep } from './load.ts';
import { latency, saturate, streaming } from './measure.ts';
import { cpuByThread } from './processes.ts';
import { bytesOf, type Shares, timesOf } from './profile-table.ts';
import { KB, small } from './requests.ts';
import { kinds, keyWith } from './rules.ts';
import { afterAnswer, type Frame, ownerOf, owners, type Step, stepOf, steps } from './steps.ts';
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
  rules: {
    each: 'request of 1 KB by a key with all rules, 16 connections',
    warmUp: WARM_UP,
    run: async (gateway, seconds) => saturated(16)(await withRules(gateway), seconds),
  },
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

const ruled = new Map<Gateway, Promise<string>>();

/** The same gateway, asked with a key that has all rules. */
async function withRules(gateway: Gateway): Promise<Gateway> {
  const key = ruled.get(gateway) ?? keyWith(gateway, 'ruled', kinds['all']!);
  ruled.set(gateway, key);
  return { ...gateway, key: await key };
}

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
  for (const [name, { each, warmUp, run }] of Object.entries(loads)) {
    if (!which.test(name)) continue;
    const file = join(out, name);
    const preload = `${pathToFileURL(join(import.meta.dirname, 'profiler.ts')).href}?file=${encodeURIComponent(file)}`;
    const gateway = await freshGateway({ flags: ['--import', preload] });
    try {
      if (warmUp > 0) await run(gateway, warmUp);
      const timed = await profiled(gateway, `${file}.cpuprofile`, run);
      const counted = await profiled(gateway, `${file}.heapprofile`, run);
      print(`\n${name}: ${each}`);
      const tables = <Name extends string>(names: readonly Name[], nameOf: (stack: Iterable<Frame>, root: string) => Name) => {
        const times = timesOf(timed.profile as Profiler.Profile, timed.cpu.get(MAIN)!, (stack) => nameOf(stack, root));
        const bytes = bytesOf(counted.profile as HeapProfiler.SamplingHeapProfile, (stack) => nameOf(stack, root));
        const ofMain = perOne(times, timed.count);
        table(names, ofMain, perOne(bytes, counted.count), print);
        return ofMain;
      };
      threads(tables(steps, stepOf), timed, print);
      print('  whose code');
      tables(owners, ownerOf);
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

function perOne<Name extends string>({ parts, sum }: Shares<Name>, count: number): Shares<Name> {
  return { parts: new Map([...parts].map(([name, amount]) => [name, amount / count])), sum: sum / count };
}

function table<Name extends string>(names: readonly Name[], times: Shares<Name>, bytes: Shares<Name>, print: (line: string) => void): void {
  const line = (name: string, micros: number, allocated: number): void =>
    print(`  ${name.padEnd(24)} ${micros.toFixed(1).padStart(7)} µs ${allocated.toFixed(0).padStart(8)} bytes`);
  for (const name of names) line(name, times.parts.get(name) ?? 0, bytes.parts.get(name) ?? 0);
  line('main thread', times.sum, bytes.sum);
}

const MAIN = 'node-MainThread';

/** Threads on which V8 compiles, collects and takes samples; all others store. */
const OF_V8 = /^(node|v8:)/;

function threads({ parts }: Shares<Step>, { cpu, count }: Profiled, print: (line: string) => void): void {
  const line = (name: string, micros: number): void => print(`  ${name.padEnd(24)} ${micros.toFixed(1).padStart(7)} µs`);
  let behind = afterAnswer.reduce((sum, step) => sum + (parts.get(step) ?? 0), 0);
  for (const [thread, micros] of cpu) {
    if (thread === MAIN || micros / count < 0.05) continue;
    line(`thread ${thread}`, micros / count);
    if (!OF_V8.test(thread)) behind += micros / count;
  }
  line('behind the answer', behind);
}
