import { LedgerMetrics } from './ledger-metrics.js';
import { LedgerBench, request, settlement } from '../testing/ledger-bench.js';
import { metricsWithoutRequests } from '../testing/metrics-without-requests.js';

/** One credit a token. */
const price = { prompt: 10n ** 12n, completion: 10n ** 12n };
const CREDIT = 10n ** 9n;

describe('LedgerMetrics', () => {
  const benches: LedgerBench[] = [];
  afterEach(async () => {
    for (const bench of benches.splice(0)) await bench.stop();
  });

  function pageOf(bench: LedgerBench): (figure: string) => Promise<number> {
    benches.push(bench);
    const metrics = metricsWithoutRequests();
    new LedgerMetrics(metrics, bench.ledger).onModuleInit();
    return async (figure) => {
      const line = (await metrics.text()).split('\n').find((text) => text.startsWith(`switchyard_ledger_${figure} `));
      return Number(line?.split(' ')[1]);
    };
  }

  it('shows what is leased and held while requests are open, and none of it by account', async () => {
    const bench = await LedgerBench.start();
    const figure = pageOf(bench);
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

  it('counts what is settled for a process that has died', async () => {
    const bench = await LedgerBench.start();
    benches.push(bench);
    const customer = await bench.customer(80n * CREDIT);
    for (const tokens of [2, 3]) (await bench.ledger.hold(request(customer, { price, maxTokens: 8 }))).progress(tokens, 1);
    // The journal is written at the end of this turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    const figure = pageOf(await bench.afterCrash());
    expect(await figure('recovered_requests_total{environment="live"}')).toBe(2);
    expect(await figure('uncollected_credits_total{environment="live"}')).toBe(0);
    expect(await figure('held_credits{environment="live"}')).toBe(0);
  });
});
