import type { Worker } from 'node:cluster';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { JointMetrics } from './joint-metrics.js';
import type { Figures, ToWorker } from './messages.js';

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
    expect(await joint.page([one.worker, two.worker])).toContain('c{l="a"} 3');
  });
});
