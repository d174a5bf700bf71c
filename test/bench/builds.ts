import type { Measurement } from './bench.ts';
import type { Gateway } from './gateway.ts';
import { median } from './measure.ts';
import { addInterval, latencyPairs, type PairedLoad, pairs, turnsOf } from './pairs.ts';
import type { Target } from './processes.ts';
import { KB, small } from './requests.ts';
import { FLAT, PACED } from './streams.ts';

/** Per cent of CPU by which a change may make a request dearer. */
const AT_MOST = 2;

interface Kind extends PairedLoad {
  readonly name: string;
  /** Pairs of one round. */
  readonly count?: number;
}

const kinds: readonly Kind[] = [
  { name: '1 KB, 1 connection', shape: small, connections: 1 },
  { name: '1 KB, 16 connections', shape: small, connections: 16 },
  { name: '1 KB, 64 connections', shape: small, connections: 64 },
  { name: '1 KB, 256 connections', shape: small, connections: 256 },
  { name: '10 KB, 16 connections', shape: { promptBytes: 10 * KB }, connections: 16 },
  { name: '100 KB, 16 connections', shape: { promptBytes: 100 * KB }, connections: 16 },
  { name: '1 MB, 4 connections', shape: { promptBytes: 1000 * KB }, connections: 4, seconds: 0.5 },
  {
    name: 'stream, paced',
    shape: { promptBytes: 500, stream: PACED.shape },
    connections: PACED.streams,
    seconds: 1,
    warmUp: 3,
    count: 6,
  },
  { name: 'stream, flat out', shape: { promptBytes: 500, stream: FLAT.shape }, connections: FLAT.streams },
];

/**
 * Two builds, of which each is started anew for each round, because what a process happens to compile differs by some
 * per cent. Each is started first in every other round. A round's value is the median of its pairs.
 */
function otherBuild(name: string, compare: (theirs: Target, ours: Target) => Promise<number[]>): Measurement {
  return {
    name: `another build: ${name}`,
    oursOnly: true,
    fullOnly: true,
    ownProcesses: true,
    async run(bench) {
      const { before: program } = bench;
      if (program === undefined) return;
      const ratios: number[] = [];
      for (let round = 0; round < (bench.full ? 12 : 6); round++) {
        const started: Gateway[] = [];
        try {
          for (const turn of turnsOf(round)) started[turn] = await bench.freshGateway(turn === 0 ? { program } : {});
          ratios.push(median(await compare(started[0]!, started[1]!)));
        } finally {
          for (const gateway of Object.values(started)) await gateway.stop();
        }
      }
      addInterval(bench, `${name}, by another build`, AT_MOST, ratios, 'pairs of processes');
    },
  };
}

/** With `--before`. */
export const buildMeasurements: readonly Measurement[] = [
  ...kinds.map((kind) => otherBuild(kind.name, (theirs, ours) => pairs(theirs, ours, kind.count ?? 24, kind))),
  otherBuild('latency at 50 requests/s', (theirs, ours) => latencyPairs(theirs, ours, 8, small)),
];
