import type { GenerationRecord } from '../common/requests/generation-record.js';
import type { EndedRequest, OpenRequests } from '../http/server/open-requests.js';
import type { OpenStreams } from '../http/answers/open-streams.js';
import { usageOf } from '../wire/usage.js';
import { Metrics } from './metrics.js';
import { ModuleFigures } from './provider-figures.js';
import { AggregatorRegistry, Counter, Histogram, type Metric, Registry } from 'prom-client';
import { Distribution, Sums } from './series.js';

function setUp() {
  let end: (ended: EndedRequest) => void = () => undefined;
  const open = { size: 0, onEnd: (listener: typeof end) => (end = listener) } as unknown as OpenRequests;
  const metrics = new Metrics(open, { size: 0 } as OpenStreams);
  const generation = (record: Partial<GenerationRecord>) => {
    const whole = { operation: 'chat', model: 'm', streamed: false, attempts: [], dropped: new Set<string>(), ...record };
    const request = {
      requestContext: { record: whole },
      routeOptions: { url: '/v1/chat/completions' },
      principal: { environment: 'live' },
    };
    end({ request, reply: { raw: { statusCode: 200 } }, ms: 12, answered: true } as unknown as EndedRequest);
  };
  const lines = async (name: string) => (await metrics.text()).split('\n').filter((line) => line.startsWith(`switchyard_${name}`));
  return { metrics, generation, lines };
}

describe('Metrics', () => {
  it('counts a generation, its attempts, tokens and credits', async () => {
    const { generation, lines } = setUp();
    generation({
      attempts: [
        { offer: 'a/m', outcome: 'overloaded', startedMs: 0, totalMs: 2 },
        { offer: 'b/m', outcome: 'served', startedMs: 2, firstTokenMs: 5, totalMs: 9 },
      ],
      provider: 'b',
      usage: usageOf(3, 4),
      charged: 1_500_000_000n,
    });
    expect(await lines('attempts_total')).toEqual([
      'switchyard_attempts_total{offer="a/m",outcome="overloaded"} 1',
      'switchyard_attempts_total{offer="b/m",outcome="served"} 1',
    ]);
    expect(await lines('requests_total')).toEqual([
      'switchyard_requests_total{operation="chat",model="m",status="200",environment="live"} 1',
    ]);
    expect(await lines('credits_charged_total')).toEqual(['switchyard_credits_charged_total{model="m",environment="live"} 1.5']);
    expect(await lines('first_token_seconds_sum')).toEqual(['switchyard_first_token_seconds_sum{operation="chat",provider="b"} 0.005']);
  });

  it('keeps a bounded number of series, however many models and offers come', async () => {
    const { metrics, generation, lines } = setUp();
    for (let n = 0; n < 1_200; n++) generation({ model: `m${n}`, attempts: [{ offer: `a/m${n}`, outcome: 'served', startedMs: 0 }] });
    expect(await lines('requests_total')).toHaveLength(501);
    expect((await lines('requests_total')).at(-1)).toContain('model="other",status="200",environment="live"} 700');
    expect(await lines('attempts_total')).toHaveLength(1_001);
    metrics.gauges('things', 'Things', 'thing', () => Array.from({ length: 1_200 }, (_, n) => [`t${n}`, n] as const));
    expect(await lines('things')).toHaveLength(1_000);
  });

  it('take no figure of a provider module that would spoil a sum for ever', async () => {
    const { metrics, lines } = setUp();
    const figures = new ModuleFigures(metrics);
    figures.observe('acme', 'signing', 0.5);
    figures.count('acme', 'made', 2);
    for (const wrong of [Number.NaN, -1, Number.POSITIVE_INFINITY, '3' as unknown as number]) {
      expect(() => figures.observe('acme', 'signing', wrong)).toThrow(TypeError);
      expect(() => figures.count('acme', 'made', wrong)).toThrow(TypeError);
    }
    expect(await lines('provider_signing_seconds_sum')).toEqual(['switchyard_provider_signing_seconds_sum{provider="acme"} 0.5']);
    expect(await lines('provider_made')).toEqual(['switchyard_provider_made_total{provider="acme"} 2']);
  });
});

describe('series', () => {
  const BOUNDS = [0.5, 1, 2];

  /** The gateway's metrics and prom-client's under the same names, with the same observations. */
  function bothOf() {
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

  it('are on the page as those of prom-client', async () => {
    const { kept, theirs, add, observe } = bothOf();
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
    const { kept, theirs, add, observe } = bothOf();
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
