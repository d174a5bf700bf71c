import { requestBytes, Connection } from './client.ts';
import { sleep } from './load.ts';
import type { Target } from './processes.ts';
import type { StreamShape } from './stream-shape.ts';

interface Kind {
  readonly model: string;
  readonly promptBytes?: number;
  readonly stream?: StreamShape;
  /** The client goes as soon as it has asked, or as soon as something has come. */
  readonly leaves?: 'at once' | 'in mid-stream';
}

const flat: StreamShape = { pieces: 100, paceMs: 0, mode: 'flat' };
const paced: StreamShape = { pieces: 20, paceMs: 5, mode: 'paced' };

/** Asked for in turn. One in ten leaves. */
const kinds: readonly Kind[] = [
  ...Array.from({ length: 7 }, () => ({ model: 'bench' })),
  { model: 'bench', promptBytes: 30_000 },
  { model: 'bench', stream: flat },
  { model: 'bench', stream: paced, leaves: 'in mid-stream' },
  ...Array.from({ length: 4 }, () => ({ model: 'bench' })),
  { model: 'bench', stream: paced },
  { model: 'ids', stream: flat },
  { model: 'anthropic', stream: flat },
  { model: 'gemini', stream: flat },
  { model: 'anthropic', stream: paced },
  { model: 'bench', leaves: 'at once' },
];

const SATURATING = 64;
export const MAX_IN_FLIGHT = 512;
/** Milliseconds after which a connection is not used again. */
const MAX_IDLE = 5_000;
/** Milliseconds that the last answers may take. */
const LAST_ANSWERS = 60_000;
/** Milliseconds between two looks at the memory. */
const SAMPLE = 10_000;

/** @throws Error that says why an answer is not one */
async function ask(connection: Connection, bytes: Buffer, { stream, leaves }: Kind): Promise<'served' | 'left'> {
  let tail = '';
  let leaving = false;
  connection.onData = (data) => {
    tail = (tail + data.toString('latin1', Math.max(0, data.length - 100))).slice(-100);
    if (leaves !== 'in mid-stream') return;
    leaving = true;
    connection.close();
  };
  const answered = connection.request(bytes);
  if (leaves === 'at once') {
    leaving = true;
    setImmediate(() => connection.close());
  }
  try {
    const { status } = await answered;
    if (status !== 200) throw new Error(`status ${status}`);
    if (stream && !tail.includes('data: [DONE]\n\n')) throw new Error(`a stream ended with ${JSON.stringify(tail)}`);
    return 'served';
  } catch (error) {
    if (leaving) return 'left';
    throw error;
  }
}

/** Requests of many kinds, of whose clients some leave. */
export class SoakLoad {
  asked = 0;
  served = 0;
  left = 0;
  /** Requests that were not begun in time, because too many were under way. */
  late = 0;
  inFlight = 0;
  readonly errors = new Map<string, number>();
  readonly #idle: { connection: Connection; since: number }[] = [];
  readonly #port: number;
  readonly #bytes: readonly Buffer[];

  constructor({ port, key }: Target) {
    this.#port = port;
    this.#bytes = kinds.map(({ model, promptBytes = 700, stream }) => requestBytes({ key, model, promptBytes, stream }));
  }

  get failed(): number {
    return [...this.errors.values()].reduce((sum, count) => sum + count, 0);
  }

  async one(): Promise<void> {
    const turn = this.asked++ % kinds.length;
    const connection = this.#connection();
    this.inFlight++;
    try {
      if ((await ask(connection, this.#bytes[turn]!, kinds[turn]!)) === 'served') {
        this.served++;
        this.#idle.push({ connection, since: performance.now() });
      } else this.left++;
    } catch (error) {
      connection.close();
      const what = `${JSON.stringify(kinds[turn])}: ${String(error)}`;
      this.errors.set(what, (this.errors.get(what) ?? 0) + 1);
    }
    this.inFlight--;
  }

  /** As fast as it goes. @returns requests a second */
  async saturate(seconds: number): Promise<number> {
    const before = this.asked;
    const began = performance.now();
    const worker = async (): Promise<void> => {
      while (performance.now() - began < seconds * 1000) await this.one();
    };
    await Promise.all(Array.from({ length: SATURATING }, worker));
    return ((this.asked - before) * 1000) / (performance.now() - began);
  }

  /** At a fixed rate, whatever the answers take. @param look called every ten seconds */
  async hold(perSecond: number, seconds: number, look: (secondsSoFar: number) => void): Promise<void> {
    const began = performance.now();
    let due = 0;
    for (let looked = 0, now = 0; now < seconds * 1000; now = performance.now() - began) {
      for (const goal = Math.floor((now * perSecond) / 1000); due < goal; due++) {
        if (this.inFlight < MAX_IN_FLIGHT) void this.one();
        else this.late++;
      }
      if (now - looked >= SAMPLE) {
        looked = now;
        look(now / 1000);
      }
      await sleep(5);
    }
    for (const ends = performance.now() + LAST_ANSWERS; this.inFlight > 0 && performance.now() < ends;) await sleep(10);
    if (this.inFlight > 0) this.errors.set('never answered', this.inFlight);
  }

  close(): void {
    for (const { connection } of this.#idle) connection.close();
  }

  /** One that waits, unless it has waited so long that the gateway may be about to close it. */
  #connection(): Connection {
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) {
      if (!idle.connection.closed && performance.now() - idle.since < MAX_IDLE) return idle.connection;
      idle.connection.close();
    }
    return new Connection(this.#port);
  }
}
