import type { Bench, Measurement } from './bench.ts';
import { latency, type LoadResult, median, percentile, saturate, type Shape } from './measure.ts';
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
): Promise<void> {
  const pairs: { base: LoadResult; ours: LoadResult }[] = [];
  for (let round = 0; round < rounds; round++) pairs.push({ base: await run(baseline), ours: await run(gateway) });
  const middle = (pick: (result: LoadResult) => number, who: 'base' | 'ours') => median(pairs.map((pair) => pick(pair[who])));
  if (!Number.isNaN(gateway.pid)) {
    add({
      name: `${name}: CPU`,
      value: median(pairs.map(({ base, ours }) => ours.cpu / base.cpu)),
      unit: 'x',
      target: promised.cpu === undefined ? undefined : { atMost: promised.cpu },
      detail: `${middle(({ cpu }) => cpu, 'ours').toFixed(1)} against ${middle(({ cpu }) => cpu, 'base').toFixed(1)} µs`,
    });
  }
  add({
    name: `${name}: throughput`,
    value: median(pairs.map(({ base, ours }) => ours.rate / base.rate)),
    unit: 'x',
    target: promised.rate === undefined ? undefined : { atLeast: promised.rate },
    detail: `${middle(({ rate }) => rate, 'ours').toFixed(0)} against ${middle(({ rate }) => rate, 'base').toFixed(0)} /s`,
  });
}

const KB = 1000;
export const small: Shape = { promptBytes: 0.7 * KB };

const requests = (name: string, promptBytes: number, concurrency: number, promised: Promised, fullOnly = false): Measurement => ({
  name,
  fullOnly,
  run: (bench) => compare(bench, name, (target) => saturate(target, { promptBytes }, concurrency, bench.seconds), promised),
});

const addedLatency: Measurement = {
  name: 'latency at 50 requests/s',
  async run(bench) {
    const [direct, base, ours] = await latency([bench.upstream, bench.baseline, bench.gateway], small, 50, bench.full ? 30 : 9);
    for (const share of [0.5, 0.99]) {
      const [d, b, o] = [direct, base, ours].map((samples) => percentile(samples!, share));
      bench.add({
        name: `latency at 50/s over the baseline's: p${share * 100}`,
        value: o! - b!,
        unit: 'ms',
        target: share === 0.5 ? { atMost: 0.15 } : undefined,
        detail: `direct ${d!.toFixed(2)}, baseline ${b!.toFixed(2)}, gateway ${o!.toFixed(2)} ms`,
      });
    }
  },
};

/** Requests that are not streamed. */
export const requestMeasurements: readonly Measurement[] = [
  ...[1, 16, 64, 256].map((concurrency) =>
    requests(
      `1 KB, ${concurrency} connections`,
      small.promptBytes,
      concurrency,
      concurrency === 64 ? { cpu: 1, rate: 1 } : {},
      concurrency !== 64,
    ),
  ),
  addedLatency,
  requests('10 KB prompt', 10 * KB, 16, {}, true),
  requests('100 KB prompt', 100 * KB, 16, { cpu: 1.2 }),
  requests('1 MB prompt', 1000 * KB, 4, { cpu: 1.2 }),
];

/**
 * Seconds of load in which V8 compiles what is hot, on the core that the target is measured on: a request costs twice
 * as much before.
 */
const WARM_UP = { baseline: { requests: 5, stream: 2 }, gateway: { requests: 12, stream: 4 } };

/** Both have compiled their hot code before the first of them is measured. */
export async function warmUp(bench: Bench): Promise<void> {
  for (const who of ['baseline', 'gateway'] as const) {
    await saturate(bench[who], small, 32, WARM_UP[who].requests);
    await saturate(bench[who], { promptBytes: 500, stream: { pieces: 100, paceMs: 0, mode: 'flat' } }, 8, WARM_UP[who].stream);
  }
}
