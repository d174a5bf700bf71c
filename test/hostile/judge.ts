import type { Attack, Found } from './attack.ts';
import type { Report } from './bystander-process.ts';
import { megabytes, percentile, ratio } from './figures.ts';
import { ROUNDING } from './prices.ts';

/** Of what is due, unless an attack says something else. */
const SHARE = [0.95, 1] as const;
/** Times as much CPU and memory a body may take as an ordinary conversation of its size, or as it has bytes. */
const CPU_TIMES = 5;
const MEMORY_TIMES = 4;
/** Seconds and bytes that a process may take beside: a garbage collection, and the young generation of its heap. */
const CPU_BESIDE = 0.15;
const MEMORY_BESIDE = 96 * 1024 * 1024;

/** What is expected of the machine that the gateway runs on. */
export interface Bounds {
  /** Milliseconds that 99 of 100 of the bystander's requests may take. */
  readonly within: number;
  /** Times as long as usual that everything may take. */
  readonly slowness: number;
  /** Seconds of the main thread for a megabyte of an ordinary conversation. */
  readonly ordinary: number;
}

interface Charged {
  /** Nano-credits. */
  readonly due: bigint;
  readonly charged: bigint;
  readonly requests: bigint;
}

export function judgeCharge({ share = SHARE, most }: Found, { due, charged, requests }: Charged): string[] {
  const part = (of: number): bigint => (due * BigInt(Math.round(of * 1000))) / 1000n;
  const rounding = (requests || 1n) * ROUNDING;
  if (charged + rounding < part(share[0])) return [`charged ${ratio(charged, due)} of due, at least ${share[0]}`];
  if (charged > (most ?? part(share[1])) + rounding) return [`charged ${ratio(charged, most ?? due)} of due, at most ${share[1]}`];
  return [];
}

export function judgeBystander({ stops }: Attack, { quiet, neighbour, failures }: Report, { within }: Bounds): string[] {
  if (stops) return [];
  const broken: string[] = [];
  if (failures.length > 0) {
    const what = failures.map(([failure, count]) => `${count} x ${failure}`).join(', ');
    broken.push(`bystanders failed, of ${quiet.length + neighbour.length}: ${what}`);
  }
  const p99 = percentile(quiet, 0.99);
  if (p99 > within) broken.push(`bystander's p99 ${p99.toFixed(0)} ms`);
  return broken;
}

/** @param bytes of the body on the wire */
export function judgeWork(bytes: number, { cpu, memory }: { cpu: number; memory: number }, { ordinary, slowness }: Bounds): string[] {
  const broken: string[] = [];
  const mostCpu = CPU_TIMES * ordinary * (bytes / 1e6) + CPU_BESIDE * slowness;
  if (cpu > mostCpu) broken.push(`${cpu.toFixed(2)} s of CPU, at most ${mostCpu.toFixed(2)}`);
  const mostMemory = MEMORY_TIMES * bytes + MEMORY_BESIDE;
  if (memory > mostMemory) broken.push(`${megabytes(memory)} MB more memory, at most ${megabytes(mostMemory)}`);
  return broken;
}
