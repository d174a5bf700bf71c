import { Webhook } from 'standardwebhooks';
import { started, startedEach } from '../common/testing/started.js';
import type { Principal } from '../auth/principal.js';
import { storeCustomer } from '../billing/testing/store-customer.js';
import { recordEvent } from '../database/outbox.js';
import { describeEngines } from '../database/testing/describe-engines.js';
import type { NewWebhookEndpoint } from './webhook-endpoint.js';
import { config, WebhookNode } from './testing/webhook-node.js';
import { type ReceivedMessage, WebhookReceiver } from './testing/webhook-receiver.js';

const CREDIT = 1_000_000_000n;
const HOUR = 3_600_000;

describeEngines('a webhook that is changed', (open) => {
  const database = started(open);
  let node: WebhookNode;
  let principal: Principal;
  beforeEach(async () => {
    node = await WebhookNode.of(database);
    principal = await storeCustomer(database, config, 10n * CREDIT);
  });
  afterEach(async () => {
    await node.stop();
    for (const { id } of await node.store.list()) await node.store.remove(id);
  });
  const receiver = startedEach(() => WebhookReceiver.start(), 'stop');

  /** What has come once these are so many messages. */
  async function messages(count: number, to = receiver): Promise<readonly ReceivedMessage[]> {
    await node.clock.until(() => to.received.length >= count, 1_000);
    return to.received;
  }
  const make = (more: Partial<NewWebhookEndpoint> = {}) =>
    node.store.create({ url: receiver.url, events: ['key.revoked'], accountId: principal.accountId, ...more });
  const tell = (type: 'key.revoked' | 'balance.low') =>
    recordEvent(database, { type, accountId: principal.accountId, data: {} }).execute(database.db);
  const waiting = () => database.db.selectFrom('webhook_delivery').select(['type']).where('next_at', 'is not', null).execute();
  const verifies = ({ body, headers }: ReceivedMessage, secret: string): boolean => {
    try {
      new Webhook(secret).verify(body, headers as Record<string, string>);
      return true;
    } catch {
      return false;
    }
  };
  const watched = async () => (await database.db.selectFrom('low_balance_watch').select('environment').execute()).length;

  it('is told of what it wants now, where it wants it, and keeps the rest', async () => {
    const { endpoint } = await make({ description: 'one' });
    const changed = await node.store.change(endpoint.id, { events: ['budget.reached'], description: 'two' });
    expect(changed).toMatchObject({ url: receiver.url, events: ['budget.reached'], description: 'two' });
    expect(changed!.version).toBeGreaterThan(endpoint.version);
    expect(await node.store.remove(endpoint.id, { ifVersion: endpoint.version })).toBeUndefined();
    expect(await node.store.find(endpoint.id)).toEqual(changed);
    await tell('key.revoked');
    expect(await waiting()).toEqual([]);
    const other = await WebhookReceiver.start();
    await node.start();
    await node.store.change(endpoint.id, { events: ['key.revoked'], url: other.url });
    await tell('key.revoked');
    await messages(1, other);
    expect(receiver.received).toEqual([]);
    await other.stop();
  });

  it('changes in the version that is asked for, and refuses what cannot work', async () => {
    const { endpoint } = await make();
    expect(await node.store.change(endpoint.id, { description: 'x' }, { ifVersion: endpoint.version - 1n })).toBeUndefined();
    expect(await node.store.change('nothing', { description: 'x' })).toBeUndefined();
    await expect(node.store.change(endpoint.id, { url: 'http://169.254.169.254/' })).rejects.toThrow(/private/);
    await expect(node.store.change(endpoint.id, { events: [] })).rejects.toThrow(/at least one/);
    await expect(node.store.change(endpoint.id, { events: ['provider.up'] })).rejects.toThrow(/operators/);
    await expect(node.store.change(endpoint.id, { lowBalanceBelow: 1n })).rejects.toThrow(/called low/);
    expect(await node.store.find(endpoint.id)).toEqual(endpoint);
  });

  it('is sent nothing while it is disabled, and what happens from then on when it is enabled again', async () => {
    const { endpoint } = await make();
    await tell('key.revoked');
    expect(await node.store.change(endpoint.id, { enabled: false })).toMatchObject({ disabledAt: expect.any(Number) });
    expect(await waiting()).toEqual([]);
    await tell('key.revoked');
    expect(await waiting()).toEqual([]);
    expect(await node.store.change(endpoint.id, { enabled: true })).toMatchObject({ disabledAt: undefined });
    await tell('key.revoked');
    expect(await waiting()).toHaveLength(1);
  });

  it('watches the balances that are not low by what it calls low now', async () => {
    const { endpoint } = await make({ events: ['balance.low'], lowBalanceBelow: 5n * CREDIT });
    expect(await watched()).toBe(1);
    await node.store.change(endpoint.id, { lowBalanceBelow: 11n * CREDIT });
    expect(await watched()).toBe(0);
    await node.store.change(endpoint.id, { lowBalanceBelow: 10n * CREDIT });
    expect(await watched()).toBe(1);
    await node.store.change(endpoint.id, { enabled: false });
    expect(await watched()).toBe(0);
    await node.store.change(endpoint.id, { enabled: true });
    expect(await watched()).toBe(1);
    await node.store.change(endpoint.id, { events: ['key.revoked'], lowBalanceBelow: null });
    expect(await watched()).toBe(0);
  });

  it('signs with both secrets until the grace ends, and with the new one afterwards', async () => {
    const { endpoint, secret: first } = await make();
    await node.start();
    const second = (await node.store.rotate(endpoint.id, HOUR))!;
    expect(second.secret).toMatch(/^whsec_.{44}$/);
    expect(second.endpoint.oldSecretUntil).toBeGreaterThan(Date.now() + HOUR / 2);
    await tell('key.revoked');
    const [both] = (await messages(1)) as [ReceivedMessage];
    expect([first, second.secret].map((secret) => verifies(both, secret))).toEqual([true, true]);
    expect(String(both.headers['webhook-signature'])).toMatch(/^v1,\S{44} v1,\S{44}$/);

    await database.db.updateTable('webhook_endpoint').set({ old_secret_until: 1n }).execute();
    await node.deliveries.sweep();
    expect(await node.store.open(endpoint.id)).toMatchObject({ oldSecret: undefined, secret: second.secret });
    const third = (await node.store.rotate(endpoint.id, 0))!;
    await tell('key.revoked');
    const [, alone] = (await messages(2)) as [unknown, ReceivedMessage];
    expect([first, second.secret, third.secret].map((secret) => verifies(alone, secret))).toEqual([false, false, true]);
    expect(await node.store.rotate(endpoint.id, 0, { ifVersion: endpoint.version })).toBeUndefined();
  });

  it('signs no more with a secret whose grace has ended, also before it is deleted', async () => {
    const { endpoint, secret: first } = await make();
    const { secret: second } = (await node.store.rotate(endpoint.id, HOUR))!;
    await database.db
      .updateTable('webhook_endpoint')
      .set({ old_secret_until: BigInt(Date.now() - 1) })
      .execute();
    await node.start();
    await tell('key.revoked');
    const [message] = (await messages(1)) as [ReceivedMessage];
    expect([first, second].map((secret) => verifies(message, secret))).toEqual([false, true]);
  });
});
