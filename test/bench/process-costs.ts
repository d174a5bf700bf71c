import type { Bench, Measurement } from './bench.ts';
import { requestBytes, Connection } from './client.ts';
import { bytesOf, sleep } from './load.ts';
import { median } from './measure.ts';
import { socketsOf, type Target } from './processes.ts';
import { residentBytes } from '../support/process-figures.ts';

const MiB = 2 ** 20;
/** Seconds. */
const START_TARGET = 1;
/** MiB. */
const IDLE_TARGET = 150;

const starting: Measurement = {
  name: 'cold start and idle memory',
  oursOnly: true,
  ownProcesses: true,
  async run(bench) {
    const [empty, again, idle] = [[] as number[], [] as number[], [] as number[]];
    for (let round = 0; round < bench.rounds; round++) {
      const first = await bench.freshGateway();
      empty.push(first.startMs / 1000);
      const second = await first.again();
      again.push(second.startMs / 1000);
      await sleep(1500);
      idle.push(residentBytes(second.pid) / MiB);
      await second.stop();
    }
    const list = (values: readonly number[]) => values.map((value) => value.toFixed(2)).join(', ');
    const row = (name: string, values: readonly number[], unit: 's' | 'MiB', atMost: number, more: string) =>
      bench.add({ name, value: median(values), unit, target: { atMost }, detail: `${more}; ${list(values)}` });
    row('cold start to listening', empty, 's', START_TARGET, 'empty data folder');
    row('cold start again', again, 's', START_TARGET, 'with data');
    row('idle memory', idle, 'MiB', IDLE_TARGET, 'resident');
  },
};

const STREAMS = 3000;
const AT_A_TIME = 100;
/**
 * Connections that may be there all the same: one of each provider's pool, for the next look at its models, at both
 * ends.
 */
const POOLED = 8;
/** Milliseconds that the gateway may take to close what clients left; of the baseline nobody asks it. */
const CLOSING = { gateway: 10_000, baseline: 0 };

/**
 * Opens streams that say one piece and are silent then.
 * @returns their connections, once each has its piece
 * @throws Error where not all of them are open in the end
 */
async function open(target: Target, count: number): Promise<Connection[]> {
  const bytes = requestBytes({ ...target, promptBytes: 500, stream: { pieces: 1, paceMs: 0, mode: 'hold' } });
  const connections: Connection[] = [];
  const ended: number[] = [];
  while (connections.length < count) {
    const batch = Array.from({ length: Math.min(AT_A_TIME, count - connections.length) }, () => new Connection(target.port));
    connections.push(...batch);
    await Promise.all(
      batch.map(
        (connection) =>
          new Promise<void>((resolve, reject) => {
            connection.onData = () => resolve();
            connection.request(bytes).then(({ status }) => ended.push(status), reject);
          }),
      ),
    );
  }
  if (ended.length > 0) throw new Error(`${ended.length} of ${count} streams ended, with status ${[...new Set(ended)].join(', ')}`);
  return connections;
}

async function openAtProvider({ port }: Target): Promise<number> {
  return Number(await (await fetch(`http://127.0.0.1:${port}/open`, { headers: { connection: 'close' } })).text());
}

interface OpenCosts {
  /** Bytes of memory. */
  readonly each: number;
  /** Connections that the provider still has. */
  readonly atProvider: number;
  /** Sockets that the process still has. */
  readonly sockets: number;
  readonly serves: boolean;
}

/**
 * @param target has not worked yet: a process that has keeps a grown heap, into which any number of streams fits
 * unseen. It is stopped.
 */
async function measureOpen(bench: Bench, target: Target, closing: number): Promise<OpenCosts> {
  try {
    return await openAndLeave(bench, target, closing);
  } finally {
    await target.stop();
  }
}

async function openAndLeave({ upstream }: Bench, target: Target, closing: number): Promise<OpenCosts> {
  const warm = await open(target, AT_A_TIME);
  for (const connection of warm) connection.close();
  await sleep(1000);
  const connectionsBefore = await openAtProvider(upstream);
  const socketsBefore = socketsOf(target.pid);
  const before = residentBytes(target.pid);
  const connections = await open(target, STREAMS);
  await sleep(2000);
  const each = (residentBytes(target.pid) - before) / STREAMS;
  for (const connection of connections) connection.close();
  let atProvider = Number.NaN;
  let sockets = Number.NaN;
  for (const deadline = performance.now() + closing; performance.now() < deadline;) {
    atProvider = Math.max(0, (await openAtProvider(upstream)) - connectionsBefore);
    sockets = Math.max(0, socketsOf(target.pid) - socketsBefore);
    if (atProvider + sockets <= POOLED) break;
    await sleep(100);
  }
  const after = new Connection(target.port);
  const { status } = await after.request(bytesOf(target, { promptBytes: 1000 }));
  after.close();
  return { each, atProvider, sockets, serves: status === 200 };
}

const openStreams: Measurement = {
  name: 'open streams',
  oursOnly: true,
  ownProcesses: true,
  async run(bench) {
    const gateway = await measureOpen(bench, await bench.freshGateway(), CLOSING.gateway);
    const baseline = await measureOpen(bench, await bench.freshBaseline(), CLOSING.baseline);
    bench.add({
      name: `open idle stream, of ${STREAMS}: memory`,
      value: gateway.each / 1024,
      unit: 'KiB',
      target: { atMost: 35 },
      detail: `baseline ${(baseline.each / 1024).toFixed(1)} KiB`,
    });
    bench.add({
      name: 'connections left of them',
      value: gateway.serves ? gateway.atProvider + gateway.sockets : STREAMS,
      unit: '',
      target: { atMost: POOLED },
      detail: `left: ${gateway.atProvider} provider's connections, ${gateway.sockets} sockets; ${gateway.serves ? 'serves on' : 'DOES NOT SERVE'}`,
    });
  },
};

/** What the process costs that works for nobody, or waits. */
export const processMeasurements: readonly Measurement[] = [starting, openStreams];
