import { jest } from '@jest/globals';
import request from 'supertest';
import { AdminTokenService } from '../src/auth/administration/admin-token.service.js';
import { AdminTokenStore } from '../src/auth/administration/admin-token-store.js';
import { Database } from '../src/database/database.js';
import { Administration } from './support/administration.js';
import { describeGateways } from './support/describe-gateways.js';
import { expectEnvelope } from './support/expect-envelope.js';
import { useGateway, useOperator } from './support/started.js';
import { until } from './support/until.js';

describeGateways('The administration API', (start) => {
  const gateway = useGateway(() => start());
  const operator = useOperator(gateway);

  const newAccount = async (name: string): Promise<string> => ((await operator.post('accounts', { name })).body as { id: string }).id;

  describe('tokens', () => {
    const as = (authorization?: string) => {
      const sent = request(gateway.url).get('/admin/v1/me');
      return authorization === undefined ? sent : sent.set('authorization', authorization);
    };

    it('open the administration, and nothing else', async () => {
      const me = await operator.get('me');
      expect([me.status, me.body]).toEqual([200, { token_id: operator.tokenId, user_id: null, role: 'operator', account_id: null }]);
      expectEnvelope(await gateway.get('models', operator.token), 401, 'invalid_api_key');
      expectEnvelope(
        await gateway.post('chat/completions', { model: 'sandbox-chat', messages: [] }, operator.token),
        401,
        'invalid_api_key',
      );
    });

    it('are needed: no API key will do', async () => {
      expectEnvelope(await as(), 401, 'missing_api_key');
      expectEnvelope(await as(`Bearer ${gateway.customer.liveKey}`), 401, 'invalid_api_key');
      expectEnvelope(await as(`Bearer ${operator.token.slice(0, -1)}`), 401, 'invalid_api_key');
      expectEnvelope(await request(gateway.url).post('/admin/v1/accounts').send({ name: 'x' }), 401, 'missing_api_key');
      expectEnvelope(await request(gateway.url).get('/admin/v1/nothing'), 401, 'missing_api_key');
      expectEnvelope(await operator.get('nothing'), 404, 'not_found');
      expect(expectEnvelope(await operator.call('put', 'accounts'), 405, 'method_not_allowed').message).toContain('GET, HEAD, POST');
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
      expectEnvelope(await as(`Bearer ${short.token}`), 401, 'expired_api_key');
    });
  });

  it('answers what nothing may keep, and no browser may take for something else, errors too', async () => {
    const { accountId } = gateway.customer;
    const files = `accounts/${accountId}/requests`;
    const answers = [
      await operator.get(`accounts/${accountId}`).expect('etag', /"/),
      await operator.get('nothing').expect(404),
      await operator.get('%').expect(400),
      await operator.post('accounts', {}).expect(400),
      await operator.get(`${files}.csv`),
      await operator.get(`${files}.jsonl`),
      await request(gateway.url).get('/admin/v1/sign-in-options').expect(200),
      await request(gateway.url).get('/admin/v1/me').expect(401),
    ];
    const playground = `accounts/${accountId}/playground/chat/completions`;
    const body = { model: 'sandbox-chat', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 2 };
    for (const stream of [false, true]) answers.push(await operator.post(playground, { ...body, stream }).expect(200));
    const reading = jest.spyOn(AdminTokenService.prototype, 'authenticate').mockImplementationOnce(() => {
      throw new Error('the store is away');
    });
    answers.push(await operator.get('me').expect(500));
    reading.mockRestore();
    for (const { headers } of answers) expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    expect((await gateway.get('models')).headers).not.toHaveProperty('cache-control');
  });

  it('makes, shows, changes and lists accounts', async () => {
    const made = await operator.post('accounts', { name: 'Acme', rules: { concurrency: 3 } });
    expect(made.body).toMatchObject({ name: 'Acme', rules: { concurrency: 3 } });
    const { id } = made.body as { id: string };
    expect(made.headers['etag']).toBe(`"${(made.body as { version: string }).version}"`);
    const changed = await operator.patch(`accounts/${id}`, { name: 'Acme Research' }, made.headers['etag']);
    expect(changed.body).toMatchObject({ id, name: 'Acme Research', rules: { concurrency: 3 } });
    expectEnvelope(await operator.patch(`accounts/${id}`, { name: 'Other' }, made.headers['etag']), 412, 'precondition_failed');
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

  describe('what is made with an id', () => {
    it('is made once, however often and however many ask for it at once', async () => {
      const body = { id: 'once-account', name: 'Once', rules: { concurrency: 2, models: { allow: ['sandbox-*'] } } };
      const all = await Promise.all(Array.from({ length: 8 }, () => operator.post('accounts', body)));
      for (const { status, body: made } of all) expect([status, made]).toEqual([200, all[0]!.body]);
      await operator.patch('accounts/once-account', { name: 'Renamed' }).expect(200);
      const { models, concurrency } = body.rules;
      const again = await operator.post('accounts', { rules: { models, concurrency }, name: 'Once', id: 'once-account' });
      expect([again.status, (again.body as { name: string }).name]).toEqual([200, 'Renamed']);
      expectEnvelope(await operator.post('accounts', { ...body, name: 'Other' }), 409, 'idempotency_conflict');
      expectEnvelope(await operator.post('accounts', { name: 'Renamed' }), 409, 'conflict');
      expectEnvelope(await operator.post('accounts', { id: gateway.customer.accountId, name: 'Taken' }), 409, 'conflict');
    });

    it('is made once also where it is a key, a project, a token or a grant', async () => {
      const account = await newAccount('Once of each');
      const other = await newAccount('Once elsewhere');
      const expires_at = new Date(Date.now() + 3_600_000).toISOString();
      const story: [string, object][] = [
        ['projects', { id: 'once-project', name: 'P' }],
        ['keys', { id: 'once-key', environment: 'test', project_id: 'once-project', expires_at }],
        ['keys/once-key/rotate', { id: 'once-key-2', grace_seconds: 60 }],
        ['tokens', { id: 'once-token', role: 'viewer', label: 'ci' }],
        ['credits/grants', { id: 'once-grant', environment: 'test', amount: '1.5', note: 'welcome' }],
      ];
      const tell = async () => {
        const answers = [];
        for (const [path, body] of story)
          answers.push((await operator.post(`accounts/${account}/${path}`, body).expect(200)).body as object);
        return answers;
      };
      const first = (await tell()) as { key?: string; token?: string }[];
      const log = await operator.get(`accounts/${account}/audit-log`);
      expect((log.body as { data: object[] }).data).toHaveLength(story.length + 1);
      for (const [subject, subject_name] of Object.entries({ [account]: 'Once of each', 'once-project': 'P', 'once-token': 'ci' }))
        expect((log.body as { data: object[] }).data).toContainEqual(
          expect.objectContaining({ subject, subject_name, account_name: 'Once of each' }),
        );
      // The rotation has changed when the old key expires, as a repetition shows.
      const again = await tell();
      expect(again).toEqual(
        first.map((one, index) => ({
          ...one,
          ...(one.key && { key: null }),
          ...(one.token && { token: null }),
          ...(index === 1 && { expires_at: expect.any(String), version: expect.any(String) }),
        })),
      );
      expect(first.map(({ key, token }) => (key ?? token) !== undefined)).toEqual([false, true, true, true, false]);
      expect((await operator.get(`accounts/${account}/audit-log`)).body).toEqual(log.body);
      for (const [path, body] of story) {
        expectEnvelope(await operator.post(`accounts/${account}/${path}`, { ...body, ...otherContent(path) }), 409, 'idempotency_conflict');
        if (path === 'keys/once-key/rotate' || path === 'keys') continue;
        expectEnvelope(await operator.post(`accounts/${other}/${path}`, body), 409, 'idempotency_conflict');
      }
      const { data } = (await operator.get(`accounts/${account}/credits`)).body as { data: object[] };
      expect(data).toContainEqual({ environment: 'test', balance: '1.5', held: '0', available: '1.5' });
      const transfers = (await operator.get(`accounts/${account}/credits/transfers`)).body as { data: object[]; next: null };
      expect(transfers).toMatchObject({ data: [{ id: 'once-grant', amount: '1.5', kind: 'grant', note: 'welcome' }], next: null });
    });

    const otherContent = (path: string): object =>
      ({ projects: { name: 'Q' }, keys: { label: 'x' }, tokens: { label: 'x' }, 'credits/grants': { amount: '2' } })[path] ?? {
        grace_seconds: 61,
      };
  });

  it('changes what nobody else has changed meanwhile, and nothing where all is as it should be', async () => {
    const account = await newAccount('Versions');
    const { id } = (await operator.post(`accounts/${account}/projects`, { name: 'P' })).body as { id: string };
    const path = `accounts/${account}/projects/${id}`;
    const first = await operator.get(path);
    const changed = await operator.patch(path, { name: 'Q', rules: { concurrency: 1 } }, first.headers['etag']);
    expect([changed.status, changed.body]).toEqual([200, expect.objectContaining({ name: 'Q', rules: { concurrency: 1 } })]);
    for (const stale of [first.headers['etag'], '"x"', 'W/"1"']) {
      expectEnvelope(await operator.patch(path, { name: 'R' }, stale), 412, 'precondition_failed');
      expectEnvelope(await operator.call('delete', path, { ifMatch: stale }), 412, 'precondition_failed');
    }
    const before = (await operator.get(`accounts/${account}/audit-log`)).body as object;
    for (const same of [{ name: 'Q', rules: { concurrency: 1 } }, { name: ' Q ' }, {}])
      expect((await operator.patch(path, same, '*')).body).toEqual(changed.body);
    expect((await operator.patch(`accounts/${account}`, { name: ' Versions ' })).body).toMatchObject({ name: 'Versions' });
    expect((await operator.get(`accounts/${account}/audit-log`)).body).toEqual(before);
    // Of two who change the same version, one does.
    const both = await Promise.all(['A', 'B'].map((name) => operator.patch(path, { name }, changed.headers['etag'])));
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200, 412]));
  });

  it('closes an account once, however many close it at once', async () => {
    const path = `accounts/${await newAccount('Closed by five')}`;
    const answers = await Promise.all(Array.from({ length: 5 }, () => operator.delete(path)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const { data } = (await operator.get(`${path}/audit-log`)).body as { data: { action: string }[] };
    expect(data.filter(({ action }) => action.startsWith('DELETE'))).toHaveLength(1);
  });

  it('changes and revokes a key only as it was read', async () => {
    const keys = `accounts/${await newAccount('Versions of a key')}/keys`;
    const { id } = (await operator.post(keys, { environment: 'test' })).body as { id: string };
    const { etag } = (await operator.get(`${keys}/${id}`)).headers as { etag: string };
    const changed = await operator.patch(`${keys}/${id}`, { label: 'One' }, etag).expect(200);
    expectEnvelope(await operator.patch(`${keys}/${id}`, { label: 'Two' }, etag), 412, 'precondition_failed');
    expectEnvelope(await operator.call('delete', `${keys}/${id}`, { ifMatch: etag }), 412, 'precondition_failed');
    expect((await operator.get(`${keys}/${id}`)).body).toMatchObject({ label: 'One', revoked_at: null });
    // curl and others say what type a body has where they send none.
    const untouched = operator.call('delete', `${keys}/${id}`, { ifMatch: changed.headers['etag'] as string });
    await untouched.set('content-type', 'application/json').expect(200);
    expectEnvelope(await operator.post(keys).set('content-type', 'application/json'), 400, 'invalid_request');
  });

  it('takes metadata under any name, and no field that it does not know, whatever its name', async () => {
    const account = await newAccount('Names of everything');
    const post = (text: string, path = `accounts/${account}/keys`) => operator.post(path, JSON.parse(text) as object);
    const odd = '{"constructor":"x","toString":"y","valueOf":"z","__proto__":"u"}';
    const { body: made } = await post(`{"environment":"test","metadata":${odd}}`).expect(200);
    const { body: kept } = await operator.get(`accounts/${account}/keys/${(made as { id: string }).id}`).expect(200);
    for (const { metadata } of [made, kept] as { metadata: object }[]) expect(JSON.stringify(metadata)).toBe(odd);
    for (const name of ['constructor', '__proto__']) {
      expectEnvelope(await post(`{"environment":"test","rules":{"${name}":{"concurrency":1}}}`), 400, 'invalid_request');
      expectEnvelope(await post(`{"name":"N","${name}":"x"}`, 'accounts'), 400, 'invalid_request');
      expectEnvelope(await operator.get(`accounts?${name}=x`), 400, 'invalid_request');
      const settings = `{"type":"openai-compatible","base_url":"http://127.0.0.1:9","models":{"${name}":{}},"headers":{"${name}":"x"}}`;
      expect([200, 400]).toContain((await post(`{"settings":${settings}}`, 'providers/try')).status);
    }
  });

  it('lists members and invitations in pages', async () => {
    const account = await newAccount('Pages of people');
    for (let nth = 0; nth < 3; nth++) await Administration.signedIn(gateway.running, 'viewer', account);
    const invite = (path: string, nth: number, more: object) =>
      operator.post(path, { email: `invited-${nth}@${account.toLowerCase().replace(/[^a-z0-9]/g, '')}.example`, mail: false, ...more });
    const invitations = [];
    for (let nth = 0; nth < 3; nth++) {
      await invite('operators/invitations', nth, {}).expect(200);
      invitations.push(((await invite(`accounts/${account}/invitations`, nth, { role: 'viewer' }).expect(200)).body as { id: string }).id);
    }
    const pages = async (path: string): Promise<{ id?: string; email: string }[]> => {
      const all = [];
      for (let after = ''; ;) {
        const { body } = await operator.get(`${path}?limit=2${after && `&after=${encodeURIComponent(after)}`}`).expect(200);
        const { data, next } = body as { data: { id?: string; email: string }[]; next: string | null };
        expect(data.length).toBeLessThanOrEqual(2);
        all.push(...data);
        if (next === null) return all;
        after = next;
      }
    };
    expect((await pages(`accounts/${account}/invitations`)).map(({ id }) => id)).toEqual(invitations);
    const operators = (await pages('operators/invitations')).map(({ email }) => email);
    expect(operators.length).toBeGreaterThanOrEqual(3);
    expect(new Set(operators).size).toBe(operators.length);
    const emails = (await pages(`accounts/${account}/members`)).map(({ email }) => email);
    expect(emails).toHaveLength(3);
    expect(emails).toEqual(emails.toSorted());
    expectEnvelope(await operator.get(`accounts/${account}/members?after=x`), 400, 'invalid_request');
  });

  it('says which field is wrong', async () => {
    const account = `accounts/${gateway.customer.accountId}`;
    const says = async (path: string, body: object, words: string) =>
      expect(expectEnvelope(await operator.post(path, body), 400, 'invalid_request').message).toContain(words);
    await says('accounts', {}, 'name must be a text');
    await says('accounts', { name: 'x', nam: 'y' }, 'nam');
    await says('accounts', { name: null }, 'name must be a text');
    await says('accounts', { name: 'a\0b' }, 'name must not contain NUL');
    await says('accounts', { name: 'x', id: 'a/b' }, 'id');
    await says('accounts', { name: '  ' }, 'name');
    await says('accounts', { name: 'x', rules: { models: { allow: 'all' } } }, 'rules.models.allow');
    await says('accounts', { name: 'x', rules: [] }, 'rules');
    await says(`${account}/keys`, { environment: 'prod' }, 'environment');
    await says(`${account}/keys`, { environment: 'test', expires_at: '2020-01-01T00:00:00Z' }, 'expires_at');
    await says(`${account}/keys`, { environment: 'test', expires_at: 'soon' }, 'expires_at');
    await says(`${account}/keys`, { environment: 'test', expires_at: '2999-02-31T00:00:00Z' }, 'expires_at must be a time of the calendar');
    await says(`${account}/keys`, { environment: 'test', metadata: { a: 1 } }, 'etadata');
    await says(`${account}/tokens`, { role: 'operator' }, 'role');
    for (const [path, body] of [
      ['tokens', {}],
      ['invitations', { email: 'somebody@example.com' }],
    ] as const) {
      const ofOperators = path === 'tokens' ? path : `operators/${path}`;
      await says(`${account}/${path}`, body, 'role must be one of owner, admin, developer, viewer');
      await says(ofOperators, { ...body, role: 'viewer' }, 'property role should not exist');
    }
    await says(`${account}/tokens`, { role: 'viewer', id: 'usr_0123456789abcdef' }, 'id');
    await says(`${account}/credits/grants`, { id: 'g', environment: 'live', amount: '0.0' }, 'amount');
    await says(`${account}/credits/grants`, { id: 'g', environment: 'live', amount: 1 }, 'amount');
    await says(`${account}/credits/grants`, { id: 'g', environment: 'live', amount: '9999999999' }, 'amount');
    for (const [query, words] of [
      ['accounts?limit=0', 'limit'],
      ['accounts?limit=201', 'limit'],
      ['accounts?limit=x', 'limit'],
      ['accounts?limit=0x10', 'limit'],
      ['accounts?limit=%205', 'limit'],
      ['accounts?after=x', 'after'],
      ['accounts?page=2', 'page'],
      [`${account}/usage?by=week`, 'by'],
      [`${account}/usage?since=yesterday`, 'since'],
      [`${account}/usage?since=2026-02-31T00:00:00Z`, 'since'],
      ['requests?failed=maybe', 'failed'],
    ] as const)
      expect(expectEnvelope(await operator.get(query), 400, 'invalid_request').message).toContain(words);
    const { body: key } = await operator.post(`${account}/keys`, { environment: 'test' }).expect(200);
    expectEnvelope(
      await operator.patch(`${account}/keys/${(key as { id: string }).id}`, { expires_at: '2020-01-01T00:00:00Z' }),
      400,
      'invalid_request',
    );
    expectEnvelope(await operator.get('accounts/a%00b'), 404, 'not_found');
    expectEnvelope(await operator.get(`${account}/keys/none`), 404, 'not_found');
    expectEnvelope(await operator.post(`${account}/keys`, { environment: 'test', project_id: 'none' }), 404, 'not_found');
  });

  it('shows usage, charges and requests, and pages of them', async () => {
    const customer = await gateway.newCustomer('5');
    const ask = { model: 'sandbox-text', prompt: 'Hello', max_tokens: 3 };
    const ids = [];
    for (let i = 0; i < 3; i++) ids.push((await gateway.post('completions', ask, customer.testKey).expect(200)).headers['x-request-id']);
    const viewer = await Administration.as(gateway.running, 'viewer', customer.accountId);
    const usage = async () => (await viewer.get(`accounts/${customer.accountId}/usage?by=model,environment`)).body as { data: object[] };
    await until(async () => (await usage()).data.length === 1 && JSON.stringify(await usage()).includes('"requests":3'), 'the usage');
    expect((await usage()).data).toEqual([expect.objectContaining({ model: 'sandbox-text', environment: 'test', requests: 3 })]);
    const charges = await viewer.get(`accounts/${customer.accountId}/charges?environment=test`);
    expect(charges.body).toMatchObject({ components: expect.any(Array), saved_by_cache: '0' });
    const path = `accounts/${customer.accountId}/requests`;
    await until(async () => ((await viewer.get(path)).body as { data: object[] }).data.length === 3, 'the records');
    const seen: string[] = [];
    for (let after = ''; ;) {
      const { body } = await viewer.get(`${path}?limit=2${after && `&after=${after}`}`).expect(200);
      const { data, next } = body as { data: { request_id: string; charged: string }[]; next: string | null };
      seen.push(...data.map(({ request_id }) => request_id));
      if (next === null) break;
      after = next;
    }
    expect(seen).toEqual(ids.toReversed());
    expectEnvelope(await viewer.get(`${path}/none`), 404, 'not_found');
  });

  it('sums usage by what keys have in their metadata, and of one project', async () => {
    const { accountId } = await gateway.newCustomer('5');
    const account = `accounts/${accountId}`;
    const { id: project_id } = (await operator.post(`${account}/projects`, { name: 'Search' }).expect(200)).body as { id: string };
    const ask = async (more: object): Promise<void> => {
      const { key } = (await operator.post(`${account}/keys`, { environment: 'test', ...more }).expect(200)).body as { key: string };
      const asked = async () => (await gateway.post('completions', { model: 'sandbox-text', prompt: 'Hello', max_tokens: 1 }, key)).status;
      await until(async () => (await asked()) === 200, 'an answer to the new key');
    };
    await ask({ metadata: { team: 'red', "it's": 'odd' } });
    await ask({ metadata: { team: 'blue' }, project_id });
    await ask({});
    const sums = async (query: string) => {
      const { body } = await operator.get(`${account}/usage?${query}`).expect(200);
      return (body as { data: { metadata?: object; model?: string; requests: number }[] }).data.map(
        ({ metadata, model, requests }) => [metadata, model, requests] as const,
      );
    };
    await until(async () => (await sums('by=metadata.team')).length === 3, 'all three');
    expect(await sums('by=metadata.team')).toEqual([
      [{ team: '' }, undefined, 1],
      [{ team: 'blue' }, undefined, 1],
      [{ team: 'red' }, undefined, 1],
    ]);
    expect(await sums("by=metadata.team,model,metadata.it's&project=none")).toEqual([]);
    expect(await sums(`by=metadata.team,model,metadata.it's&project=${project_id}`)).toEqual([
      [{ team: 'blue', "it's": '' }, 'sandbox-text', 1],
    ]);
    expectEnvelope(await operator.get(`${account}/usage?by=metadata.%00`), 400, 'invalid_request');
    for (const metadata of [{ x: '\0' }, { '\0': 'x' }, { x: '\ud800' }])
      expectEnvelope(await operator.post(`${account}/keys`, { environment: 'test', metadata }), 400, 'invalid_request');
    // Earlier versions took it.
    const { db } = gateway.running.app.get(Database);
    await db.updateTable('api_key').set({ metadata: '{"x":"\\u0000"}' }).where('account_id', '=', accountId).execute();
    expect((await sums('by=metadata.team')).reduce((all, [, , requests]) => all + requests, 0)).toBe(3);
    const { body } = await operator.get(`${account}/charges?project=none`).expect(200);
    expect(body).toMatchObject({ components: [] });
  });

  it('tells when keys were last used, also for what was refused', async () => {
    const { accountId, testKey } = await gateway.newCustomer('5');
    const before = Date.now();
    await gateway.post('completions', { model: 'no such model', prompt: 'Hello' }, testKey).expect(404);
    type Key = { id: string; environment: string; last_used_at: string | null };
    const key = async (environment: string): Promise<Key> => {
      const { body } = await operator.get(`accounts/${accountId}/keys`).expect(200);
      return (body as { data: Key[] }).data.find((one) => one.environment === environment)!;
    };
    await until(async () => (await key('test')).last_used_at !== null, 'the use');
    const { id, last_used_at } = await key('test');
    expect(Date.parse(last_used_at!)).toBeGreaterThanOrEqual(before);
    expect((await key('live')).last_used_at).toBeNull();
    expect((await operator.patch(`accounts/${accountId}/keys/${id}`, { label: 'Used' })).body).toMatchObject({
      label: 'Used',
      last_used_at,
    });
    expect((await operator.delete(`accounts/${accountId}/keys/${id}`)).body).toMatchObject({ status: 'revoked', last_used_at });
  });

  it('writes the audit log without secrets, and leaves no record of a generation', async () => {
    const account = await newAccount('Audited');
    const made = await operator.post(`accounts/${account}/keys`, {
      environment: 'test',
      label: 'Batch',
      metadata: { team: 'a secret value' },
    });
    const { id, key } = made.body as { id: string; key: string };
    const { body, text } = await operator.get(`accounts/${account}/audit-log`);
    expect((body as { data: object[] }).data[0]).toMatchObject({
      actor_kind: 'token',
      actor: operator.tokenId,
      role: 'operator',
      action: 'POST /admin/v1/accounts/:account/keys',
      account_id: account,
      subject: id,
      subject_name: 'Batch',
      fields: expect.arrayContaining(['label', 'metadata', 'environment']) as unknown,
      request_id: made.headers['x-request-id'],
      address: '127.0.0.1',
    });
    expect(text).not.toContain(key);
    expect(text).not.toContain('a secret value');
    const { data } = (await operator.get('requests?limit=200')).body as { data: { operation: string }[] };
    for (const { operation } of data) expect(['chat', 'completion', 'models']).toContain(operation);
    const metrics = (await request(gateway.url).get('/metrics')).text;
    expect(metrics).toMatch(/switchyard_admin_requests_total\{status="200"\} \d+/);
    expect(metrics).toMatch(/switchyard_admin_requests_total\{status="401"\} \d+/);
  });

  it('gives an account so much, and says what it may have', async () => {
    await using small = await start({
      limits: { keys_per_account: 5, projects_per_account: 1, rules_per_account: 1_024, tokens_per_account: 2 },
    });
    const account = `accounts/${small.customer.accountId}`;
    const who = await Administration.as(small.running, 'owner', small.customer.accountId);
    const rules = { models: { allow: ['x'.repeat(200)] } };
    const problems: string[] = [];
    const attempts: [string, object][] = [
      ['keys', { environment: 'live', rules }],
      ['projects', { name: 'rules', rules }],
      ['tokens', { role: 'viewer' }],
    ];
    for (const [path, body] of attempts)
      for (let n = 0; n < 10; n++) {
        const answer = await who.post(`${account}/${path}`, { ...body, ...(path === 'projects' && { name: `rules ${n}` }) });
        if (answer.status === 200) continue;
        expectEnvelope(answer, 400, 'invalid_request');
        problems.push((answer.body as { error: { message: string } }).error.message);
        break;
      }
    expect(problems).toEqual([
      expect.stringContaining('limits.keys_per_account'),
      expect.stringContaining('limits.projects_per_account'),
      expect.stringContaining('limits.tokens_per_account'),
    ]);
    const { body } = await who.get(`${account}/keys`);
    const [first] = (body as { data: { id: string }[] }).data;
    expect((await who.delete(`${account}/keys/${first!.id}`)).status).toBe(200);
    const long = { ...rules, providers: { allow: ['x'.repeat(256), 'y'.repeat(256)] } };
    const answer = await who.post(`${account}/keys`, { environment: 'live', rules: long });
    expectEnvelope(answer, 400, 'invalid_request');
    expect(answer.text).toContain('limits.rules_per_account');
  });
});
