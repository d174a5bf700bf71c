import { describePostgres } from '../src/database/testing/describe-engines.js';
import { TemporaryPostgres } from '../src/database/testing/temporary-postgres.js';
import { Administration } from './support/administration.js';
import { apiDocuments } from './support/api-documents.js';
import { Gateway } from './support/gateway.js';

describePostgres('The administration while PostgreSQL is away', () => {
  let postgres: TemporaryPostgres;
  let gateway: Gateway;
  let operator: Administration;
  beforeAll(async () => {
    postgres = await TemporaryPostgres.start();
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

  it('answers 503, and never as if the gateway was broken', async () => {
    for (const answer of await all()) expect(answer).toEqual([503, 'service_unavailable']);
    const broken: string[] = [];
    for (const [path, methods] of Object.entries(apiDocuments.administration.paths))
      for (const method of ['get', 'post', 'patch', 'put', 'delete'] as const) {
        // description-pages.e2e-spec.ts asks a built gateway for it.
        if (!methods[method] || path.endsWith('openapi.json')) continue;
        const address = path
          .replace('/admin/v1/', '')
          .replace('{account}', gateway.customer.accountId)
          .replace(/\{\w+\}/g, 'x');
        const { status } = await operator.call(method, address, method === 'get' ? {} : { body: {} });
        if (status === 500) broken.push(`${method} ${path}`);
      }
    expect(broken).toEqual([]);
  });

  it('goes on when it is back, with what was asked for meanwhile done once', async () => {
    await postgres.resume();
    for (const answer of await all()) expect(answer).toEqual([200, undefined]);
    const { body } = await operator.get(`accounts/${gateway.customer.accountId}/credits/transfers`);
    expect((body as { data: { id: string }[] }).data.filter(({ id }) => id === 'away')).toHaveLength(1);
  });
});
