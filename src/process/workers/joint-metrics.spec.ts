import type { Worker } from 'node:cluster';
import { jest } from '@jest/globals';
import { PassThrough } from 'node:stream';
import { availableParallelism } from 'node:os';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import * as fc from 'fast-check';
import { JointMetrics } from './joint-metrics.js';
import type { Figures, ToWorker } from './messages.js';
import { passOnLines } from './whole-lines.js';
import { RestartDelay } from './restart-delay.js';
import { configSchema } from '../../config/config.schema.js';
import { loadConfig } from '../../config/load-config.js';
import { workerCount } from './worker-count.js';

/** The registry of a process, behind messages as a worker answers them. */
class Process {
  readonly #registry = new Registry();
  readonly count = new Counter({ name: 'c', help: 'c', labelNames: ['l'], registers: [this.#registry] });
  readonly gauge = new Gauge({ name: 'g', help: 'g', registers: [this.#registry] });
  readonly times = new Histogram({ name: 'h', help: 'h', buckets: [1, 2], registers: [this.#registry] });
  answers = true;

  constructor(
    readonly id: number,
    private readonly joint: JointMetrics,
  ) {}

  get worker(): Worker {
    return this as unknown as Worker;
  }

  isConnected(): boolean {
    return true;
  }

  send(message: ToWorker): boolean {
    if (message.kind === 'report' && this.answers) void this.#tell(message.number);
    return true;
  }

  async #tell(number: number): Promise<void> {
    const figures = JSON.parse(JSON.stringify(await this.#registry.getMetricsAsJSON())) as Figures;
    this.joint.heard(this.worker, figures, number);
  }
}

describe('JointMetrics', () => {
  it('sums what the processes have counted, and keeps the sums of those that have ended', async () => {
    const joint = new JointMetrics();
    const processes = [1, 2, 3].map((id) => new Process(id, joint));
    const lines = async () => (await joint.page(processes.map(({ worker }) => worker))).split('\n').filter((line) => /^[cgh]/.test(line));
    for (const { id, count, gauge, times } of processes) {
      count.inc({ l: 'a' }, id);
      count.inc({ l: `only ${id}` });
      gauge.set(10 * id);
      times.observe(id);
    }
    const sums = [
      'c{l="a"} 6',
      'c{l="only 1"} 1',
      'h_bucket{le="1"} 1',
      'h_bucket{le="2"} 2',
      'h_bucket{le="+Inf"} 3',
      'h_sum 6',
      'h_count 3',
    ];
    expect(await lines()).toEqual(expect.arrayContaining([...sums, 'g 60']));
    for (const ended of processes.splice(0, 2)) joint.end(ended.worker);
    expect(await lines()).toEqual(expect.arrayContaining([...sums, 'g 30']));
    processes[0]!.count.inc({ l: 'a' }, 4);
    expect(await lines()).toContain('c{l="a"} 10');
  });

  it('does not wait for a process that does not answer', async () => {
    const joint = new JointMetrics();
    const [one, two] = [new Process(1, joint), new Process(2, joint)];
    for (const { count } of [one, two]) count.inc({ l: 'a' });
    await joint.refresh([one.worker, two.worker]);
    two.answers = false;
    two.count.inc({ l: 'a' });
    one.count.inc({ l: 'a' });
    jest.useFakeTimers();
    const page = joint.page([one.worker, two.worker]);
    await jest.advanceTimersByTimeAsync(2_000);
    expect(await page).toContain('c{l="a"} 3');
    jest.useRealTimers();
  });
});

describe('passOnLines', () => {
  const passedOn = async (pieces: readonly Buffer[]): Promise<string[]> => {
    const from = new PassThrough();
    const written: string[] = [];
    passOnLines(from, (lines) => written.push(lines));
    for (const piece of pieces) {
      from.write(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    from.end();
    await new Promise((resolve) => from.once('end', resolve));
    return written;
  };

  it('hands on whole lines alone, wherever the text was cut, and loses nothing', async () => {
    const cut = fc.tuple(fc.array(fc.string({ unit: 'binary' }).map((line) => line.replaceAll('\n', ''))), fc.nat(), fc.nat());
    await fc.assert(
      fc.asyncProperty(cut, async ([lines, first, second]) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
        const [from, to] = [first, second].map((at) => at % (bytes.length + 1)).toSorted((a, b) => a - b) as [number, number];
        const written = await passedOn([bytes.subarray(0, from), bytes.subarray(from, to), bytes.subarray(to)]);
        expect(written.join('')).toBe(bytes.toString());
        for (const text of written) expect(text).toMatch(/\n$/);
      }),
      { numRuns: 50 },
    );
  });

  it('ends the line that a process died in', async () => {
    expect(await passedOn([Buffer.from('one\ntw')])).toEqual(['one\n', 'tw\n']);
  });
});

describe('RestartDelay', () => {
  it('doubles while workers end soon after their start, to ten seconds, and begins anew after one that has lived', () => {
    const delay = new RestartDelay();
    expect(Array.from({ length: 9 }, () => delay.after(50))).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
    expect([delay.after(10_000), delay.after(50)]).toEqual([100, 200]);
  });
});

describe('workerCount', () => {
  const shared = { database_url: 'postgres://x' };

  it('is one, or what is asked for, or one for each core', () => {
    expect(workerCount(configSchema.parse({}))).toBe(1);
    expect(workerCount(configSchema.parse({ server: { workers: 3 }, store: shared }))).toBe(3);
    expect(workerCount(configSchema.parse({ server: { workers: 'max' }, store: shared }))).toBe(availableParallelism());
  });

  it('is refused in one line where the workers could not share the store', () => {
    const refused = () => workerCount(configSchema.parse({ server: { workers: 2 } }));
    expect(refused).toThrow(/^server\.workers is 2, and the embedded store belongs to one process: [^\n]*DATABASE_URL[^\n]*$/);
  });

  it.each([
    ['4', 4],
    ['max', 'max'],
  ])('is read from SWITCHYARD_WORKERS: %s', (SWITCHYARD_WORKERS, workers) => {
    expect(loadConfig({ env: { SWITCHYARD_WORKERS }, cwd: '/nowhere' }).server.workers).toBe(workers);
  });

  it.each(['0', '-1', '1.5', 'two', '257'])('is refused in one line where it is %s', (SWITCHYARD_WORKERS) => {
    expect(() => loadConfig({ env: { SWITCHYARD_WORKERS }, cwd: '/nowhere' })).toThrow(
      /^Configuration: SWITCHYARD_WORKERS: server\.workers must be [^\n]+$/,
    );
  });
});
