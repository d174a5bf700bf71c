/**
 * Bounds of time, CPU and memory were measured on a quiet machine of two cores (AMD EPYC, Node 24.21). With
 * `SWITCHYARD_QUIET_MACHINE=1` they are taken as they are; anywhere else they are multiplied, so that a machine of half
 * the speed with busy neighbours meets them too.
 */
const isQuiet = process.env['SWITCHYARD_QUIET_MACHINE'] === '1';

/** Milliseconds of CPU that `reference` takes there. */
const REFERENCE_MS = 80;

/**
 * Times as much CPU and memory as there that neighbours may cost: caches and cores are shared, garbage waits longer.
 */
const BUSY = { time: 2.5, ratio: 2, memory: 1.5 };

export interface Allowance {
  /** For bounds of milliseconds. It grows with the time that a reference computation takes on this machine. */
  readonly time: number;
  /** For bounds of CPU by other CPU that is measured on this machine. */
  readonly ratio: number;
  /** For bounds of bytes. */
  readonly memory: number;
  /** For bounds of milliseconds of CPU that are far above what neighbours cost: times as slow as the machine there. */
  readonly slowness: number;
}

let known: Allowance | undefined;

/** By how much the bounds of this run are multiplied. */
export function allowance(): Allowance {
  return (known ??= isQuiet ? { time: 1, ratio: 1, memory: 1, slowness: 1 } : busy(slowness()));
}

function busy(times: number): Allowance {
  return { ...BUSY, time: BUSY.time * times, slowness: times };
}

/** How many times its CPU a computation takes now, because others want the cores too. */
export function crowding(): number {
  if (isQuiet) return 1;
  const began = performance.now();
  const cpu = reference();
  return Math.max(1, (performance.now() - began) / cpu);
}

/** Times as long as on the machine of the bounds; 1 at least. */
function slowness(): number {
  const times = Array.from({ length: 5 }, reference).toSorted((one, other) => one - other);
  return Math.max(1, times[2]! / REFERENCE_MS);
}

/** @returns milliseconds of CPU for what bodies are made of: JSON, objects, a look at each byte */
function reference(): number {
  const before = process.threadCpuUsage();
  const json = JSON.stringify(Array.from({ length: 20_000 }, (_, index) => ({ name: `n${index}`, value: [index, `${index}`] })));
  const bytes = Buffer.from(json);
  let sum = 0;
  for (let time = 0; time < 4; time++) sum += (JSON.parse(json) as unknown[]).length;
  for (let time = 0; time < 8; time++) for (const byte of bytes) sum = (31 * sum + byte) | 0;
  const { user, system } = process.threadCpuUsage(before);
  // What is computed has to be used.
  return (user + system) / 1_000 + (sum === 0.5 ? 1 : 0);
}
