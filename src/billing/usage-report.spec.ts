import { LedgerBench, request, settlement } from './testing/ledger-bench.js';
import { UsageReport } from './usage-report.js';

describe('the report of usage', () => {
  let bench: LedgerBench;

  beforeEach(async () => {
    bench = await LedgerBench.start();
  });
  afterEach(() => bench.stop());

  it('sums what was charged, by anything and of anyone', async () => {
    const [acme, other] = [await bench.customer(1_000n), await bench.customer(1_000n, 'test')];
    const use = async (principal: typeof acme, model: string, tokens: number) =>
      (await bench.ledger.hold(request(principal, { model, maxTokens: 100 }))).settle(settlement('completed', 1, tokens));
    await use(acme, 'large', 9);
    await use(acme, 'large', 19);
    await use(acme, 'small', 4);
    await use(other, 'large', 49);
    await bench.written();

    const report = new UsageReport(bench.database);
    const sum = (of: object, requests: number, completionTokens: bigint, amount: bigint) => ({
      of,
      requests,
      promptTokens: BigInt(requests),
      completionTokens,
      amount,
      collected: 0n,
      uncollected: 0n,
    });
    expect(await report.sum({ by: ['model'] })).toEqual([sum({ model: 'large' }, 3, 77n, 80n), sum({ model: 'small' }, 1, 4n, 5n)]);
    expect(await report.sum({ by: [], accountId: acme.accountId })).toEqual([sum({}, 3, 32n, 35n)]);
    const today = new Date().toISOString().slice(0, 10);
    expect(await report.sum({ by: ['day', 'environment', 'outcome', 'provider'], model: 'large', keyId: other.keyId })).toEqual([
      sum({ day: today, environment: 'test', outcome: 'completed', provider: 'provider' }, 1, 49n, 50n),
    ]);
    expect(await report.sum({ by: ['key'], environment: 'test' })).toEqual([sum({ key: other.keyId }, 1, 49n, 50n)]);
    expect(await report.sum({ by: [], since: Date.now() + 60_000 })).toEqual([]);
    const poor = await bench.customer(150n);
    (await bench.ledger.hold(request(poor, { maxTokens: 100 }))).settle(settlement('completed', 0, 200));
    await bench.written();
    expect(await report.sum({ by: [], accountId: poor.accountId })).toMatchObject([{ amount: 150n, collected: 50n, uncollected: 50n }]);
    expect(await report.sum({ by: [], until: Date.now() - 60_000 })).toEqual([]);
  });
});
