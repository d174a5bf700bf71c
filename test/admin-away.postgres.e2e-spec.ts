import request from 'supertest';
import { describePostgres } from '../src/database/testing/describe-engines.js';
import { TemporaryPostgres } from '../src/database/testing/temporary-postgres.js';
import { Administration } from './support/administration.js';
import { apiDocuments } from './support/api-documents.js';
import { expectEnvelope } from './support/expect-envelope.js';
import { Gateway } from './support/gateway.js';
import { until } from './support/until.js';

const email = 'away@example.com';
const password = 'a long password';
const named = { name: 'Away' };
const hook = { url: 'https://example.com/', events: ['key.revoked'] };

/**
 * Bodies that nothing is wrong with, by method and path. Others are sent an empty one: what is switched off here, what an
 * operator may not do, and what is refused for what is in memory or in the address.
 */
const bodies: Readonly<Record<string, object>> = {
  'post session': { email, password },
  'post session/link': { token: 'x'.repeat(43) },
  'post invitations/{token}/accept': { ...named, password },
  'patch accounts/{account}/members/{user}': { role: 'viewer' },
  'post accounts/{account}/invitations': { email, role: 'viewer' },
  'post operators/invitations': { email },
  'patch users/{user}': named,
  'post accounts': named,
  'patch accounts/{account}': named,
  'post accounts/{account}/projects': named,
  'patch accounts/{account}/projects/{project}': named,
  'post accounts/{account}/keys': { environment: 'test' },
  'patch accounts/{account}/keys/{key}': { label: 'away' },
  'post accounts/{account}/tokens': { role: 'viewer' },
  'post tokens': { label: 'away' },
  'post accounts/{account}/credits/grants': { id: 'other', environment: 'live', amount: '1' },
  'post webhooks': { ...hook, events: ['provider.down'] },
  'post accounts/{account}/webhooks': hook,
  'patch webhooks/{webhook}': { enabled: false },
  'patch accounts/{account}/webhooks/{webhook}': { enabled: false },
};

describePostgres('The administration while PostgreSQL is away', () => {
  let postgres: TemporaryPostgres;
  let gateway: Gateway;
  let operator: Administration;
  beforeAll(async () => {
    postgres = await TemporaryPostgres.startServer();
    gateway = await Gateway.start({ store: { database_url: postgres.url }, keys: { pepper: 'the pepper of a store that goes away' } });
    operator = await Administration.as(gateway.running, 'operator');
    await postgres.halt();
  });
  afterAll(async () => {
    await gateway.close();
    await postgres.stop();
  });

  const all = async () => {
    const { accountId } = gateway.customer;
    const grant = { id: 'away', environment: 'live', amount: '1' };
    const answers = [
      operator.get('accounts'),
      operator.get(`accounts/${accountId}/keys`),
      operator.post('accounts', { id: 'away', name: 'Away' }),
      operator.post(`accounts/${accountId}/credits/grants`, grant),
      operator.get('usage'),
      operator.get('requests'),
      operator.post('ledger/verify'),
    ];
    return (await Promise.all(answers)).map(({ status, body }) => [status, (body as { error?: { code: string } }).error?.code]);
  };

  it('lets readiness fail with the reason, and not liveness, once nothing is leased', async () => {
    const health = (what: string) => request(gateway.url).get(`/health/${what}`);
    await until(async () => (await health('ready')).status === 503, 'readiness to fail');
    expectEnvelope(await health('ready'), 503, 'service_unavailable');
    expect((await health('live')).status).toBe(200);
  });

  it('answers 503, and never as if the gateway was broken', async () => {
    for (const answer of await all()) expect(answer).toEqual([503, 'service_unavailable']);
    const unlike: string[] = [];
    const sent: string[] = [];
    for (const [path, methods] of Object.entries(apiDocuments.administration.paths))
      for (const method of ['get', 'post', 'patch', 'put', 'delete'] as const) {
        // description-pages.e2e-spec.ts asks a built gateway for it.
        if (!methods[method] || path.endsWith('openapi.json')) continue;
        const address = path
          .replace('/admin/v1/', '')
          .replace('{account}', gateway.customer.accountId)
          .replace(/\{\w+\}/g, 'x');
        const operation = `${method} ${path.replace('/admin/v1/', '')}`;
        const body = bodies[operation];
        if (body) sent.push(operation);
        const { status } = await operator.call(method, address, method === 'get' ? {} : { body: body ?? {} });
        if (body ? status !== 503 : status === 500) unlike.push(`${operation} ${status}`);
      }
    expect(unlike).toEqual([]);
    expect(sent.toSorted()).toEqual(Object.keys(bodies).toSorted());
  });

  it('goes on when it is back, with what was asked for meanwhile done once', async () => {
    await postgres.resume();
    await until(async () => (await request(gateway.url).get('/health/ready')).status === 200, 'readiness');
    for (const answer of await all()) expect(answer).toEqual([200, undefined]);
    const { body } = await operator.get(`accounts/${gateway.customer.accountId}/credits/transfers`);
    expect((body as { data: { id: string }[] }).data.filter(({ id }) => id === 'away')).toHaveLength(1);
  });
});
