import type { Bench, Measurement } from './bench.ts';
import { Load } from './load.ts';
import { median } from './measure.ts';
import type { Target } from './processes.ts';
import { small } from './requests.ts';

const CONNECTIONS = 16;
/**
 * Seconds that one turn counts: several flushes of the ledger and collections of garbage. A shared machine becomes
 * faster and slower within seconds, so that many short turns tell more than a few long ones.
 */
const SECONDS = 0.25;
/** Milliseconds until the ledger has written what the turn before had ended. */
const LEAD_IN = 60;
/** Seconds until V8 has compiled what is hot. */
const WARM_UP = 6;
/** Per cent of CPU by which prices may make a request dearer. */
const AT_MOST = 2;

/** The CPU of a request at `second` by that at `first`, in turns, of which every other one begins with `second`. */
async function pairs(first: Target, second: Target, count: number): Promise<number[]> {
  const loads = [first, second].map((target) => new Load(target, small, CONNECTIONS));
  const ratios: number[] = [];
  try {
    for (const load of loads) await load.run(WARM_UP);
    for (let pair = 0; pair < count; pair++) {
      const cpu = [Number.NaN, Number.NaN];
      for (const turn of pair % 2 === 0 ? [0, 1] : [1, 0]) cpu[turn] = (await loads[turn]!.run(SECONDS, LEAD_IN)).cpu;
      ratios.push(cpu[1]! / cpu[0]!);
    }
  } finally {
    for (const load of loads) load.close();
  }
  return ratios;
}

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

function addInterval({ add }: Pick<Bench, 'add'>, name: string, ratios: readonly number[], what: string): void {
  const percent = ratios.map((ratio) => 100 * (ratio - 1)).toSorted((a, b) => a - b);
  const [from, to] = medianBetween(percent.length).map((index) => percent[index]!.toFixed(2));
  add({
    name,
    value: median(percent),
    unit: '%',
    target: { atMost: AT_MOST },
    detail: `95 %: ${from} to ${to} %; the median of ${percent.length} ${what}`,
  });
}

/**
 * In one process, where only the price differs: the same answer, of which one price charges all tokens at two numbers.
 */
const components: Measurement = {
  name: 'prices: components',
  oursOnly: true,
  fullOnly: true,
  ownProcesses: true,
  async run(bench) {
    const gateway = await bench.freshGateway();
    try {
      const [numbers, parts] = ['numbers', 'components'].map((model): Target => ({ ...gateway, model }));
      const ratios = await pairs(numbers!, parts!, bench.full ? 400 : 150);
      addInterval(bench, 'a request at a price of components, by two numbers', ratios, 'pairs in one process');
    } finally {
      await gateway.stop();
    }
  },
};

/**
 * Two builds, of which each is started anew for each round: what a process happens to compile differs by some per cent.
 */
const before: Measurement = {
  name: 'prices: another build',
  oursOnly: true,
  fullOnly: true,
  ownProcesses: true,
  async run(bench) {
    const { before: program } = bench;
    if (program === undefined) return;
    const ratios: number[] = [];
    for (let round = 0; round < (bench.full ? 12 : 6); round++) {
      const theirs = await bench.freshGateway({ program });
      const ours = await bench.freshGateway();
      try {
        ratios.push(median(await pairs(theirs, ours, 40)));
      } finally {
        await ours.stop();
        await theirs.stop();
      }
    }
    addInterval(bench, 'a request at two numbers, by another build', ratios, 'pairs of processes');
  },
};

export const priceMeasurements: readonly Measurement[] = [components, before];
