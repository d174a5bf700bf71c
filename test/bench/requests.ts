import type { Bench, Measurement } from './bench.ts';
import { FIRST, Load, type LoadResult, type Shape } from './load.ts';
import { latency, median, percentile, saturate, streaming } from './measure.ts';
import type { Target } from './processes.ts';

interface Promised {
  readonly cpu?: number;
  readonly rate?: number;
}

/** Baseline and gateway in turn; the medians of the ratios are quoted. */
export async function compare(
  { baseline, gateway, rounds, add }: Pick<Bench, 'baseline' | 'gateway' | 'rounds' | 'add'>,
  name: string,
  run: (target: Target) => Promise<LoadResult>,
  promised: Promised,
): Promise<{ ours: number }> {
  const pairs: { base: LoadResult; ours: LoadResult }[] = [];
  for (let round = 0; round < rounds; round++) pairs.push({ base: await run(baseline), ours: await run(gateway) });
  const middle = (pick: (result: LoadResult) => number, who: 'base' | 'ours') => median(pairs.map((pair) => pick(pair[who])));
  const ours = middle(({ cpu }) => cpu, 'ours');
  if (!Number.isNaN(gateway.pid)) {
    add({
      name: `${name}: CPU`,
      value: median(pairs.map((pair) => pair.ours.cpu / pair.base.cpu)),
      unit: 'x',
      target: promised.cpu === undefined ? undefined : { atMost: promised.cpu },
      detail: `${ours.toFixed(1)} against ${middle(({ cpu }) => cpu, 'base').toFixed(1)} µs`,
    });
  }
  add({
    name: `${name}: throughput`,
    value: median(pairs.map((pair) => pair.ours.rate / pair.base.rate)),
    unit: 'x',
    target: promised.rate === undefined ? undefined : { atLeast: promised.rate },
    detail: `${middle(({ rate }) => rate, 'ours').toFixed(0)} against ${middle(({ rate }) => rate, 'base').toFixed(0)} /s`,
  });
  return { ours };
}

export const KB = 1000;
export const small: Shape = { promptBytes: 0.7 * KB };

/** Seconds of a load before its requests count as warm: in them V8 compiles what is hot. */
const WARM_UP = { baseline: 3, gateway: 10 };
/** What the first requests of a load may cost, by the warm ones. */
const FIRST_BY_WARM = 1.5;
/** Of how many seconds are the slices of the first seconds, and how many are there. */
const SLICE = { seconds: 0.5, count: 3 };

interface Kind {
  readonly name: string;
  readonly promptBytes: number;
  readonly connections: number;
  readonly promised: Promised;
  /** Of the CPU in the first seconds. */
  readonly firstSeconds?: number;
}

const kinds: readonly Kind[] = [
  { name: '1 KB, 16 connections', promptBytes: 0.7 * KB, connections: 16, promised: { cpu: 1.3, rate: 0.75 }, firstSeconds: 1.7 },
  { name: '1 KB, 1 connection', promptBytes: 0.7 * KB, connections: 1, promised: { cpu: 1.4 }, firstSeconds: 1.8 },
  { name: '1 KB, 64 connections', promptBytes: 0.7 * KB, connections: 64, promised: { cpu: 1.3 }, firstSeconds: 1.6 },
  { name: '1 KB, 256 connections', promptBytes: 0.7 * KB, connections: 256, promised: { cpu: 1.4 }, firstSeconds: 1.8 },
  { name: '10 KB prompt, 16 connections', promptBytes: 10 * KB, connections: 16, promised: { cpu: 1.4 } },
  { name: '100 KB prompt, 16 connections', promptBytes: 100 * KB, connections: 16, promised: { cpu: 1.2 } },
  { name: '1 MB prompt, 4 connections', promptBytes: 1000 * KB, connections: 4, promised: { cpu: 0.8 } },
];

/** One kind of load in its first seconds, and later when it is warm. */
class Requests implements Measurement {
  readonly name: string;
  readonly #kind: Kind;
  /** Microseconds of CPU for one of the first requests. */
  #first = Number.NaN;

  constructor(kind: Kind) {
    this.name = kind.name;
    this.#kind = kind;
  }

  async first(bench: Bench): Promise<void> {
    const { baseline, gateway } = bench;
    const { promptBytes, connections, firstSeconds } = this.#kind;
    if (Number.isNaN(gateway.pid)) return;
    const [base, ours] = [baseline, gateway].map((target) => new Load(target, { promptBytes }, connections)) as [Load, Load];
    const pairs: { base: number; ours: number }[] = [];
    for (let slice = 0; slice < SLICE.count; slice++)
      pairs.push({ base: (await base.run(SLICE.seconds)).cpu, ours: (await ours.run(SLICE.seconds)).cpu });
    for (const load of [base, ours]) {
      await load.finishFirst();
      load.close();
    }
    this.#first = ours.first;
    const list = (values: readonly number[]) => values.map((micros) => micros.toFixed(0)).join(', ');
    bench.add({
      name: `${this.name}, first seconds: CPU`,
      value: median(pairs.map((pair) => pair.ours / pair.base)),
      unit: 'x',
      target: firstSeconds === undefined ? undefined : { atMost: firstSeconds },
      detail: `${list(pairs.map((pair) => pair.ours))} against ${list(pairs.map((pair) => pair.base))} µs`,
    });
  }

  async run(bench: Bench): Promise<void> {
    const { promptBytes, connections, promised } = this.#kind;
    const carry = (target: Target, seconds: number) => saturate(target, { promptBytes }, connections, seconds);
    for (const who of ['baseline', 'gateway'] as const) await carry(bench[who], WARM_UP[who]);
    const { ours } = await compare(bench, this.name, (target) => carry(target, bench.seconds), promised);
    if (Number.isNaN(this.#first)) return;
    bench.add({
      name: `${this.name}: first ${FIRST} by warm ones`,
      value: this.#first / ours,
      unit: 'x',
      target: { atMost: FIRST_BY_WARM },
      detail: `${this.#first.toFixed(0)} against ${ours.toFixed(0)} µs`,
    });
  }
}

/** After the loads of 1 KB, so that both are warm. */
const lonely: Measurement = {
  name: 'latency at 50 requests/s',
  async run(bench) {
    const [direct, base, ours] = await latency([bench.upstream, bench.baseline, bench.gateway], small, 50, bench.full ? 30 : 12);
    for (const [share, atMost] of [
      [0.5, 1.2],
      [0.99, 1.5],
    ] as const) {
      const [d, b, o] = [direct, base, ours].map((samples) => percentile(samples!, share)) as [number, number, number];
      bench.add({
        name: `latency added at 50 requests/s: p${share * 100}`,
        value: (o - d) / (b - d),
        unit: 'x',
        target: { atMost },
        detail: `direct ${d.toFixed(2)}, baseline ${b.toFixed(2)}, gateway ${o.toFixed(2)} ms`,
      });
    }
  },
};

/** What a process that has answered nothing yet takes, in which V8 has compiled nothing that a request needs. */
const unused: Measurement = {
  name: 'new process',
  oursOnly: true,
  ownProcesses: true,
  async run(bench) {
    const first = async (target: Target): Promise<number> => {
      const load = new Load(target, small, 16);
      try {
        await load.finishFirst();
        return load.first;
      } finally {
        load.close();
        await target.stop();
      }
    };
    const base = await first(await bench.freshBaseline());
    const ours = await first(await bench.freshGateway());
    bench.add({
      name: `first ${FIRST} requests of a new process: CPU`,
      value: ours / base,
      unit: 'x',
      detail: `${ours.toFixed(0)} against ${base.toFixed(0)} µs, 1 KB, 16 connections`,
    });
  },
};

/** Requests that are not streamed. */
export const requestMeasurements: readonly Measurement[] = [...kinds.map((kind) => new Requests(kind)), lonely, unused];

/**
 * Puts both to use, by other loads than those that are measured: first seconds are those of a kind of load, not those
 * of a process.
 */
export async function use({ baseline, gateway }: Pick<Bench, 'baseline' | 'gateway'>): Promise<void> {
  for (const target of [baseline, gateway]) {
    await saturate(target, { promptBytes: 3 * KB }, 4, 5);
    await streaming(target, { pieces: 20, paceMs: 5, mode: 'paced' }, 8, 2);
  }
}
