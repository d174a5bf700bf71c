import type { Bench } from './bench.ts';
import { Load, type Shape } from './load.ts';
import { latency, median } from './measure.ts';
import type { Target } from './processes.ts';

/**
 * Seconds that one turn counts: several flushes of the ledger and collections of garbage. A shared machine becomes
 * faster and slower within seconds, so that many short turns tell more than a few long ones.
 */
const SECONDS = 0.25;
/** Milliseconds until the ledger has written what the turn before had ended. */
const LEAD_IN = 60;
/** Seconds until V8 has compiled what is hot. */
const WARM_UP = 6;

/** What both of a pair carry. */
export interface PairedLoad {
  readonly shape: Shape;
  readonly connections: number;
  /** Seconds that one turn counts. */
  readonly seconds?: number;
  /** Seconds before the first turn. */
  readonly warmUp?: number;
}

/** The CPU of a request at `second` by that at `first`, in turns, of which every other one begins with `second`. */
export async function pairs(first: Target, second: Target, count: number, load: PairedLoad): Promise<number[]> {
  const { shape, connections, seconds = SECONDS, warmUp = WARM_UP } = load;
  const loads = [first, second].map((target) => new Load(target, shape, connections));
  const { pieces = 0, paceMs = 0 } = shape.stream ?? {};
  const ratios: number[] = [];
  try {
    if (warmUp > 0) for (const each of loads) await each.run(warmUp);
    for (let pair = 0; pair < count; pair++) {
      const cpu = [Number.NaN, Number.NaN];
      for (const turn of turnsOf(pair)) cpu[turn] = (await loads[turn]!.run(seconds, LEAD_IN + pieces * paceMs)).cpu;
      ratios.push(cpu[1]! / cpu[0]!);
    }
  } finally {
    for (const each of loads) each.close();
  }
  return ratios;
}

/** The median latency of lonely requests at `second` by that at `first`. */
export async function latencyPairs(first: Target, second: Target, count: number, shape: Shape): Promise<number[]> {
  const targets = [first, second];
  await latency(targets, shape, 50, 3);
  const ratios: number[] = [];
  for (let pair = 0; pair < count; pair++) {
    const order = turnsOf(pair);
    const found = await latency(
      order.map((turn) => targets[turn]!),
      shape,
      50,
      2,
    );
    const [ofFirst, ofSecond] = [0, 1].map((turn) => median(found[order.indexOf(turn)]!));
    ratios.push(ofSecond! / ofFirst!);
  }
  return ratios;
}

/** The order of a pair: every other one begins with the second. */
export const turnsOf = (pair: number): number[] => (pair % 2 === 0 ? [0, 1] : [1, 0]);

/**
 * Between which of so many sorted values, by their indices, the median of all that there could be lies with a
 * probability of 95 % at least, however they are distributed: by the binomial distribution. Needs 6.
 */
function medianBetween(count: number): [number, number] {
  let below = 0;
  let term = 0.5 ** count;
  for (let sum = term; sum <= 0.025; sum += term) term *= (count - below) / ++below;
  return [below - 1, count - below];
}

/** A row of how many per cent dearer the second of the pairs is. */
export function addInterval({ add }: Pick<Bench, 'add'>, name: string, atMost: number, ratios: readonly number[], what: string): void {
  const percent = ratios.map((ratio) => 100 * (ratio - 1)).toSorted((a, b) => a - b);
  const [from, to] = medianBetween(percent.length).map((index) => percent[index]!.toFixed(2));
  add({
    name,
    value: median(percent),
    unit: '%',
    target: { atMost },
    detail: `95 %: ${from} to ${to} %; the median of ${percent.length} ${what}`,
  });
}
