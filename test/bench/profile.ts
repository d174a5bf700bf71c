import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Gateway, GatewayOptions } from './gateway.ts';
import { type LoadResult, saturate, sleep, streaming } from './measure.ts';
import { selfTimes } from './profile-table.ts';
import { small } from './requests.ts';
import { FLAT } from './streams.ts';

const root = resolve(import.meta.dirname, '../..');

/** Seconds of load before a profile, and of a profile. */
const WARM_UP = 12;
const SECONDS = 8;
/** Share of the busy time below which a group is one of the others. */
const LEAST = 0.005;

const loads: Readonly<Record<string, { each: string; load: (gateway: Gateway, seconds: number) => Promise<LoadResult> }>> = {
  request: { each: 'request of 1 KB, 64 connections', load: (gateway, seconds) => saturate(gateway, small, 64, seconds) },
  stream: { each: 'chunk, flat out', load: (gateway, seconds) => streaming(gateway, FLAT.shape, FLAT.streams, seconds) },
};

/**
 * Where the main thread spends its time: a table of its self time for requests and one for a stream, and the profiles
 * in files.
 * @param print gets the lines
 */
export async function profile(freshGateway: (options: GatewayOptions) => Promise<Gateway>, print: (line: string) => void): Promise<void> {
  const out = mkdtempSync(join(tmpdir(), 'switchyard-profile-'));
  for (const [name, { each, load }] of Object.entries(loads)) {
    const file = join(out, `${name}.cpuprofile`);
    const preload = `${pathToFileURL(join(import.meta.dirname, 'profiler.ts')).href}?file=${encodeURIComponent(file)}`;
    const gateway = await freshGateway({ flags: ['--import', preload] });
    try {
      await load(gateway, WARM_UP);
      process.kill(gateway.pid, 'SIGUSR2');
      const { rate, cpu } = await load(gateway, SECONDS);
      process.kill(gateway.pid, 'SIGUSR2');
      const found = await profileIn(file);
      print(`\n${each}: ${cpu.toFixed(cpu < 10 ? 2 : 0)} µs of CPU, all threads, the profiler's included; ${rate.toFixed(0)} /s`);
      table(found, rate, print);
      print(`  ${file}`);
    } finally {
      await gateway.stop();
    }
  }
}

async function profileIn(file: string): Promise<Profiler.Profile> {
  while (!existsSync(file)) await sleep(100);
  return JSON.parse(readFileSync(file, 'utf8')) as Profiler.Profile;
}

/** @param rate of requests or chunks, a second */
function table(found: Profiler.Profile, rate: number, print: (line: string) => void): void {
  const { groups, busy, idle } = selfTimes(found, root);
  const each = (1e6 * busy) / (busy + idle) / rate;
  const line = (name: string, micros: number): void => {
    const share = micros / busy;
    print(`  ${name.padEnd(40)} ${(100 * share).toFixed(1).padStart(5)} % ${(share * each).toFixed(each < 10 ? 3 : 1).padStart(6)} µs`);
  };
  const ordered = [...groups].toSorted(([, a], [, b]) => b - a);
  const large = ordered.filter(([, micros]) => micros >= LEAST * busy);
  const sum = (some: typeof ordered): number => some.reduce((all, [, micros]) => all + micros, 0);
  for (const [name, micros] of large) line(name, micros);
  line(`others, ${ordered.length - large.length}`, sum(ordered.slice(large.length)));
  line('all of src', sum(ordered.filter(([name]) => name.startsWith('src'))));
  line('main thread', busy);
}
