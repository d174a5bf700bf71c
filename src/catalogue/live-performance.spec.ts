import { jest } from '@jest/globals';
import { started } from '../common/testing/started.js';
import { systemClock } from '../common/time/clock.js';
import { describeEngines } from '../database/testing/describe-engines.js';
import { LivePerformance } from './live-performance.js';
import type { Offer } from './offer.js';
import { PerformanceHistory } from '../observability/performance-history.js';
import { PerformanceStore } from './performance-store.js';

const offer = (provider: string, watchedAs = 'm') => ({ name: `${provider}/${watchedAs}`, provider: { id: provider }, watchedAs }) as Offer;
const served = { ok: true, totalMs: 1_000, firstTokenMs: 200, completionTokens: 30 };
const failed = { ok: false, totalMs: 10, completionTokens: 0 };

describeEngines('LivePerformance', (open) => {
  const database = started(open);
  const running: LivePerformance[] = [];
  afterEach(async () => {
    await Promise.all(running.splice(0).map((node) => node.onApplicationShutdown()));
    await database.db.deleteFrom('performance').execute();
    await database.db.deleteFrom('performance_history').execute();
  });

  async function start(): Promise<LivePerformance> {
    const node = new LivePerformance(new PerformanceStore(await open()), systemClock);
    await node.onModuleInit();
    running.push(node);
    return node;
  }

  it('adds what other gateways have seen to what this one sees, each attempt once', async () => {
    const [one, two] = [await start(), await start()];
    expect(one.read([offer('a')])).toEqual({ avg_response_time: 0, avg_tokens_per_second: 0, uptime_percentage: 100 });
    one.record(offer('a'), served);
    two.record(offer('a'), { ...served, totalMs: 3_000 });
    two.record(offer('b'), failed);
    expect(one.read([offer('a')])).toEqual({ avg_response_time: 1, avg_tokens_per_second: 30, uptime_percentage: 100 });
    for (let round = 0; round < 3; round++) for (const node of [one, two]) await node.share();
    const both = { avg_response_time: 2, avg_tokens_per_second: 15, uptime_percentage: 100 };
    for (const node of [one, two]) {
      expect(node.read([offer('a')])).toEqual(both);
      expect(node.read([offer('a'), offer('b'), offer('a')])).toEqual({ ...both, uptime_percentage: 66.667 });
    }
    one.record(offer('a'), failed);
    expect(one.read([offer('a')]).uptime_percentage).toBe(66.667);
    await one.share();
    await two.share();
    expect(two.read([offer('a')]).uptime_percentage).toBe(66.667);
    expect(await new PerformanceStore(database).totals()).toEqual([
      { provider: 'a', model: 'm', served: 2, failed: 1, totalMs: 4_000, tokens: 60, streams: 2, firstTokenMs: 400 },
      { provider: 'b', model: 'm', served: 0, failed: 1, totalMs: 0, tokens: 0, streams: 0, firstTokenMs: 0 },
    ]);
  });

  it('is remembered by the next process', async () => {
    const before = await start();
    before.record(offer('a'), served);
    await before.onApplicationShutdown();
    expect((await start()).read([offer('a')]).avg_response_time).toBe(1);
  });

  it('writes many offers, and nothing where nothing has changed', async () => {
    const node = await start();
    for (let model = 0; model < 2_500; model++) node.record(offer('a', `m${model}`), served);
    await node.share();
    const rows = await database.db.selectFrom('performance').select('bucket').execute();
    expect(rows).toHaveLength(2_500);
    const publish = jest.spyOn(PerformanceStore.prototype, 'publish');
    await node.share();
    expect(publish).not.toHaveBeenCalled();
    publish.mockRestore();
  });

  it('makes history of what is older than half an hour, once, and does not count it', async () => {
    const old = Math.floor(Date.now() / 30_000) - 60 - 4;
    const first = Math.floor(old / 30) * 30;
    const row = {
      provider: 'a',
      model: 'm',
      node_id: 'gone',
      served: 5,
      failed: 1,
      total_ms: 10,
      tokens: 2,
      streams: 1,
      first_token_ms: 3,
    };
    const write = (node_id: string) =>
      database.db
        .insertInto('performance')
        .values([first, first - 1].map((bucket) => ({ ...row, bucket, node_id })))
        .execute();
    await write('one');
    await write('other');
    const nodes = await Promise.all([start(), start()]);
    expect(nodes[0].read([offer('a')])).toEqual({ avg_response_time: 0, avg_tokens_per_second: 0, uptime_percentage: 100 });
    for (const node of nodes) node.record(offer('b'), served);
    await Promise.all(nodes.map((node) => node.share()));
    const left = await database.db.selectFrom('performance').select(['provider', 'served']).execute();
    expect(left).toEqual([1, 2].map(() => ({ provider: 'b', served: 1n })));
    const history = new PerformanceHistory(database);
    const quarters = await history.read(['m'], 900_000, first * 30_000 - 900_000);
    const sum = { provider: 'a', model: 'm', served: 10, failed: 2, totalMs: 20, tokens: 4, streams: 2, firstTokenMs: 6 };
    expect(quarters.filter(({ provider }) => provider === 'a')).toEqual([
      { ...sum, time: first * 30_000 - 900_000 },
      { ...sum, time: first * 30_000 },
    ]);
    expect(quarters.filter(({ provider }) => provider === 'b')).toMatchObject([{ served: 2 }]);
    // What comes late is added.
    await write('late');
    nodes[0].record(offer('b'), served);
    await nodes[0].share();
    const [, later] = await history.read(['m'], 900_000, first * 30_000 - 900_000);
    expect(later).toMatchObject({ provider: 'a', served: 15 });
    expect(await history.read(['none'], 900_000, 0)).toEqual([]);
    const { count } = await database.db
      .selectFrom('performance_history')
      .select(({ fn }) => fn.countAll<bigint>().as('count'))
      .executeTakeFirstOrThrow();
    expect(count).toBe(2n);
  });

  it('keeps two days of history', async () => {
    const day = 86_400_000;
    const sums = { served: 1, failed: 0, total_ms: 1, tokens: 1, streams: 0, first_token_ms: 0 };
    await database.db
      .insertInto('performance_history')
      .values([1, 3].map((days) => ({ ...sums, provider: 'old', model: 'm', quarter: Math.floor((Date.now() - days * day) / 900_000) })))
      .execute();
    await new PerformanceHistory(database).keep(Math.floor(Date.now() / 30_000) - 60);
    expect(await new PerformanceHistory(database).read(['m'], day, 0)).toMatchObject([{ provider: 'old' }]);
  });

  it('goes on alone while the store does not answer, and publishes all of it afterwards', async () => {
    const node = await start();
    const publish = jest.spyOn(PerformanceStore.prototype, 'publish').mockRejectedValue(new Error('gone'));
    node.record(offer('a'), served);
    await node.share();
    node.record(offer('a'), served);
    await node.share();
    expect(node.read([offer('a')]).avg_response_time).toBe(1);
    publish.mockRestore();
    await node.share();
    expect(await new PerformanceStore(database).totals()).toMatchObject([{ served: 2 }]);
  });
});
