import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Connection } from './client.ts';
import { codeRun } from './code-run.ts';
import type { Gateway, GatewayOptions } from './gateway.ts';
import { bytesOf, requireOk, sleep } from './load.ts';
import { median, saturate } from './measure.ts';
import { cpuMicros } from './processes.ts';
import { small } from './requests.ts';

/** Seconds of load before, and how many single requests are counted. */
const WARM_UP = 8;
const REQUESTS = 15;
/** Milliseconds without a request before each of them, and in which it and what follows from it are counted. */
const SILENCE = 1000;
const COUNTED = 300;

/** How many of the places that run most are told. */
const PLACES = 20;

const COUNTERS = ['instructions', 'cache-misses'];

/**
 * What one request takes after a second of silence, and what code it runs.
 * @param root the folder of the repository
 * @param file what the recorded code is kept in
 */
export async function silence(
  freshGateway: (options: GatewayOptions) => Promise<Gateway>,
  root: string,
  file: string,
  print: (line: string) => void,
): Promise<void> {
  print(`\nsilence: one request of 1 KB after ${SILENCE / 1000} s without any`);
  const plain = await freshGateway({});
  try {
    await saturate(plain, small, 16, WARM_UP);
    await micros(plain, print);
    await counters(plain, print);
  } finally {
    await plain.stop();
  }
  const preload = `${pathToFileURL(join(import.meta.dirname, 'coverage-recorder.ts')).href}?file=${encodeURIComponent(file)}`;
  const recorded = await freshGateway({ flags: ['--import', preload] });
  try {
    await code(recorded, root, file, print);
  } finally {
    await recorded.stop();
  }
}

async function micros(gateway: Gateway, print: (line: string) => void): Promise<void> {
  const during = async (action: () => Promise<unknown>): Promise<number> => {
    await sleep(SILENCE);
    const before = cpuMicros(gateway.pid);
    await Promise.all([action(), sleep(COUNTED)]);
    return cpuMicros(gateway.pid) - before;
  };
  const one = single(gateway);
  const [idle, busy] = [[] as number[], [] as number[]];
  for (let turn = 0; turn < REQUESTS; turn++) {
    idle.push(await during(() => Promise.resolve()));
    busy.push(await during(one.ask));
  }
  one.close();
  const list = busy.map((value) => value.toFixed(0)).join(', ');
  print(
    `  CPU, all threads         ${(median(busy) - median(idle)).toFixed(0).padStart(7)} µs more than ${median(idle).toFixed(0)} (${list})`,
  );
}

/** Hardware counters, where the machine has them: many virtual ones do not. */
async function counters(gateway: Gateway, print: (line: string) => void): Promise<void> {
  const events = COUNTERS.join(',');
  const probe = spawnSync('perf', ['stat', '-x', ',', '-e', events, 'true'], { encoding: 'utf8' });
  if (probe.status !== 0 || /<not (supported|counted)>/.test(probe.stderr))
    return print(`  ${COUNTERS.join(' and ')}: this machine has no hardware counters for perf stat`);
  const one = single(gateway);
  const counted = async (action: () => Promise<unknown>): Promise<number[]> => {
    await sleep(SILENCE);
    const perf = spawn('perf', ['stat', '-x', ',', '-e', events, '-p', String(gateway.pid), '--', 'sleep', String(COUNTED / 1000)]);
    let text = '';
    perf.stderr.on('data', (data: Buffer) => (text += data.toString()));
    await Promise.all([action(), once(perf, 'close')]);
    return COUNTERS.map((_, index) => Number(text.split('\n')[index]?.split(',')[0]));
  };
  // perf takes some milliseconds until it counts.
  const asked = await counted(() => sleep(COUNTED / 3).then(one.ask));
  const idle = await counted(() => Promise.resolve());
  one.close();
  COUNTERS.forEach((name, index) => print(`  ${name.padEnd(24)} ${(asked[index]! - idle[index]!).toFixed(0).padStart(10)}`));
}

async function code(gateway: Gateway, root: string, file: string, print: (line: string) => void): Promise<void> {
  const one = single(gateway);
  let taken = 0;
  const take = async (): Promise<Profiler.ScriptCoverage[]> => {
    process.kill(gateway.pid, 'SIGUSR2');
    taken++;
    while (!existsSync(`${file}.${taken}`)) await sleep(20);
    return JSON.parse(readFileSync(`${file}.${taken}`, 'utf8')) as Profiler.ScriptCoverage[];
  };
  process.kill(gateway.pid, 'SIGUSR2');
  await sleep(500);
  // The first ones compile what they need, with counters.
  for (let turn = 0; turn < 20; turn++) await one.ask();
  await sleep(SILENCE);
  await take();
  await one.ask();
  await sleep(COUNTED);
  const { functions, bytes, places } = codeRun(await take(), root);
  one.close();
  const line = (name: string, of: { functions: number; bytes: number }): void =>
    print(`  ${name.padEnd(24)} ${String(of.functions).padStart(7)} functions ${String(of.bytes).padStart(8)} bytes of source`);
  line('code run', { functions, bytes });
  for (const [name, place] of Array.from(places)
    .toSorted(([, a], [, b]) => b.bytes - a.bytes)
    .slice(0, PLACES))
    line(`  ${name}`, place);
}

function single(gateway: Gateway): { ask: () => Promise<void>; close: () => void } {
  const connection = new Connection(gateway.port);
  const bytes = bytesOf(gateway, small);
  return { ask: async () => requireOk(await connection.request(bytes)), close: () => connection.close() };
}
