import { randomUUIDv7 as uuidv7 } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { jest } from '@jest/globals';
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { startedEach } from '../common/testing/started.js';
import { ApiKeyHasher } from '../auth/api-key-hasher.js';
import { ApiKeyStore } from '../auth/api-key-store.js';
import { loadPepper } from '../auth/pepper.js';
import type { Principal } from '../auth/principal.js';
import { CreditStore } from '../billing/credit-store.js';
import { LeaseStore } from '../billing/leases/lease-store.js';
import { storeCustomer } from '../billing/testing/store-customer.js';
import { ConfigService } from '../config/config.service.js';
import type { Database } from '../database/database.js';
import { type EventType, MAX_STORED, recordEvent } from '../database/outbox.js';
import { describeEngines } from '../database/testing/describe-engines.js';
import { waitAfter } from './backoff.js';
import { MAX_KEPT } from './delivery-store.js';
import type { MadeWebhookEndpoint } from './webhook-endpoint.js';
import { type ReceivedMessage, WebhookReceiver } from './testing/webhook-receiver.js';
import { config, WebhookNode } from './testing/webhook-node.js';

const CREDIT = 1_000_000_000n;

describeEngines('webhooks', (open) => {
  let database: Database;
  let node: WebhookNode;
  let principal: Principal;
  const started: WebhookNode[] = [];

  beforeAll(async () => {
    database = await open();
  });
  beforeEach(async () => {
    node = await WebhookNode.of(database);
    principal = await storeCustomer(database, config, 10n * CREDIT);
  });
  afterEach(async () => {
    await Promise.all(started.splice(0).map((one) => one.stop()));
    for (const { id } of await node.store.list()) await node.store.remove(id);
    for (const table of ['webhook_delivery', 'low_balance_watch', 'provider_status', 'provider_outage'] as const)
      await database.db.deleteFrom(table).execute();
  });
  const receiver = startedEach(() => WebhookReceiver.start(), 'stop');

  /** Lets them look for messages until it is so. */
  const until = (condition: () => boolean | Promise<boolean>) => node.clock.until(condition, 1_000);

  async function start(one: WebhookNode = node): Promise<WebhookNode> {
    started.push(one);
    return one.start();
  }
  const make = (events: EventType[], more: object = {}): Promise<MadeWebhookEndpoint> =>
    node.store.create({ url: receiver.url, events, ...more });
  const keys = async () => new ApiKeyStore(database, new ApiKeyHasher(await loadPepper(config, database)), new ConfigService(config));
  const revoke = async (keyId = principal.keyId) => (await keys()).revoke(keyId);
  const rows = () => database.db.selectFrom('webhook_delivery').selectAll().orderBy('created_at').orderBy('id').execute();
  const read = ({ body }: ReceivedMessage) => JSON.parse(body) as { type: string; data: Record<string, unknown> };
  /** Lets every message that waits be sent now. */
  const hurry = () => database.db.updateTable('webhook_delivery').set({ next_at: 0n }).where('next_at', 'is not', null).execute();

  it('signs messages as the library of Standard Webhooks verifies them', async () => {
    const { secret } = await make(['key.revoked']);
    await start();
    await revoke();
    await until(() => receiver.received.length > 0);
    const [{ body, headers }] = receiver.received as [ReceivedMessage];
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual({
      type: 'key.revoked',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: expect.objectContaining({ key_id: principal.keyId, account_id: principal.accountId, environment: 'live' }),
    });
    const [row] = await rows();
    expect(headers['webhook-id']).toBe(row!.id);
    expect(() => new Webhook(secret).verify(`${body} `, headers as Record<string, string>)).toThrow('No matching signature');
    await until(async () => (await rows())[0]!.delivered_at !== null);
    expect((await rows())[0]).toMatchObject({ next_at: null, attempts: 1n, last_status: 204n });
  });

  it('tells of a revocation once, and with the revocation or not at all', async () => {
    await make(['key.revoked']);
    const failing = jest.spyOn(database, 'raise').mockImplementationOnce(() => sql`select value from nothing`);
    await expect(revoke()).rejects.toThrow(/nothing/);
    failing.mockRestore();
    expect(await rows()).toEqual([]);
    await revoke();
    await revoke();
    expect(await rows()).toHaveLength(1);
  });

  it('tells an account of its own events, and operators of all', async () => {
    const other = await storeCustomer(database, config, CREDIT);
    const own = await make(['key.revoked'], { accountId: principal.accountId });
    const operators = await make(['key.revoked', 'provider.down']);
    await make(['provider.down']);
    await revoke(other.keyId);
    await revoke();
    await recordEvent(database, { type: 'provider.down', data: { provider: 'p' } }).execute(database.db);
    const told = async (id: string) => (await rows()).filter(({ endpoint_id }) => endpoint_id === id).map(({ type }) => type);
    expect(await told(own.endpoint.id)).toEqual(['key.revoked']);
    expect((await told(operators.endpoint.id)).sort()).toEqual(['key.revoked', 'key.revoked', 'provider.down']);
  });

  it('comes again after failures, with the same id, and ends when the receiver takes it', async () => {
    await make(['key.revoked']);
    receiver.answers = (count) => ({ status: count < 2 ? 500 : 200 });
    await start();
    let asked = Date.now();
    await revoke();
    for (let failures = 1; failures <= 2; failures++) {
      await until(async () => (await rows())[0]!.last_status === 500n && receiver.received.length === failures);
      const [row] = await rows();
      expect(row!.attempts).toBe(BigInt(failures));
      const [least, most] = [waitAfter(failures, 0)!, waitAfter(failures, 1)!];
      expect(Number(row!.next_at)).toBeGreaterThanOrEqual(asked + least);
      expect(Number(row!.next_at)).toBeLessThanOrEqual(Date.now() + most);
      await database.db.updateTable('webhook_delivery').set({ last_status: null }).execute();
      asked = Date.now();
      await hurry();
    }
    await until(async () => (await rows())[0]!.delivered_at !== null);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(receiver.received).toHaveLength(3);
  });

  it('gives up after ten attempts, and notes the endpoint as failing until one succeeds', async () => {
    const { endpoint } = await make(['key.revoked']);
    await revoke();
    await database.db.updateTable('webhook_delivery').set({ attempts: 9n }).execute();
    receiver.answers = (count) => ({ status: count === 0 ? 503 : 200 });
    await start();
    await until(async () => (await rows())[0]!.next_at === null);
    expect((await rows())[0]).toMatchObject({ attempts: 10n, delivered_at: null, last_status: 503n });
    await until(async () => (await node.store.find(endpoint.id))!.failingSince !== undefined);
    await recordEvent(database, { type: 'key.revoked', accountId: principal.accountId, data: {} }).execute(database.db);
    await until(async () => (await node.store.find(endpoint.id))!.failingSince === undefined);
  });

  it('disables an endpoint that says it is gone', async () => {
    const { endpoint } = await make(['key.revoked']);
    receiver.answers = () => ({ status: 410 });
    await start();
    await revoke();
    await until(async () => (await node.store.find(endpoint.id))!.disabledAt !== undefined);
    await recordEvent(database, { type: 'key.revoked', accountId: principal.accountId, data: {} }).execute(database.db);
    expect((await rows()).map(({ next_at }) => next_at)).toEqual([null]);
  });

  it('sends a message to the address of now where the one of before has said that it is gone', async () => {
    const { endpoint } = await make(['key.revoked']);
    const { promise: changed, resolve } = Promise.withResolvers<void>();
    receiver.answers = (count) => (count === 0 ? changed.then(() => ({ status: 410 })) : { status: 200 });
    await start();
    await revoke();
    await until(() => receiver.received.length === 1);
    await node.store.change(endpoint.id, { url: `${receiver.url}/new` });
    resolve();
    await until(async () => (await rows())[0]!.last_status === 410n);
    await hurry();
    await until(async () => (await rows())[0]!.delivered_at !== null);
    expect(await node.store.find(endpoint.id)).toMatchObject({ disabledAt: undefined, failingSince: undefined });
  });

  it('sends what a process that has died had written, or had claimed', async () => {
    await make(['key.revoked']);
    await revoke();
    const second = await (await keys()).create({ accountId: principal.accountId, environment: 'live' });
    await revoke(second.apiKey.id);
    const claimed = await node.deliveries.claim((await rows())[0]!.endpoint_id, 1);
    expect(claimed).toMatchObject([{ attempt: 1 }]);
    await start(await WebhookNode.of(await open(), node.clock));
    await until(async () => (await rows()).some(({ delivered_at }) => delivered_at !== null));
    expect(receiver.received).toHaveLength(1);
    expect(read(receiver.received[0]!).data).not.toEqual(JSON.parse(claimed[0]!.data));
    // The claim of the process that died runs out.
    await hurry();
    await until(() => receiver.received.length === 2);
    await until(async () => (await rows()).every(({ delivered_at }) => delivered_at !== null));
    expect((await rows()).map(({ attempts }) => Number(attempts)).sort((one, other) => one - other)).toEqual([1, 2]);
  });

  it('makes each attempt once, however many processes there are', async () => {
    const { endpoint } = await make(['key.revoked']);
    const nodes = await Promise.all(Array.from({ length: 3 }, async () => WebhookNode.of(await open(), node.clock)));
    for (const one of nodes) await start(one);
    const events = 40;
    await Promise.all(
      Array.from({ length: events }, () =>
        recordEvent(database, { type: 'key.revoked', accountId: principal.accountId, data: {} }).execute(database.db),
      ),
    );
    const claimed = (await Promise.all(nodes.map(({ deliveries }) => deliveries.claim(endpoint.id, 5)))).flat();
    expect(new Set(claimed.map(({ id }) => id)).size).toBe(claimed.length);
    for (const one of claimed) await node.deliveries.release(one);
    await until(async () => (await rows()).every(({ delivered_at }) => delivered_at !== null));
    expect(receiver.received).toHaveLength(events);
    expect((await rows()).map(({ attempts }) => attempts)).toEqual(Array.from({ length: events }, () => 1n));
  });

  it('sends no attempt’s end over that of a later one', async () => {
    await make(['key.revoked']);
    await revoke();
    const endpointId = (await rows())[0]!.endpoint_id;
    const [frozen] = await node.deliveries.claim(endpointId, 1);
    await hurry();
    const [later] = await node.deliveries.claim(endpointId, 1);
    await node.deliveries.delivered(later!, 200);
    await node.deliveries.failed(frozen!, { status: 500 }, 5_000);
    await node.deliveries.release(frozen!);
    expect((await rows())[0]).toMatchObject({ attempts: 2n, next_at: null, last_status: 200n });
  });

  it('makes no attempt at a message that has ended while it was under way', async () => {
    const { endpoint } = await make(['key.revoked']);
    await revoke();
    const [claimed] = await node.deliveries.claim(endpoint.id, 1);
    await node.store.change(endpoint.id, { enabled: false });
    await node.deliveries.failed(claimed!, { status: 500 }, 5_000);
    expect((await rows())[0]).toMatchObject({ next_at: null });
    await node.deliveries.release(claimed!);
    expect((await rows())[0]).toMatchObject({ next_at: null });
  });

  it('gives an attempt back that its end interrupts', async () => {
    await make(['key.revoked']);
    receiver.answers = () => new Promise(() => undefined);
    await start();
    await revoke();
    await until(() => receiver.received.length === 1);
    await node.stop();
    expect((await rows())[0]).toMatchObject({ attempts: 0n, delivered_at: null });
    expect((await rows())[0]!.next_at).not.toBeNull();
  });

  it('keeps a secret out of the store, the log and errors', async () => {
    const lines: unknown[] = [];
    const log = jest.spyOn(Logger.prototype, 'warn').mockImplementation((...line: unknown[]) => void lines.push(...line));
    const { endpoint, secret } = await make(['key.revoked'], { url: `${receiver.url}/path-of-the-endpoint` });
    receiver.answers = () => ({ status: 410 });
    await start();
    await revoke();
    await until(() => lines.length > 0);
    log.mockRestore();
    expect(lines.join('\n')).toContain(endpoint.id);
    expect(lines.join('\n')).not.toContain('path-of-the-endpoint');
    const stored = await database.db.selectFrom('webhook_endpoint').selectAll().executeTakeFirstOrThrow();
    const bytes = Buffer.from(stored.secret);
    for (const part of [secret.slice(0, 12), secret.slice('whsec_'.length)]) expect(bytes.includes(part)).toBe(false);
    expect(bytes.includes(Buffer.from(secret.slice('whsec_'.length), 'base64'))).toBe(false);
    expect(
      JSON.stringify(await node.store.list(), (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
    ).not.toContain(secret);
    expect((await node.store.open(endpoint.id))!.secret).toBe(secret);
  });

  it('drops what ended long ago and what has no endpoint', async () => {
    await make(['key.revoked']);
    await revoke();
    const [row] = (await rows()) as [Awaited<ReturnType<typeof rows>>[number]];
    const old = { ...row, created_at: 0n };
    const insert = (more: object) =>
      database.db
        .insertInto('webhook_delivery')
        .values({ ...old, ...more })
        .execute();
    await insert({ id: 'delivered', delivered_at: 1n, next_at: null });
    await insert({ id: 'waiting' });
    await insert({ id: 'of nobody', endpoint_id: 'removed' });
    await node.deliveries.sweep();
    expect((await rows()).map(({ id }) => id).sort()).toEqual([row.id, 'waiting'].sort());
  });

  /** Leaves an endpoint as many messages as it may have. */
  async function fill(endpoint_id: string): Promise<void> {
    const ended = Array.from({ length: MAX_STORED }, (_, n) => ({
      endpoint_id,
      id: `evt_${n}`,
      type: 'key.revoked',
      data: '{}',
      created_at: BigInt(Date.now()),
      next_at: null,
    }));
    for (let from = 0; from < ended.length; from += 1_000)
      await database.db
        .insertInto('webhook_delivery')
        .values(ended.slice(from, from + 1_000))
        .execute();
  }

  it('leaves no message to an endpoint that has as many as it may, whether they wait or have ended', async () => {
    const { endpoint: full } = await make(['key.revoked']);
    const { endpoint: other } = await make(['key.revoked']);
    await fill(full.id);
    const waiting = async () => {
      const { apiKey } = await (await keys()).create({ accountId: principal.accountId, environment: 'live' });
      await database.db.deleteFrom('webhook_delivery').where('next_at', 'is not', null).execute();
      await revoke(apiKey.id);
      const told = await database.db.selectFrom('webhook_delivery').select('endpoint_id').where('next_at', 'is not', null).execute();
      return told.map(({ endpoint_id }) => endpoint_id).sort();
    };
    expect(await waiting()).toEqual([other.id]);
    expect(await node.deliveries.sweep()).toBe(0);
    expect(await waiting()).toEqual([full.id, other.id].sort());
    expect(await rows()).toHaveLength(MAX_KEPT + 2);
  });

  it('refuses what cannot work', async () => {
    const wrong: [Partial<Parameters<typeof node.store.create>[0]>, RegExp][] = [
      [{ url: 'http://169.254.169.254/' }, /private/],
      [{ url: 'ftp://example.com' }, /https/],
      [{ url: 'nothing' }, /URL/],
      [{ events: [] }, /at least one/],
      [{ events: ['balance.low'] }, /called low/],
      [{ lowBalanceBelow: 1n }, /called low/],
      [{ accountId: principal.accountId, events: ['provider.down'] }, /operators/],
    ];
    for (const [more, why] of wrong) await expect(make(['key.revoked'], more)).rejects.toThrow(why);
    for (let made = 0; made < 20; made++) await make(['key.revoked']);
    await expect(make(['key.revoked'])).rejects.toThrow(/already/);
  });

  describe('balances', () => {
    const ledger = startedEach(() => new LeaseStore(database, uuidv7(), 30_000, undefined, node.lowBalances));
    const low = { lowBalanceBelow: 5n * CREDIT };
    const grant = (credits: bigint) =>
      new CreditStore(database).grant({ accountId: principal.accountId, environment: 'live', amount: credits * CREDIT });
    /** Charges a request as gateways do. */
    async function charge(credits: bigint): Promise<void> {
      const [leaseId, requestId] = [uuidv7(), uuidv7()];
      const nothing = { begins: [], progress: [], endings: [], returns: [], grants: [], renews: [] };
      const price = { prompt: 0n, completion: 1_000n * CREDIT };
      const facts = { requestId, principal, operation: 'chat', model: 'm', price, leaseId, hold: credits * CREDIT, startedAt: 1 } as const;
      const demand = () => ({ need: credits * CREDIT, short: false, recalls: false });
      await ledger.sync({ ...nothing, grants: [{ leaseId, account: principal, opens: true, demand }] });
      const charged = { promptTokens: 0, completionTokens: Number(credits), price, amount: credits * CREDIT, excess: 0n };
      const ending = { request: facts, charge: charged, outcome: 'completed', estimated: false, provider: 'p', endedAt: 2 } as const;
      const { leases } = await ledger.sync({ ...nothing, endings: [ending] });
      const { granted, spent } = leases.get(leaseId) ?? { granted: 0n, spent: 0n };
      await ledger.sync({ ...nothing, returns: [{ leaseId, account: principal, amount: granted - spent }] });
    }
    const told = async () => (await rows()).map(({ data }) => JSON.parse(data) as Record<string, string>);

    it('are told of once when they fall, and again only after they were not low', async () => {
      await make(['balance.low'], low);
      await start();
      await charge(4n);
      expect(await told()).toEqual([]);
      await charge(3n);
      await charge(1n);
      const fallen = { account_id: principal.accountId, environment: 'live', balance: '3', low_balance_below: '5' };
      expect(await told()).toEqual([fallen]);
      await grant(1n);
      await charge(1n);
      expect(await told()).toHaveLength(1);
      await grant(10n);
      expect(await told()).toHaveLength(1);
      await charge(12n);
      expect(new Set((await told()).map(({ balance }) => balance))).toEqual(new Set(['0', '3']));
    });

    it('are told of to each endpoint at its own amount, and to no other account', async () => {
      const other = await storeCustomer(database, config, 10n * CREDIT);
      await make(['balance.low'], { ...low, accountId: other.accountId });
      await make(['balance.low'], { lowBalanceBelow: 9_500_000_000n, accountId: principal.accountId });
      await make(['balance.low'], { lowBalanceBelow: 1n });
      await start();
      await charge(1n);
      expect((await told()).map(({ low_balance_below }) => low_balance_below)).toEqual(['9.5']);
    });

    it('are not told of where they have never been above', async () => {
      principal = await storeCustomer(database, config, 4n * CREDIT);
      await make(['balance.low'], low);
      await start();
      await charge(1n);
      expect(await told()).toEqual([]);
    });

    it('are told of to no endpoint that has as many messages as it may', async () => {
      const { endpoint: full } = await make(['balance.low'], low);
      const { endpoint: other } = await make(['balance.low'], low);
      await fill(full.id);
      await start();
      await charge(6n);
      expect((await rows()).filter(({ type }) => type === 'balance.low').map(({ endpoint_id }) => endpoint_id)).toEqual([other.id]);
    });

    it('are told of also where they fall before gateways know of the endpoint', async () => {
      await make(['balance.low'], low);
      await charge(6n);
      await start();
      await until(async () => (await told()).length === 1);
      await Promise.all([node.lowBalances.catchUp(), charge(1n)]);
      expect(await told()).toHaveLength(1);
    });
  });

  describe('providers', () => {
    const types = async () => (await rows()).map(({ type }) => type);

    it('are told of once by all processes, when the first finds one down and when the last finds it up', async () => {
      await make(['provider.down', 'provider.up']);
      const [one, two] = [await start(), await start(await WebhookNode.of(await open(), node.clock))];
      await Promise.all([one.outages.say('p', true), two.outages.say('p', true), one.outages.say('p', true)]);
      expect(await types()).toEqual(['provider.down']);
      await one.outages.say('p', false);
      await delay(200); // More than six times provider_settle, before which nothing is told anyway.
      expect(await types()).toEqual(['provider.down']);
      await two.outages.say('p', false);
      await until(async () => (await rows()).length === 2);
      expect(await types()).toEqual(['provider.down', 'provider.up']);
      expect(JSON.parse((await rows())[0]!.data)).toEqual({ provider: 'p' });
    });

    it('are told of no more often than they may be, and in the end as they are', async () => {
      await make(['provider.down', 'provider.up']);
      await start();
      for (let flap = 0; flap < 50; flap++) await node.outages.say('p', flap % 2 === 0);
      const changes = await types();
      expect(changes.length).toBeLessThan(50);
      await until(async () => (await types()).at(-1) === 'provider.up');
      for (const [index, type] of (await types()).entries()) expect(type).toBe(index % 2 === 0 ? 'provider.down' : 'provider.up');
    });

    it('are up again when the process that has found them down has died', async () => {
      await make(['provider.down', 'provider.up']);
      await (await WebhookNode.of(database)).outages.say('p', true);
      await start();
      await database.db.updateTable('provider_outage').set({ until: 1n }).execute();
      await until(async () => (await rows()).length === 2);
      expect(await types()).toEqual(['provider.down', 'provider.up']);
    });
  });
});
