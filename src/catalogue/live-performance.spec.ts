import { jest } from '@jest/globals';
import type { Database } from '../database/database.js';
import { describeEngines } from '../database/testing/describe-engines.js';
import { LivePerformance } from './live-performance.js';
import type { Offer } from './offer.js';
import { coldStart } from './performance.js';
import { PerformanceStore } from './performance-store.js';

const offer = (provider: string, watchedAs = 'm') => ({ name: `${provider}/${watchedAs}`, provider: { id: provider }, watchedAs }) as Offer;
const served = { ok: true, totalMs: 1_000, firstTokenMs: 200, completionTokens: 30 };
const failed = { ok: false, totalMs: 10, completionTokens: 0 };

describeEngines('LivePerformance', (open) => {
  let database: Database;
  const running: LivePerformance[] = [];

  beforeAll(async () => {
    database = await open();
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((node) => node.onApplicationShutdown()));
    await database.db.deleteFrom('performance').execute();
  });

  async function start(): Promise<LivePerformance> {
    const node = new LivePerformance(new PerformanceStore(await open()));
    await node.onModuleInit();
    running.push(node);
    return node;
  }

  it('adds what other gateways have seen to what this one sees, each attempt once', async () => {
    const [one, two] = [await start(), await start()];
    expect(one.read([offer('a')])).toEqual(coldStart);
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

  it('deletes what is older than half an hour, and does not count it', async () => {
    const old = Math.floor(Date.now() / 30_000) - 60;
    const row = { provider: 'a', model: 'm', node_id: 'gone', served: 5, failed: 5, total_ms: 1, tokens: 1, streams: 0, first_token_ms: 0 };
    await database.db
      .insertInto('performance')
      .values([old, old - 1].map((bucket) => ({ ...row, bucket })))
      .execute();
    const node = await start();
    expect(node.read([offer('a')])).toEqual(coldStart);
    node.record(offer('a'), served);
    await node.share();
    expect(await database.db.selectFrom('performance').select('served').execute()).toEqual([{ served: 1n }]);
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
