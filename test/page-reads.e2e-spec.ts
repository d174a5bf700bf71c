import request from 'supertest';
import { Database } from '../src/database/database.js';
import { Administration } from './support/administration.js';
import { apiDocuments } from './support/api-documents.js';
import { createCustomer } from './support/customer.js';
import { describeGateways } from './support/describe-gateways.js';
import type { Gateway } from './support/gateway.js';
import { chatReply } from './support/openai-bytes.js';
import { seedRequests } from './support/seed-requests.js';
import { useUpstream } from './support/started.js';
import { until } from './support/until.js';
import { withoutConnections } from './support/without-connections.js';

describeGateways('Reads of pages', (start) => {
  let gateway: Gateway;
  let operator: Administration;
  const upstream = useUpstream();
  beforeAll(async () => {
    upstream.replies(chatReply('one two three'));
    gateway = await start({
      store: { keep_responses: true },
      providers: {
        p: {
          base_url: `${upstream.origin}/v1`,
          models: { m: { pricing: { prompt: 0, completion: 1 }, context_length: 8000, max_tokens: 100 } },
        },
      },
    });
    operator = await Administration.signedIn(gateway.running, 'operator');
  });
  afterAll(() => gateway.close());

  it('wait for no change, however long that takes: every read of the administration, and stored responses', async () => {
    const { accountId, liveKey } = await gateway.newCustomer();
    const database = gateway.running.app.get(Database);
    const to = Date.now() - 3_600_000;
    const { body: key } = await operator.post(`accounts/${accountId}/keys`, { environment: 'live' });
    const { id: keyId } = key as { id: string };
    await seedRequests(database, { accountId, keys: [keyId], models: ['m'], count: 600, from: to - 1_000, to });
    const [seeded] = await database.db.selectFrom('usage').select('request_id').where('key_id', '=', keyId).limit(1).execute();
    const { body: stored } = await gateway.post('responses', { model: 'm', input: 'Hello' }, liveKey);
    const { id } = stored as { id: string };
    const values: Record<string, string> = { account: accountId, key: keyId, request: seeded!.request_id, model: 'm' };
    const reads = Object.entries(apiDocuments.administration.paths)
      .filter(
        ([path, methods]) => methods['get'] && !path.endsWith('openapi.json') && !path.includes('session') && !path.includes('{token}'),
      )
      .map(([path]) => path.replace('/admin/v1/', '').replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? 'none'));
    const unanswered: unknown[] = [];
    await withoutConnections(gateway, 'others', async () => {
      for (const path of reads) {
        const { status } = await operator.get(path);
        if (![200, 400, 404].includes(status)) unanswered.push([path, status]);
      }
      for (const path of [`responses/${id}`, `responses/${id}/input_items`, `responses/${id}?stream=true`]) {
        const { status } = await gateway.get(path, liveKey);
        if (status !== 200) unanswered.push([path, status]);
      }
      const { text } = await operator.get(`accounts/${accountId}/requests.jsonl`);
      expect(text.trim().split('\n').length).toBeGreaterThanOrEqual(600);
    });
    expect(unanswered).toEqual([]);
    expect(reads).toContain(`accounts/${accountId}/requests/${seeded!.request_id}`);
    expect(reads.length).toBeGreaterThan(40);
  });

  it('hold up no check of a key, no charge, no revocation and nobody who signs in, however long they take', async () => {
    const account = `accounts/${gateway.customer.accountId}`;
    const pages: Promise<{ status: number }>[] = [];
    let answered = 0;
    await withoutConnections(gateway, 'reads', async () => {
      for (let page = 0; page < 15; page++) pages.push(operator.get(`${account}/requests/none-${page}`).then((one) => (answered++, one)));
      const changes = await Administration.signedIn(gateway.running, 'operator');
      const made = await changes.post(`${account}/keys`, { environment: 'live' });
      const { key, id } = made.body as { key: string; id: string };
      await until(async () => (await gateway.get('models', key)).status === 200, 'the key is known');
      const customer = await createCustomer(gateway.running.app, '1');
      const chat = await gateway.post('chat/completions', { model: 'm', messages: [{ role: 'user', content: 'Hi' }] }, customer.liveKey);
      expect(chat.status).toBe(200);
      await gateway.usage(1, customer);
      expect((await changes.delete(`${account}/keys/${id}`)).status).toBe(200);
      expect((await gateway.get('models', key)).status).toBe(401);
      expect(answered).toBe(0);
    });
    for (const { status } of await Promise.all(pages)) expect(status).toBe(404);
  });

  it('of one person are so many at the same time, and others find room', async () => {
    const viewer = await Administration.as(gateway.running, 'viewer', gateway.customer.accountId);
    const other = await Administration.as(gateway.running, 'viewer', gateway.customer.accountId);
    const path = `accounts/${gateway.customer.accountId}/requests/none`;
    await withoutConnections(gateway, 'reads', async () => {
      const statuses: number[] = [];
      const reads = Array.from({ length: 30 }, () => viewer.get(path).then(({ status }) => statuses.push(status)));
      await until(() => statuses.length === 10, 'what is too much is refused');
      expect(new Set(statuses)).toEqual(new Set([429]));
      const refused = await viewer.get(path);
      expect(refused.headers['retry-after']).toBe('1');
      expect(refused.body).toMatchObject({ error: { code: 'rate_limit_exceeded', message: expect.stringContaining('may have 20') } });
      expect((await other.get('me')).status).toBe(200);
      return reads;
    }).then((reads) => Promise.all(reads));
    expect((await viewer.get(path)).status).toBe(404);
  });
});

describeGateways('Reads of one person', (start) => {
  it('are so many in a minute, and of others as many', async () => {
    await using gateway = await start({ limits: { administration_per_minute: 3 } });
    const viewer = await Administration.as(gateway.running, 'viewer', gateway.customer.accountId);
    const other = await Administration.as(gateway.running, 'viewer', gateway.customer.accountId);
    for (let n = 0; n < 3; n++) expect((await viewer.get('me')).status).toBe(200);
    const refused = await viewer.get('me');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect((await other.get('me')).status).toBe(200);
    const strangers = await request(gateway.url).get('/admin/v1/me');
    expect(strangers.status).toBe(401);
  });
});
