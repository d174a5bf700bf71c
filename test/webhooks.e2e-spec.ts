import { Webhook } from 'standardwebhooks';
import { AccountStore } from '../src/auth/account-store.js';
import { ApiKeyStore } from '../src/auth/api-key-store.js';
import { parseCredits } from '../src/common/prices/credits.js';
import { ManualClock } from '../src/common/testing/manual-clock.js';
import type { MadeWebhookEndpoint, NewWebhookEndpoint } from '../src/webhooks/webhook-endpoint.js';
import { WebhookEndpointStore } from '../src/webhooks/webhook-endpoint-store.js';
import { WebhookReceiver } from '../src/webhooks/testing/webhook-receiver.js';
import { Administration } from './support/administration.js';
import { describeGateways } from './support/describe-gateways.js';
import type { Gateway } from './support/gateway.js';
import { chatReply, jsonReply } from './support/openai-bytes.js';
import { useUpstream } from './support/started.js';
import { until } from './support/until.js';

describeGateways('Webhooks', (start) => {
  const clock = ManualClock.running();
  let receiver: WebhookReceiver;
  let gateways: Gateway[];

  const upstream = useUpstream();
  beforeAll(async () => {
    upstream.replies(chatReply('Hello'));
    receiver = await WebhookReceiver.start();
    const settings = {
      webhooks: { allow_http: true, allow_private_addresses: true, provider_settle: 100 },
      routing: { probe_interval: 20, retries: 0 },
      providers: {
        p: {
          base_url: `${upstream.origin}/v1`,
          models: { m: { pricing: { prompt: 0, completion: '1000' }, context_length: 8000, max_tokens: 100 } },
        },
      },
    };
    const first = await start(settings, clock);
    gateways = first.running.config.store.database_url ? [first, await start(settings, clock)] : [first];
  });
  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.close()));
    await receiver.stop();
  });

  const app = () => gateways[0]!.running.app;
  const make = (more: Omit<NewWebhookEndpoint, 'url'>): Promise<MadeWebhookEndpoint> =>
    app()
      .get(WebhookEndpointStore)
      .create({ url: receiver.url, ...more });
  /** The messages of an endpoint, verified: another's signature does not fit. */
  const messages = ({ secret }: MadeWebhookEndpoint) =>
    receiver.received.flatMap(({ headers, body }) => {
      try {
        return new Webhook(secret).verify(body, headers as Record<string, string>) as { type: string; data: Record<string, unknown> };
      } catch {
        return [];
      }
    });

  /** Resolves when so many have come to an endpoint. */
  const told = (to: MadeWebhookEndpoint, count: number): Promise<void> => clock.until(() => messages(to).length >= count, 50);

  it('tell of a key that is revoked', async () => {
    const { accountId } = await gateways[0]!.newCustomer();
    const own = await make({ accountId, events: ['key.revoked'] });
    const keys = app().get(ApiKeyStore);
    const { apiKey } = await keys.create({ accountId, environment: 'live', label: 'ci' });
    await keys.revoke(apiKey.id);
    await told(own, 1);
    expect(messages(own)).toMatchObject([{ type: 'key.revoked', data: { key_id: apiKey.id, account_id: accountId, label: 'ci' } }]);
  });

  it('tell of a balance that requests have made low, once', async () => {
    const customer = await gateways[0]!.newCustomer('10');
    const own = await make({ accountId: customer.accountId, events: ['balance.low'], lowBalanceBelow: parseCredits('7.5') });
    // A completion token costs a credit.
    const ask = async (gateway: Gateway) => {
      const body = { model: 'm', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 1 };
      expect((await gateway.post('chat/completions', body, customer.liveKey)).status).toBe(200);
    };
    const known = () => gateways.at(-1)!.get('models', customer.liveKey);
    await until(async () => (await known()).status === 200, 'the key is known');
    for (let requests = 0; requests < 5; requests++) await ask(gateways[requests % gateways.length]!);
    await told(own, 1);
    await until(
      async () => (await Promise.all(gateways.map((gateway) => gateway.balance(customer)))).every((nano) => nano === parseCredits('5')),
      'all charges',
    );
    expect(messages(own)).toMatchObject([
      { type: 'balance.low', data: { account_id: customer.accountId, environment: 'live', low_balance_below: '7.5' } },
    ]);
    expect(Number(messages(own)[0]!.data['balance'])).toBeLessThan(7.5);
  });

  it('tell of a budget that requests have reached, once, at whichever gateways', async () => {
    const customer = await gateways[0]!.newCustomer('10');
    const own = await make({ accountId: customer.accountId, events: ['budget.reached'] });
    await app()
      .get(AccountStore)
      .change(customer.accountId, { rules: { budgets: { month: '3' } } });
    const body = { model: 'm', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 1 };
    await until(async () => {
      const answers = await Promise.all(gateways.map((gateway) => gateway.post('chat/completions', body, customer.liveKey)));
      return answers.every(({ status }) => status === 402);
    }, 'the refusals');
    await told(own, 1);
    const data = { account_id: customer.accountId, environment: 'live', scope: 'account', window: 'month', amount: '3', spent: '3' };
    expect(messages(own)).toMatchObject([
      { type: 'budget.reached', data: { ...data, renews_at: expect.stringMatching(/-01T00:00:00.000Z$/) } },
    ]);
  });

  it('tell of a provider that is down, and up again, once each', async () => {
    const operators = await make({ events: ['provider.down', 'provider.up'] });
    const types = () => messages(operators).map(({ type, data }) => [type, data['provider']]);
    upstream.replies({ ending: 'reset', body: '' });
    await told(operators, 1);
    upstream.replies(jsonReply({ object: 'list', data: [{ id: 'm' }] }));
    await told(operators, 2);
    expect(types()).toEqual([
      ['provider.down', 'p'],
      ['provider.up', 'p'],
    ]);
  });

  describe('by the administration API', () => {
    interface Made {
      id: string;
      secret: string | null;
    }
    const as = (role: Parameters<typeof Administration.as>[1], accountId?: string) =>
      Administration.as(gateways[0]!.running, role, accountId);

    it('are made once, tried, listed without their secret and removed, by owners of their account', async () => {
      const { accountId } = await gateways[0]!.newCustomer('10');
      const owner = await as('owner', accountId);
      const path = `accounts/${accountId}/webhooks`;
      const body = { id: `hook-${accountId}`, url: receiver.url, events: ['balance.low'], low_balance_below: '2.50' };
      const made = await owner.post(path, body);
      expect([made.status, made.body]).toMatchObject([200, { id: body.id, account_id: accountId, low_balance_below: '2.5' }]);
      const { id, secret } = made.body as Made;
      expect((await owner.post(path, body)).body).toMatchObject({ id, secret: null });
      expect((await owner.post(path, { ...body, url: `${receiver.url}/other` })).status).toBe(409);

      receiver.received.length = 0;
      receiver.answers = () => ({ status: 302, headers: { location: 'http://169.254.169.254/' } });
      expect((await owner.post(`${path}/${id}/test`)).body).toEqual({ id, status: 302, error: null });
      receiver.answers = () => ({ status: 204 });
      const [{ body: sent, headers }] = receiver.received as [(typeof receiver.received)[number]];
      expect(new Webhook(secret!).verify(sent, headers as Record<string, string>)).toMatchObject({ type: 'webhook.ping' });

      const listed = await owner.get(path);
      expect(listed.body).toMatchObject({ data: [{ id }], next: null });
      expect(listed.text).not.toContain(secret);
      expect((await owner.delete(`${path}/${id}`)).status).toBe(200);
      expect((await owner.get(`${path}/${id}`)).status).toBe(404);
    });

    it('are changed where nobody else has, and sign with both secrets for a while', async () => {
      const { accountId } = await gateways[0]!.newCustomer('10');
      const owner = await as('owner', accountId);
      const path = `accounts/${accountId}/webhooks`;
      const made = await owner.post(path, { url: receiver.url, events: ['balance.low'], low_balance_below: '2', description: 'one' });
      const { id, secret } = made.body as Made;
      const wanted = { events: ['key.revoked', 'budget.reached'], low_balance_below: null, enabled: false };
      const changed = await owner.patch(`${path}/${id}`, wanted, made.headers['etag']);
      expect([changed.status, changed.body]).toMatchObject([
        200,
        { id, url: receiver.url, events: wanted.events, low_balance_below: null, description: 'one', disabled_at: expect.any(String) },
      ]);
      expect((await owner.patch(`${path}/${id}`, { enabled: true }, made.headers['etag'])).status).toBe(412);
      expect((await owner.patch(`${path}/${id}`, { ...wanted, url: receiver.url, description: 'one' })).body).toEqual(changed.body);
      expect((await owner.patch(`${path}/${id}`, { events: ['provider.up'] })).status).toBe(400);
      expect((await owner.patch(`${path}/${id}`, { enabled: null })).status).toBe(400);

      expect((await owner.call('post', `${path}/${id}/rotate`, { body: {}, ifMatch: made.headers['etag'] })).status).toBe(412);
      const rotation = { id: `rotation-of-${id}`, grace_seconds: 60 };
      const rotated = await owner.post(`${path}/${id}/rotate`, rotation);
      const again = await owner.call('post', `${path}/${id}/rotate`, { body: rotation, ifMatch: changed.headers['etag'] });
      expect([again.status, again.body]).toEqual([200, { ...(rotated.body as Made), secret: null }]);
      expect((await owner.post(`${path}/${id}/rotate`, { ...rotation, grace_seconds: 61 })).status).toBe(409);
      const other = ((await owner.post(path, { url: receiver.url, events: ['key.revoked'] })).body as Made).id;
      expect((await owner.post(`${path}/${other}/rotate`, rotation)).status).toBe(409);
      const { version } = (await owner.get(`${path}/${other}`)).body as { version: string };
      const twice = { id: `both-of-${other}`, grace_seconds: 60 };
      const both = await Promise.all(
        [1, 2].map(() => owner.call('post', `${path}/${other}/rotate`, { body: twice, ifMatch: `"${version}"` })),
      );
      expect(both.map(({ status }) => status)).toEqual([200, 200]);
      expect(both.filter((each) => (each.body as Made).secret !== null)).toHaveLength(1);
      expect((await owner.delete(`${path}/${other}`)).status).toBe(200);
      expect((await owner.post(`${path}/${other}/rotate`, twice)).status).toBe(404);
      expect([rotated.status, rotated.body]).toMatchObject([200, { id, secret: expect.stringContaining('whsec_') }]);
      expect((await owner.call('delete', `${path}/${id}`, { ifMatch: made.headers['etag'] })).status).toBe(412);
      receiver.received.length = 0;
      await owner.post(`${path}/${id}/test`);
      const [{ body, headers }] = receiver.received as [(typeof receiver.received)[number]];
      for (const one of [secret!, (rotated.body as Made).secret!])
        expect(new Webhook(one).verify(body, headers as Record<string, string>)).toMatchObject({ type: 'webhook.ping' });
      type Line = { subject: string; action: string; fields: string[] };
      const { data } = (await owner.get(`accounts/${accountId}/audit-log`)).body as { data: Line[] };
      const route = '/admin/v1/accounts/:account/webhooks/:webhook';
      const lines = data.filter(({ subject }) => subject === id);
      expect(lines.slice(0, 2).map(({ action, fields }) => [action, fields])).toEqual([
        [`POST ${route}/rotate`, ['secret']],
        [`PATCH ${route}`, ['events', 'enabled', 'low_balance_below']],
      ]);
    });

    it('are an account’s own, and say what is wrong', async () => {
      const [mine, theirs] = [await gateways[0]!.newCustomer(), await gateways[0]!.newCustomer()];
      const [admin, viewer, operator] = [await as('admin', mine.accountId), await as('viewer', mine.accountId), await as('operator')];
      const path = `accounts/${mine.accountId}/webhooks`;
      const body = { url: receiver.url, events: ['provider.down'] };
      const operators = (await operator.post('webhooks', body)).body as Made;
      expect((await operator.get('webhooks')).text).toContain(operators.id);
      expect((await admin.post('webhooks', body)).status).toBe(403);
      expect((await viewer.get(path)).status).toBe(403);
      expect((await admin.get(`accounts/${theirs.accountId}/webhooks`)).status).toBe(404);
      expect((await admin.get(`${path}/${operators.id}`)).status).toBe(404);
      expect((await admin.delete(`${path}/${operators.id}`)).status).toBe(404);
      const wrong = [
        body,
        { ...body, events: ['nothing'] },
        { ...body, events: [] },
        { url: 'http://169.254.169.254/', events: ['key.revoked'] },
      ];
      for (const one of wrong) expect((await admin.post(path, one)).status).toBe(400);
      expect((await admin.post(path, { url: receiver.url, events: ['balance.low'], low_balance_below: 'much' })).status).toBe(400);
      expect((await operator.delete(`webhooks/${operators.id}`)).status).toBe(200);
    });
  });
});
