import { AggregatorRegistry, Counter, Histogram, type Metric, Registry } from 'prom-client';
import { Distribution, Sums } from './series.js';

const BOUNDS = [0.5, 1, 2];

/** The gateway's metrics and prom-client's under the same names, with the same observations. */
function setUp() {
  const theirs = new Registry();
  const kept = new Registry();
  const sums = new Sums('sums_total', 'Sums', ['model', 'status']);
  const times = new Distribution('times', 'Times', ['model'], BOUNDS);
  const bare = new Distribution('bare', 'Without labels', [], BOUNDS);
  for (const series of [sums, times, bare]) kept.registerMetric(series as unknown as Metric);
  const counter = new Counter({ name: 'sums_total', help: 'Sums', labelNames: ['model', 'status'], registers: [theirs] });
  const histogram = new Histogram({ name: 'times', help: 'Times', labelNames: ['model'], buckets: BOUNDS, registers: [theirs] });
  const bareHistogram = new Histogram({ name: 'bare', help: 'Without labels', buckets: BOUNDS, registers: [theirs] });
  const add = (amount: number, model: string, status: number) => {
    sums.add(amount, model, status);
    counter.inc({ model, status }, amount);
  };
  const observe = (figure: number, model: string) => {
    times.observe(figure, model);
    histogram.observe({ model }, figure);
    bare.observe(figure);
    bareHistogram.observe(figure);
  };
  return { kept, theirs, add, observe };
}

describe('series', () => {
  it('are on the page as those of prom-client', async () => {
    const { kept, theirs, add, observe } = setUp();
    expect(await kept.metrics()).toBe(await theirs.metrics());
    for (const model of ['a', 'b "quoted" \\ \n line', 'a', 'c']) {
      for (const status of [200, 404]) add(1.5, model, status);
      add(3, model, 200);
      for (const figure of [0, 0.5, 0.500001, 1, 1.5, 2, 2.1, 1e9]) observe(figure, model);
    }
    const page = await kept.metrics();
    expect(page).toContain('times_bucket{le="1",model="a"} 8');
    expect(page).toContain('sums_total{model="a",status="200"} 9');
    expect(page).toBe(await theirs.metrics());
  });

  it('of several processes are added up as those of prom-client', async () => {
    const { kept, theirs, add, observe } = setUp();
    add(2, 'a', 200);
    observe(0.7, 'a');
    const pages = [kept, theirs].map(async (registry) => {
      const figures = JSON.parse(JSON.stringify(await registry.getMetricsAsJSON())) as object[];
      return AggregatorRegistry.aggregate([figures, figures]).metrics();
    });
    const [ours, others] = await Promise.all(pages);
    expect(ours).toContain('times_count{model="a"} 2');
    expect(ours).toBe(others);
  });
});
