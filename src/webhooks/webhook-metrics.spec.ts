import type { Principal } from '../auth/principal.js';
import { metricsWithoutRequests } from '../billing/testing/metrics-without-requests.js';
import { storeCustomer } from '../billing/testing/store-customer.js';
import { started, startedEach } from '../common/testing/started.js';
import { recordEvent } from '../database/outbox.js';
import { describeEngines } from '../database/testing/describe-engines.js';
import { MAX_KEPT } from './delivery-store.js';
import { config, WebhookNode } from './testing/webhook-node.js';
import { WebhookReceiver } from './testing/webhook-receiver.js';
import { WebhookMetrics } from './webhook-metrics.js';

describeEngines('the metrics of webhooks', (open) => {
  const database = started(open);
  let node: WebhookNode;
  let principal: Principal;

  beforeEach(async () => {
    node = await WebhookNode.of(database);
    principal = await storeCustomer(database, config, 1n);
  });
  afterEach(async () => {
    await node.stop();
    for (const { id } of await node.store.list()) await node.store.remove(id);
  });
  const receiver = startedEach(() => WebhookReceiver.start(), 'stop');

  const tell = () => recordEvent(database, { type: 'key.revoked', accountId: principal.accountId, data: {} }).execute(database.db);
  const make = async () => (await node.store.create({ url: receiver.url, events: ['key.revoked'] })).endpoint.id;
  async function figuresOf(one: WebhookNode): Promise<Record<string, number>> {
    const metrics = metricsWithoutRequests();
    new WebhookMetrics(metrics, one.figures).onModuleInit();
    const lines = [...(await metrics.text()).matchAll(/^switchyard_webhook_(\S+) (\S+)$/gm)];
    return Object.fromEntries(lines.map(([, name, value]) => [name, Number(value)]));
  }

  it('count attempts by how they ended', async () => {
    await make();
    receiver.answers = (count) => ({ status: count === 0 ? 200 : count === 1 ? 500 : 410 });
    await node.start();
    for (let sent = 1; sent <= 3; sent++) {
      await tell();
      await node.clock.until(() => receiver.received.length === sent, 1_000);
    }
    await node.clock.until(() => node.figures.deliveries.given_up > 0, 1_000);
    expect(await figuresOf(node)).toMatchObject({
      'deliveries_total{outcome="delivered"}': 1,
      'deliveries_total{outcome="failed"}': 1,
      'deliveries_total{outcome="given_up"}': 1,
      'deliveries_total{outcome="dropped"}': 0,
    });
  });

  it('tell how many wait, and for how long the oldest does', async () => {
    expect(await node.deliveries.waiting()).toEqual({ count: 0, oldestMs: 0 });
    await make();
    await tell();
    await tell();
    const { id } = await database.db.selectFrom('webhook_delivery').select('id').limit(1).executeTakeFirstOrThrow();
    const hour = BigInt(Date.now() - 3_600_000);
    const later = BigInt(Date.now() + 3_600_000);
    await database.db.updateTable('webhook_delivery').set({ next_at: later }).execute();
    await database.db.updateTable('webhook_delivery').set({ created_at: hour }).where('id', '=', id).execute();
    await node.start();
    await node.clock.until(() => node.figures.waiting.count > 0, 1_000);
    const { waiting, oldest_waiting_seconds: seconds } = await figuresOf(node);
    expect(waiting).toBe(2);
    expect(seconds).toBeGreaterThan(3_590);
    expect(seconds).toBeLessThan(3_690);
  });

  it('count what is dropped because too many wait, the oldest first', async () => {
    const endpoint_id = await make();
    const rows = Array.from({ length: MAX_KEPT + 3 }, (_, n) => ({
      endpoint_id,
      id: `evt_${n}`,
      type: 'key.revoked',
      data: '{}',
      created_at: n,
      next_at: Date.now() + 3_600_000,
    }));
    for (let from = 0; from < rows.length; from += 1_000)
      await database.db
        .insertInto('webhook_delivery')
        .values(rows.slice(from, from + 1_000))
        .execute();
    await node.start();
    await node.clock.until(() => node.figures.deliveries.dropped > 0, 1_000);
    expect(await figuresOf(node)).toMatchObject({ 'deliveries_total{outcome="dropped"}': 3 });
    const oldest = await database.db.selectFrom('webhook_delivery').select('id').orderBy('created_at').limit(1).executeTakeFirst();
    expect(oldest).toEqual({ id: 'evt_3' });
  });
});
