import { LedgerBench, request, settlement } from '../testing/ledger-bench.js';
import { metricsWithoutRequests } from '../testing/metrics-without-requests.js';
import type { LedgerFigures } from './ledger-figures.js';
import { ledgerFigures, LedgerMetrics } from './ledger-metrics.js';

/** One credit a token. */
const price = { prompt: 10n ** 12n, completion: 10n ** 12n };
const CREDIT = 10n ** 9n;

describe('LedgerMetrics', () => {
  const benches: LedgerBench[] = [];
  afterEach(async () => {
    for (const bench of benches.splice(0)) await bench.stop();
  });

  async function start(begin: (figures: LedgerFigures) => Promise<LedgerBench>) {
    const metrics = metricsWithoutRequests();
    const figures = ledgerFigures.useFactory(metrics);
    const bench = await begin(figures);
    benches.push(bench);
    new LedgerMetrics(metrics, bench.ledger, figures).onModuleInit();
    const figure = async (name: string): Promise<number> => {
      const line = (await metrics.text()).split('\n').find((text) => text.startsWith(`switchyard_ledger_${name} `));
      return Number(line?.split(' ')[1]);
    };
    return { bench, figure };
  }

  it('shows what is leased and held while requests are open, and none of it by account', async () => {
    const { bench, figure } = await start((figures) => LedgerBench.start(undefined, figures));
    const customers = [await bench.customer(80n * CREDIT), await bench.customer(80n * CREDIT)];
    const holds = await Promise.all(customers.map(async (customer) => bench.ledger.hold(request(customer, { price, maxTokens: 8 }))));
    expect(await figure('leases{environment="live"}')).toBe(2);
    expect(await figure('leases{environment="test"}')).toBe(0);
    expect(await figure('held_credits{environment="live"}')).toBe(16);
    expect(await figure('leased_credits{environment="live"}')).toBe(18);
    for (const hold of holds) hold.settle(settlement('completed', 0, 3));
    expect(await figure('held_credits{environment="live"}')).toBe(0);
    expect(await figure('leased_credits{environment="live"}')).toBe(18 + 10);
    expect(await figure('unwritten')).toBe(2);
    await bench.written();
    expect(await figure('unwritten')).toBe(0);
    expect(await figure('flush_seconds_count')).toBeGreaterThan(1);
  });

  it('counts what is collected beyond holds, and what is not to be had', async () => {
    const { bench, figure } = await start((figures) => LedgerBench.start(undefined, figures));
    const customer = await bench.customer(80n * CREDIT);
    (await bench.ledger.hold(request(customer, { price, maxTokens: 8 }))).settle(settlement('completed', 0, 100));
    await bench.written();
    expect(await figure('collected_credits_total{environment="live"}')).toBe(72);
    expect(await figure('uncollected_credits_total{environment="live"}')).toBe(20);
    expect(await figure('uncollected_credits_total{environment="test"}')).toBe(0);
  });

  it('counts what is settled for a process that has died', async () => {
    const bench = await LedgerBench.start();
    benches.push(bench);
    const customer = await bench.customer(80n * CREDIT);
    for (const tokens of [2, 3]) (await bench.ledger.hold(request(customer, { price, maxTokens: 8 }))).progress(tokens, 1);
    // The journal is written at the end of this turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    const { figure } = await start((figures) => bench.afterCrash(figures));
    expect(await figure('recovered_requests_total{environment="live"}')).toBe(2);
    expect(await figure('uncollected_credits_total{environment="live"}')).toBe(0);
    expect(await figure('held_credits{environment="live"}')).toBe(0);
  });
});
