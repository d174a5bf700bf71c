import { Connection } from './client.ts';
import { bytesOf, Load, type LoadResult, requireOk, type Shape, sleep } from './load.ts';
import type { Target } from './processes.ts';
import { sentAt, type StreamShape } from './stream-shape.ts';

/** Milliseconds of load before counting begins. */
const LEAD_IN = 250;

async function carried(target: Target, shape: Shape, concurrency: number, seconds: number, each: number): Promise<LoadResult> {
  const { pieces = 0, paceMs = 0 } = shape.stream ?? {};
  const load = new Load(target, shape, concurrency);
  try {
    return await load.run(seconds, LEAD_IN + pieces * paceMs, each);
  } finally {
    load.close();
  }
}

/** What `concurrency` connections carry in `seconds`. */
export function saturate(target: Target, shape: Shape, concurrency: number, seconds: number): Promise<LoadResult> {
  return carried(target, shape, concurrency, seconds, 1);
}

/**
 * By chunk, over `streams` parallel streams. @param path of the provider's format, where the target is not a gateway
 */
export function streaming(target: Target, stream: StreamShape, streams: number, seconds: number, path?: string): Promise<LoadResult> {
  return carried(target, { promptBytes: 500, stream, path }, streams, seconds, stream.pieces);
}

/**
 * Milliseconds of single requests at a fixed low rate, in ascending order. The targets take turns, so that all see the
 * same machine.
 */
export async function latency(targets: readonly Target[], shape: Shape, perSecond: number, seconds: number): Promise<number[][]> {
  const lines = targets.map((target) => ({
    connection: new Connection(target.port),
    bytes: bytesOf(target, shape),
    samples: [] as number[],
  }));
  const interval = 1000 / perSecond / targets.length;
  const ends = performance.now() + seconds * 1000;
  for (let turn = 0; performance.now() < ends; turn++) {
    const line = lines[turn % lines.length]!;
    const began = performance.now();
    const answer = await line.connection.request(line.bytes);
    requireOk(answer);
    line.samples.push(answer.totalMs);
    await sleep(Math.max(0, interval - (performance.now() - began)));
  }
  for (const line of lines) line.connection.close();
  return lines.map(({ samples }) => sorted(samples));
}

export interface Delays {
  /** Milliseconds from the request to the reading of its first piece, in ascending order. */
  readonly began: number[];
  /**
   * Milliseconds from the provider's writing of the first piece, and of a later one, to the client's reading, in
   * ascending order.
   */
  readonly first: number[];
  readonly later: number[];
  /** Share of the pieces that were read together with the one before. */
  readonly merged: number;
}

/** Single paced streams; the targets take turns. */
export async function delays(targets: readonly Target[], stream: StreamShape, seconds: number): Promise<Delays[]> {
  const lines = targets.map((target) => ({
    connection: new Connection(target.port),
    bytes: bytesOf(target, { promptBytes: 500, stream }),
  }));
  const found = lines.map(() => ({ began: [] as number[], first: [] as number[], later: [] as number[], merged: 0, pieces: 0 }));
  const ends = performance.now() + seconds * 1000;
  for (let turn = 0; performance.now() < ends; turn++) {
    const { connection, bytes } = lines[turn % lines.length]!;
    const into = found[turn % lines.length]!;
    const began = process.hrtime.bigint();
    let seen = 0;
    connection.onData = (data) => {
      const now = process.hrtime.bigint();
      const times = Array.from(data.toString('latin1').matchAll(sentAt), ([, time]) => BigInt(time!));
      for (const time of times) {
        const transit = Number(now - time) / 1e6;
        if (seen++ > 0) into.later.push(transit);
        else {
          into.began.push(Number(now - began) / 1e6);
          into.first.push(transit);
        }
      }
      into.pieces += times.length;
      into.merged += Math.max(0, times.length - 1);
    };
    requireOk(await connection.request(bytes));
    if (seen !== stream.pieces) throw new Error(`${seen} of ${stream.pieces} pieces came`);
  }
  for (const { connection } of lines) connection.close();
  return found.map(({ began, first, later, merged, pieces }) => ({
    began: sorted(began),
    first: sorted(first),
    later: sorted(later),
    merged: merged / pieces,
  }));
}

/** @param values in ascending order */
export function percentile(values: readonly number[], share: number): number {
  return values[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return percentile(sorted(values), 0.5);
}

function sorted(values: readonly number[]): number[] {
  return values.toSorted((a, b) => a - b);
}
