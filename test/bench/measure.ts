import { type Answer, type ChatOptions, chatRequest, Connection } from './client.ts';
import { cpuMicros, rssBytes, type Target } from './processes.ts';

export type Shape = Omit<ChatOptions, 'key' | 'model'>;

export interface LoadResult {
  /** Requests or chunks a second. */
  readonly rate: number;
  /** Microseconds of the target's CPU for one request. */
  readonly cpu: number;
}

const bytesOf = (target: Target, shape: Shape): Buffer => chatRequest({ ...shape, key: target.key, model: target.model });

function requireOk(answer: Answer): void {
  if (answer.status !== 200) throw new Error(`status ${answer.status}`);
}

/** As many requests as `concurrency` connections carry in `seconds`. */
export async function saturate(target: Target, shape: Shape, concurrency: number, seconds: number): Promise<LoadResult> {
  const bytes = bytesOf(target, shape);
  const connections = Array.from({ length: concurrency }, () => new Connection(target.port));
  let counting = false;
  let requests = 0;
  const running = { on: true };
  const loops = connections.map(async (connection) => {
    while (running.on) {
      requireOk(await connection.request(bytes));
      if (counting) requests++;
    }
  });
  await sleep(300);
  counting = true;
  const cpu = cpuMicros(target.pid);
  const began = performance.now();
  await sleep(seconds * 1000);
  const used = cpuMicros(target.pid) - cpu;
  const elapsed = performance.now() - began;
  const counted = requests;
  running.on = false;
  await Promise.all(loops);
  for (const connection of connections) connection.close();
  return { rate: (counted * 1000) / elapsed, cpu: used / counted };
}

/** Single requests at a fixed low rate, alternating between the targets so that all see the same machine. */
export async function latency(targets: readonly Target[], shape: Shape, perSecond: number, seconds: number): Promise<Float64Array[]> {
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
  return lines.map((line) => Float64Array.from(line.samples).sort());
}

/** CPU for one chunk over `streams` parallel streams, each request repeated until the time is over. */
export async function streaming(target: Target, pieces: number, paceMs: number, streams: number, seconds: number): Promise<LoadResult> {
  const bytes = bytesOf(target, { promptBytes: 500, stream: { pieces, paceMs } });
  const connections = Array.from({ length: streams }, () => new Connection(target.port));
  let chunks = 0;
  const running = { on: true };
  const loops = connections.map(async (connection) => {
    while (running.on) {
      requireOk(await connection.request(bytes));
      chunks += pieces + 3;
    }
  });
  await sleep(Math.max(300, paceMs * pieces));
  const cpu = cpuMicros(target.pid);
  const before = chunks;
  const began = performance.now();
  await sleep(seconds * 1000);
  const used = cpuMicros(target.pid) - cpu;
  const elapsed = performance.now() - began;
  const counted = chunks - before;
  running.on = false;
  await Promise.all(loops);
  for (const connection of connections) connection.close();
  return { rate: (counted * 1000) / elapsed, cpu: used / counted };
}

/** Memory of open streams that say nothing, in bytes each. */
export async function openStreams(target: Target, count: number): Promise<{ each: number; closed: boolean }> {
  const bytes = bytesOf(target, { promptBytes: 500, stream: { pieces: 1, paceMs: 0, hold: true } });
  const before = rssBytes(target.pid);
  const connections: Connection[] = [];
  for (let opened = 0; opened < count; opened += 50) {
    const batch = Array.from({ length: Math.min(50, count - opened) }, () => new Connection(target.port));
    connections.push(...batch);
    await Promise.all(
      batch.map((connection) => new Promise<void>((resolve) => void connection.request(bytes, resolve).catch(() => resolve()))),
    );
  }
  await sleep(1000);
  const each = (rssBytes(target.pid) - before) / count;
  for (const connection of connections) connection.close();
  await sleep(1000);
  const answer = new Connection(target.port);
  const { status } = await answer.request(bytesOf(target, { promptBytes: 1000 }));
  answer.close();
  return { each, closed: status === 200 };
}

export function percentile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
