import { jest } from '@jest/globals';
import request from 'supertest';
import { type AdminRole, memberRoles, roles } from '../src/auth/administration/administrator.js';
import { ApiKeyStore } from '../src/auth/api-key-store.js';
import { RequestGate } from '../src/http/server/request-gate.js';
import { audited } from '../src/observability/audit/audit-log.js';
import { Administration } from './support/administration.js';
import type { Customer } from './support/customer.js';
import { Gateway } from './support/gateway.js';

type Method = 'get' | 'post' | 'patch' | 'delete' | 'put';

const everybody: readonly AdminRole[] = roles;
const operators: readonly AdminRole[] = ['operator'];
const owners: readonly AdminRole[] = ['operator', 'owner'];
const admins: readonly AdminRole[] = ['operator', 'owner', 'admin'];
const developers: readonly AdminRole[] = ['operator', 'owner', 'admin', 'developer'];

/** Who may use which route. */
const table: Readonly<Record<string, readonly AdminRole[]>> = {
  'GET /admin/v1/me': everybody,
  'GET /admin/v1/accounts': operators,
  'POST /admin/v1/accounts': operators,
  'GET /admin/v1/accounts/:account': everybody,
  'PATCH /admin/v1/accounts/:account': operators,
  'GET /admin/v1/accounts/:account/projects': everybody,
  'POST /admin/v1/accounts/:account/projects': admins,
  'GET /admin/v1/accounts/:account/projects/:project': everybody,
  'PATCH /admin/v1/accounts/:account/projects/:project': admins,
  'DELETE /admin/v1/accounts/:account/projects/:project': admins,
  'POST /admin/v1/accounts/:account/suspend': operators,
  'POST /admin/v1/accounts/:account/resume': operators,
  'DELETE /admin/v1/accounts/:account': operators,
  'GET /admin/v1/accounts/:account/keys': everybody,
  'POST /admin/v1/accounts/:account/keys': developers,
  'GET /admin/v1/accounts/:account/keys/:key': everybody,
  'PATCH /admin/v1/accounts/:account/keys/:key': admins,
  'POST /admin/v1/accounts/:account/keys/:key/rotate': developers,
  'DELETE /admin/v1/accounts/:account/keys/:key': developers,
  'GET /admin/v1/tokens': operators,
  'POST /admin/v1/tokens': operators,
  'DELETE /admin/v1/tokens/:token': operators,
  'GET /admin/v1/accounts/:account/tokens': owners,
  'POST /admin/v1/accounts/:account/tokens': owners,
  'DELETE /admin/v1/accounts/:account/tokens/:token': owners,
  'GET /admin/v1/accounts/:account/credits': everybody,
  'GET /admin/v1/accounts/:account/credits/series': everybody,
  'GET /admin/v1/accounts/:account/credits/transfers': everybody,
  'GET /admin/v1/accounts/:account/credits/ledger': everybody,
  'GET /admin/v1/accounts/:account/credits/statement': everybody,
  'GET /admin/v1/accounts/:account/credits/statement.csv': everybody,
  'GET /admin/v1/accounts/:account/credits/alert': admins,
  'PUT /admin/v1/accounts/:account/credits/alert': admins,
  'DELETE /admin/v1/accounts/:account/credits/alert': admins,
  'POST /admin/v1/accounts/:account/playground/chat/completions': developers,
  'POST /admin/v1/accounts/:account/playground/completions': developers,
  'POST /admin/v1/accounts/:account/credits/grants': operators,
  'GET /admin/v1/usage': operators,
  'GET /admin/v1/charges': operators,
  'GET /admin/v1/accounts/:account/usage': everybody,
  'GET /admin/v1/accounts/:account/charges': everybody,
  'GET /admin/v1/accounts/:account/usage/series': everybody,
  'GET /admin/v1/requests': operators,
  'GET /admin/v1/requests/:request': operators,
  'GET /admin/v1/accounts/:account/requests': everybody,
  'GET /admin/v1/accounts/:account/requests/:request': everybody,
  'GET /admin/v1/accounts/:account/requests.csv': everybody,
  'GET /admin/v1/accounts/:account/requests.jsonl': everybody,
  'GET /admin/v1/accounts/:account/webhooks': admins,
  'POST /admin/v1/accounts/:account/webhooks': admins,
  'GET /admin/v1/accounts/:account/webhooks/:webhook': admins,
  'POST /admin/v1/accounts/:account/webhooks/:webhook/test': admins,
  'DELETE /admin/v1/accounts/:account/webhooks/:webhook': admins,
  'PATCH /admin/v1/accounts/:account/webhooks/:webhook': admins,
  'POST /admin/v1/accounts/:account/webhooks/:webhook/rotate': admins,
  'GET /admin/v1/webhooks': operators,
  'POST /admin/v1/webhooks': operators,
  'GET /admin/v1/webhooks/:webhook': operators,
  'POST /admin/v1/webhooks/:webhook/test': operators,
  'DELETE /admin/v1/webhooks/:webhook': operators,
  'GET /admin/v1/accounts/:account/models': everybody,
  'GET /admin/v1/accounts/:account/models/:model': everybody,
  'PATCH /admin/v1/webhooks/:webhook': operators,
  'POST /admin/v1/webhooks/:webhook/rotate': operators,
  'POST /admin/v1/ledger/verify': operators,
  'GET /admin/v1/models': operators,
  'GET /admin/v1/models/:model': operators,
  'GET /admin/v1/models/:model/prices': operators,
  'POST /admin/v1/models/:model/disable': operators,
  'POST /admin/v1/models/:model/enable': operators,
  'GET /admin/v1/model-switches': operators,
  'GET /admin/v1/offers': operators,
  'POST /admin/v1/routing/try': operators,
  'GET /admin/v1/gateways': operators,
  'GET /admin/v1/errors': operators,
  'GET /admin/v1/prices': operators,
  'GET /admin/v1/providers': operators,
  'POST /admin/v1/providers': operators,
  'POST /admin/v1/providers/try': operators,
  'GET /admin/v1/provider-types': operators,
  'GET /admin/v1/providers/:provider': operators,
  'PATCH /admin/v1/providers/:provider': operators,
  'POST /admin/v1/providers/:provider/disable': operators,
  'POST /admin/v1/providers/:provider/enable': operators,
  'POST /admin/v1/providers/:provider/try': operators,
  'DELETE /admin/v1/providers/:provider': operators,
  'GET /admin/v1/configuration': operators,
  'GET /admin/v1/audit-log': operators,
  'GET /admin/v1/users': operators,
  'GET /admin/v1/users/:user': operators,
  'PATCH /admin/v1/users/:user': operators,
  'POST /admin/v1/users/:user/sign-in-links': operators,
  'GET /admin/v1/operators': operators,
  'DELETE /admin/v1/operators/:user': operators,
  'GET /admin/v1/operators/invitations': operators,
  'POST /admin/v1/operators/invitations': operators,
  'DELETE /admin/v1/operators/invitations/:invitation': operators,
  'GET /admin/v1/accounts/:account/members': everybody,
  'GET /admin/v1/accounts/:account/members/:user': everybody,
  'PATCH /admin/v1/accounts/:account/members/:user': owners,
  'DELETE /admin/v1/accounts/:account/members/:user': owners,
  'GET /admin/v1/accounts/:account/invitations': owners,
  'POST /admin/v1/accounts/:account/invitations': owners,
  'DELETE /admin/v1/accounts/:account/invitations/:invitation': owners,
  'GET /admin/v1/accounts/:account/audit-log': admins,
};

/** Routes about the person who is signed in, for all of them and for no token. */
const aboutPeople = new Set([
  'GET /admin/v1/session',
  'DELETE /admin/v1/session',
  'PUT /admin/v1/session/password',
  'PATCH /admin/v1/session/user',
  'GET /admin/v1/session/sessions',
  'DELETE /admin/v1/session/sessions/:session',
]);

/** Of those in the table, the ones about the person who is signed in, and for no token. */
const ofPeopleAlone = /\/credits\/alert$/;

/** Routes that need neither token nor session. */
const open = new Set([
  'GET /admin/v1/openapi.json',
  'GET /admin/v1/sign-in-options',
  'POST /admin/v1/session',
  'POST /admin/v1/session/link',
  'POST /admin/v1/session/link-requests',
  'GET /admin/v1/session/oidc/:provider/start',
  'GET /admin/v1/session/oidc/:provider/callback',
  'GET /admin/v1/invitations/:token',
  'POST /admin/v1/invitations/:token/accept',
]);

/** Routes with the ids of what is no operator's, or is gone after the first call that may. */
const mayBeGone = new Set([
  'DELETE /admin/v1/tokens/:token',
  'DELETE /admin/v1/operators/:user',
  'DELETE /admin/v1/operators/invitations/:invitation',
  'DELETE /admin/v1/accounts/:account/members/:user',
  'DELETE /admin/v1/accounts/:account/invitations/:invitation',
]);

interface Ids {
  readonly account: string;
  readonly project: string;
  readonly key: string;
  readonly token: string;
  readonly request: string;
  readonly webhook: string;
  /** Everybody's. */
  readonly model: string;
  readonly provider: string;
  readonly user: string;
  readonly invitation: string;
}

describe('The routes of the administration', () => {
  let gateway: Gateway;
  let other: Customer;
  let operator: Administration;
  /** Of the gateway's customer. */
  const members = new Map<AdminRole, Administration>();
  /** The same roles, of people who have signed in. */
  const people = new Map<AdminRole, Administration>();
  let own: Ids;
  let foreign: Ids;
  const routes: string[] = [];
  /** Nobody listens there. */
  const webhook = { url: 'http://127.0.0.1:9/', events: ['key.revoked'] };
  let operatorsWebhook: string;

  beforeAll(async () => {
    const added = jest.spyOn(RequestGate.prototype, 'addRoute');
    gateway = await Gateway.start({
      webhooks: { allow_http: true, allow_private_addresses: true },
      stored_providers: { allow_private_addresses: true },
    });
    for (const [{ method, url }] of added.mock.calls)
      for (const one of [method].flat()) if (one !== 'HEAD' && url.startsWith('/admin')) routes.push(`${one} ${url}`);
    added.mockRestore();
    other = await gateway.newCustomer();
    operator = await Administration.as(gateway.running, 'operator');
    operatorsWebhook = ((await operator.post('webhooks', webhook).expect(200)).body as Made).id;
    // Nobody is asked: it names its models.
    const settings = { base_url: 'http://127.0.0.1:9', models: { elsewhere: {} } };
    await operator.post('providers', { id: 'elsewhere', settings }).expect(200);
    members.set('operator', operator);
    for (const role of memberRoles) members.set(role, await Administration.as(gateway.running, role, gateway.customer.accountId));
    for (const role of roles) people.set(role, await Administration.signedIn(gateway.running, role, gateway.customer.accountId));
    own = await idsOf(gateway.customer.accountId, gateway.customer.liveKey);
    foreign = await idsOf(other.accountId, other.liveKey);
  });
  afterAll(() => gateway.close());

  /** One of each thing that an account has. */
  async function idsOf(account: string, key: string): Promise<Ids> {
    const made = async (path: string, body: object) => (await operator.post(`accounts/${account}/${path}`, body).expect(200)).body as Made;
    const answer = await gateway.post('completions', { model: 'sandbox-text', prompt: 'Hello', max_tokens: 1 }, key);
    return {
      account,
      project: (await made('projects', { name: 'A project' })).id,
      key: (await made('keys', { environment: 'test' })).id,
      token: (await made('tokens', { role: 'viewer' })).id,
      request: answer.headers['x-request-id']!,
      webhook: (await made('webhooks', webhook)).id,
      model: 'sandbox-text',
      provider: 'elsewhere',
      user: (await Administration.signedIn(gateway.running, 'viewer', account)).personId,
      invitation: (await made('invitations', { email: 'somebody@example.com', role: 'viewer' })).id,
    };
  }

  const pathOf = (route: string, ids: Ids): string =>
    route
      .replace(/^\w+ \/admin\/v1\//, '')
      .replace(/^webhooks\/:webhook/, `webhooks/${operatorsWebhook}`)
      .replace(/:(\w+)/g, (_, name: string) => ids[name as keyof Ids]);

  /** With a body that no route takes and a version that nothing has: what is walked is still there afterwards. */
  const call = (who: Administration, route: string, ids: Ids) => {
    const method = route.split(' ')[0]!.toLowerCase() as Method;
    return who.call(method, pathOf(route, ids), method === 'get' ? {} : { body: { no_such_field: 1 }, ifMatch: '"0"' });
  };

  it('are all in the table', () => {
    expect(routes.filter((route) => !open.has(route) && !aboutPeople.has(route)).sort()).toEqual(Object.keys(table).sort());
  });

  it('answer nobody without a token, with an API key, or with a revoked token', async () => {
    const revoked = await Administration.as(gateway.running, 'operator');
    await operator.delete(`tokens/${revoked.tokenId}`).expect(200);
    const live = new Administration(gateway.url, gateway.customer.liveKey);
    for (const route of [...Object.keys(table), ...aboutPeople]) {
      const [method, path] = route.split(' ') as [string, string];
      const none = await request(gateway.url)[method.toLowerCase() as Method](path);
      expect([route, none.status, (none.body as Refusal).error.code]).toEqual([route, 401, 'missing_api_key']);
      for (const who of [live, revoked]) {
        const { status, body } = await call(who, route, own);
        expect([route, status, (body as Refusal).error.code]).toEqual([route, 401, 'invalid_api_key']);
      }
    }
  });

  it('answer whom the table says, and refuse the others with 403', async () => {
    for (const [route, allowed] of Object.entries(table))
      for (const [role, who] of [...members, ...people]) {
        const { status, body } = await call(who, route, own);
        const refused = status === 403;
        const may = allowed.includes(role) && !(ofPeopleAlone.test(route) && who.personId === '');
        expect([route, role, refused, body]).toEqual([route, role, !may, body]);
        if (mayBeGone.has(route)) continue;
        if (!refused) expect([route, role, status < 500 && status !== 404 && status !== 401, body]).toEqual([route, role, true, body]);
        if (route.startsWith('GET') && may) expect([route, role, status]).toEqual([route, role, 200]);
      }
  });

  it('about whoever is signed in answer everybody who is, and no token', async () => {
    for (const route of aboutPeople)
      for (const role of roles) {
        const { status, body } = await call(members.get(role)!, route, own);
        expect([route, role, status, (body as Refusal).error.code]).toEqual([route, role, 403, 'permission_denied']);
        if (route.startsWith('DELETE')) continue;
        const answer = await call(people.get(role)!, route, own);
        expect([route, role, answer.status]).toEqual([route, role, route.startsWith('GET') ? 200 : 400]);
      }
  });

  it('change nothing by a session without its token', async () => {
    for (const route of [...Object.keys(table), ...aboutPeople].filter((name) => !name.startsWith('GET'))) {
      const { status, body } = await call(people.get('operator')!, route, own).unset('x-csrf-token');
      expect([route, status, (body as Refusal).error.code]).toEqual([route, 403, 'permission_denied']);
    }
  });

  it('of another account, or with ids of what another account has, do not exist for members', async () => {
    const ofAccounts = Object.entries(table).filter(([route]) => route.includes(':account'));
    for (const [route, allowed] of ofAccounts)
      for (const [role, who] of [...members, ...people]) {
        if (role === 'operator') continue;
        const there = await call(who, route, foreign);
        const nowhere = await call(who, route, { ...foreign, account: 'acct_none' });
        expect([route, role, there.status, nowhere.status]).toEqual([route, role, 404, 404]);
        expect(there.text.replaceAll(foreign.account, '')).toBe(nowhere.text.replaceAll('acct_none', ''));
        if (!/:(?!account|model)/.test(route) || !allowed.includes(role)) continue;
        const method = route.split(' ')[0]!.toLowerCase() as Method;
        const mixed = await who.call(method, pathOf(route, { ...foreign, account: own.account }), method === 'get' ? {} : { body: {} });
        expect([route, role, mixed.status]).toEqual([route, role, 404]);
      }
    // Not even an operator reaches them by a wrong account.
    for (const [route] of ofAccounts.filter(([name]) => /:(?!account|model)/.test(name))) {
      const method = route.split(' ')[0]!.toLowerCase() as Method;
      const mixed = await operator.call(method, pathOf(route, { ...foreign, account: own.account }), method === 'get' ? {} : { body: {} });
      expect([route, mixed.status]).toEqual([route, 404]);
    }
    expect((await operator.get(`accounts/${foreign.account}/keys/${foreign.key}`)).body).toMatchObject({ status: 'active' });
  });

  it('below an account that there is not do not exist for operators, whatever the body is', async () => {
    for (const route of Object.keys(table).filter((name) => name.includes(':account'))) {
      const { status, body } = await call(people.get('operator')!, route, { ...own, account: 'acct_none' });
      expect([route, status, body]).toMatchObject([route, 404, { error: { message: "There is no account 'acct_none'." } }]);
    }
  });

  it('show members no names at providers, and not which operator did something', async () => {
    const owner = members.get('owner')!;
    const shown = await owner.get(`accounts/${own.account}/requests/${own.request}`).expect(200);
    expect(shown.body).not.toHaveProperty('attempts');
    expect(shown.body).toMatchObject({ timeline: [{ provider: 'sandbox', outcome: 'served' }] });
    expect((await operator.get(`requests/${own.request}`).expect(200)).body).toMatchObject({ attempts: [{ outcome: 'served' }] });
    // A member, a command, and an operator have each made a key.
    await owner.post(`accounts/${own.account}/keys`, { environment: 'test' }).expect(200);
    const deed = { actor: 'somebody', actorKind: 'cli', action: 'keys create' } as const;
    const keys = gateway.running.app.get(ApiKeyStore);
    await keys.create({ accountId: own.account, environment: 'test' }, audited(deed, { accountId: own.account, fields: [] }));
    const path = `accounts/${own.account}/audit-log`;
    // Whom the walk has let into the playground has got a key.
    const log = async (who: Administration) =>
      ((await who.get(path).expect(200)).body as { data: AuditLine[] }).data.filter(({ action }) => !action.includes('/playground/'));
    const lines = await log(owner);
    expect(lines.slice(0, 2)).toMatchObject([
      { actor_kind: 'cli', actor: null, address: null, request_id: null },
      { actor_kind: 'token', role: 'owner', actor: owner.tokenId, address: '127.0.0.1', request_id: expect.any(String) as string },
    ]);
    expect(lines.length).toBeGreaterThan(2);
    for (const { role, actor, address } of lines.slice(2)) expect([role, actor, address]).toEqual(['operator', null, null]);
    const seen = await log(operator);
    expect(seen.map(({ id }) => id)).toEqual(lines.map(({ id }) => id));
    expect(seen[0]!.actor).toBe('somebody');
    for (const { actor, account_id } of seen.slice(2)) expect([actor, account_id]).toEqual([operator.tokenId, own.account]);
    expect((await operator.get('accounts/acct_none/audit-log')).status).toBe(404);
  });
});

interface Made {
  readonly id: string;
}

interface AuditLine {
  readonly id: string;
  readonly action: string;
  readonly role: string | null;
  readonly actor: string | null;
  readonly address: string | null;
  readonly account_id: string | null;
}

interface Refusal {
  readonly error: { readonly code: string };
}
