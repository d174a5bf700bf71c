import { type Answer, type ChatOptions, requestBytes, Connection } from './client.ts';
import { cpuMicros, type Target } from './processes.ts';

export type Shape = Pick<ChatOptions, 'promptBytes' | 'stream' | 'path' | 'inputs'>;

export interface LoadResult {
  /** Requests or chunks a second. */
  readonly rate: number;
  /** Microseconds of the target's CPU for one of them; NaN where the process is not known. */
  readonly cpu: number;
  /** How many there were, those before counting began too. */
  readonly all: number;
}

export const bytesOf = (target: Target, shape: Shape): Buffer => requestBytes({ ...shape, key: target.key, model: target.model });

export function requireOk({ status }: Answer): void {
  if (status !== 200) throw new Error(`answered with status ${status}`);
}

/** How many requests of a load are its first. */
export const FIRST = 1000;

/** Connections that ask again as soon as they are answered. */
export class Load {
  /** Microseconds of the target's CPU for one of the first requests; NaN until all of them are answered. */
  first = Number.NaN;
  readonly #target: Target;
  readonly #bytes: Buffer;
  readonly #connections: readonly Connection[];
  #answers = 0;
  #received = 0;
  #answerBytes = Number.NaN;
  /** Microseconds of the target's CPU in the runs that have ended. */
  #used = 0;

  constructor(target: Target, shape: Shape, concurrency: number) {
    this.#target = target;
    this.#bytes = bytesOf(target, shape);
    this.#connections = Array.from({ length: concurrency }, () => new Connection(target.port));
    for (const connection of this.#connections) connection.onData = ({ length }) => (this.#received += length);
  }

  /**
   * What the connections carry in `seconds`. Counted by bytes, so that half an answer counts for half.
   * @param leadIn milliseconds before counting begins
   * @param each what one answer counts for
   */
  async run(seconds: number, leadIn = 0, each = 1): Promise<LoadResult> {
    const already = this.#answers;
    const result = await this.#ask(async () => {
      await sleep(leadIn);
      const before = this.#received;
      const cpu = cpuMicros(this.#target.pid);
      const began = performance.now();
      await sleep(seconds * 1000);
      const used = cpuMicros(this.#target.pid) - cpu;
      const elapsed = performance.now() - began;
      // A slice in which nothing is answered costs without end.
      const counted = Number.isNaN(this.#answerBytes) ? 0 : ((this.#received - before) / this.#answerBytes) * each;
      return { rate: (counted * 1000) / elapsed, cpu: used / counted };
    });
    return { ...result, all: (this.#answers - already) * each };
  }

  /** Goes on until the first requests are answered. */
  async finishFirst(): Promise<void> {
    while (this.#answers < FIRST) await this.#ask(() => sleep(20));
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
  }

  /** Asks, on each connection as soon as it is answered, until the promise is fulfilled. */
  async #ask<T>(during: () => Promise<T>): Promise<T> {
    const asking = { on: true };
    const before = cpuMicros(this.#target.pid);
    const used = (): number => this.#used + cpuMicros(this.#target.pid) - before;
    const loops = Promise.all(
      this.#connections.map(async (connection) => {
        while (asking.on) {
          const answer = await connection.request(this.#bytes);
          requireOk(answer);
          this.#answerBytes = answer.bytes;
          if (++this.#answers === FIRST) this.first = used() / FIRST;
        }
      }),
    );
    const until = async (): Promise<T> => {
      const result = await during();
      asking.on = false;
      return result;
    };
    try {
      const [result] = await Promise.all([until(), loops]);
      this.#used = used();
      return result;
    } catch (error) {
      throw new Error(`${this.#target.name}: ${String(error)}`, { cause: error });
    }
  }
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
