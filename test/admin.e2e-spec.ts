import request from 'supertest';
import { AdminTokenStore } from '../src/auth/administration/admin-token-store.js';
import { Administration } from './support/administration.js';
import { describeGateways } from './support/describe-gateways.js';
import { expectEnvelope } from './support/expect-envelope.js';
import type { Gateway } from './support/gateway.js';
import { until } from './support/until.js';

describeGateways('The administration API', (start) => {
  let gateway: Gateway;
  let operator: Administration;
  beforeAll(async () => {
    gateway = await start();
    operator = await Administration.as(gateway.running, 'operator');
  });
  afterAll(() => gateway.close());

  const refused = ({ status, headers, text }: request.Response, expected: number, code: string) =>
    expectEnvelope({ status, headers, body: text }, expected, code);

  const newAccount = async (name: string): Promise<string> => ((await operator.post('accounts', { name })).body as { id: string }).id;

  describe('tokens', () => {
    const as = (authorization?: string) => {
      const sent = request(gateway.url).get('/admin/v1/me');
      return authorization === undefined ? sent : sent.set('authorization', authorization);
    };

    it('open the administration, and nothing else', async () => {
      const me = await operator.get('me');
      expect([me.status, me.body]).toEqual([200, { token_id: operator.tokenId, role: 'operator', account_id: null }]);
      refused(await gateway.get('models', operator.token), 401, 'invalid_api_key');
      refused(await gateway.post('chat/completions', { model: 'sandbox-chat', messages: [] }, operator.token), 401, 'invalid_api_key');
    });

    it('are needed: no API key will do', async () => {
      refused(await as(), 401, 'missing_api_key');
      refused(await as(`Bearer ${gateway.customer.liveKey}`), 401, 'invalid_api_key');
      refused(await as(`Bearer ${operator.token.slice(0, -1)}`), 401, 'invalid_api_key');
      refused(await request(gateway.url).post('/admin/v1/accounts').send({ name: 'x' }), 401, 'missing_api_key');
      refused(await request(gateway.url).get('/admin/v1/nothing'), 401, 'missing_api_key');
      refused(await operator.get('nothing'), 404, 'not_found');
      expect(refused(await operator.call('put', 'accounts'), 405, 'method_not_allowed').message).toContain('GET, HEAD, POST');
    });

    it('are revoked within a second, and expire', async () => {
      const store = gateway.running.app.get(AdminTokenStore);
      const { token, adminToken } = await store.create({ role: 'operator' });
      expect((await as(`Bearer ${token}`)).status).toBe(200);
      await store.revoke(adminToken.id);
      await until(async () => (await as(`Bearer ${token}`)).status === 401, 'the revocation', 1_000);
      const short = await store.create({ role: 'operator', expiresAt: Date.now() + 300 });
      expect((await as(`Bearer ${short.token}`)).status).toBe(200);
      await until(async () => (await as(`Bearer ${short.token}`)).status === 401, 'the end');
      refused(await as(`Bearer ${short.token}`), 401, 'expired_api_key');
    });
  });

  it('makes, shows, changes and lists accounts', async () => {
    const made = await operator.post('accounts', { name: 'Acme', rules: { concurrency: 3 } });
    expect(made.body).toMatchObject({ name: 'Acme', rules: { concurrency: 3 } });
    const { id } = made.body as { id: string };
    expect(made.headers['etag']).toBe(`"${(made.body as { version: string }).version}"`);
    const changed = await operator.patch(`accounts/${id}`, { name: 'Acme Research' }, made.headers['etag']);
    expect(changed.body).toMatchObject({ id, name: 'Acme Research', rules: { concurrency: 3 } });
    refused(await operator.patch(`accounts/${id}`, { name: 'Other' }, made.headers['etag']), 412, 'precondition_failed');
    expect((await operator.get(`accounts/${id}`)).body).toEqual(changed.body);
    const names = [];
    for (let after = ''; ;) {
      const { body } = await operator.get(`accounts?limit=1${after && `&after=${after}`}`);
      const { data, next } = body as { data: { name: string }[]; next: string | null };
      expect(data).toHaveLength(1);
      names.push(data[0]!.name);
      if (next === null) break;
      after = next;
    }
    expect(names).toContain('Acme Research');
    expect(new Set(names).size).toBe(names.length);
  });

  it('makes projects and keys that work, and rotates and revokes them', async () => {
    const account = await newAccount('Keys');
    const project = await operator.post(`accounts/${account}/projects`, { name: 'P' });
    expect(project.status).toBe(200);
    const { id: project_id } = project.body as { id: string };
    const made = await operator.post(`accounts/${account}/keys`, { environment: 'test', project_id, metadata: { team: 'x' } });
    const { id, key } = made.body as { id: string; key: string };
    expect((await gateway.get('models', key)).status).toBe(200);
    const next = (await operator.post(`accounts/${account}/keys/${id}/rotate`, {})).body as { id: string; key: string; first_id: string };
    expect(next.first_id).toBe(id);
    expect((await gateway.get('models', next.key)).status).toBe(200);
    expect((await operator.delete(`accounts/${account}/keys/${id}`)).body).toMatchObject({ id, status: 'revoked' });
    await until(async () => (await gateway.get('models', key)).status === 401, 'the revocation', 1_000);
    expect((await operator.delete(`accounts/${account}/projects/${project_id}`)).status).toBe(200);
    await until(async () => (await gateway.get('models', next.key)).status === 401, 'the end of the project', 1_000);
  });
});
