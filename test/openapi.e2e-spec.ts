import { jest } from '@jest/globals';
import type { Type } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { Validator } from '@seriousme/openapi-schema-validator';
import { getMetadataStorage } from 'class-validator';
import request from 'supertest';
import { CreateChatCompletionDto } from '../src/chat/create-chat-completion.dto.js';
import { CreateCompletionDto } from '../src/completions/create-completion.dto.js';
import { RequestGate } from '../src/http/server/request-gate.js';
import { PersonStore } from '../src/people/person-store.js';
import { SignInLinks } from '../src/people/sign-in/sign-in-links.js';
import { Administration } from './support/administration.js';
import { Browser } from './support/browser.js';
import { apiDocuments } from './support/api-documents.js';
import { Gateway } from './support/gateway.js';

interface Route {
  readonly method: string;
  readonly url: string;
}

const hello = [{ role: 'user', content: 'Hello' }];
/** Nobody listens there. */
const provider = { id: 'described', settings: { base_url: 'http://127.0.0.1:9/v1', models: { described: {} } } };
const nobody = { url: 'http://127.0.0.1:9/', events: ['key.revoked'] };

describe('The description of the API', () => {
  let gateway: Gateway;
  const described = Gateway.answers;
  const routes: Route[] = [];

  beforeAll(async () => {
    Gateway.answers.forget();
    Administration.answers.forget();
    const added = jest.spyOn(RequestGate.prototype, 'addRoute').mockImplementation(function (this: RequestGate, { method, url }) {
      for (const one of [method].flat()) if (one !== 'HEAD') routes.push({ method: one, url });
    });
    gateway = await Gateway.start({
      server: { body_limit: 100_000 },
      store: { keep_responses: true },
      observability: { metrics_token: 'the token of metrics' },
      webhooks: { allow_http: true, allow_private_addresses: true },
      stored_providers: { allow_private_addresses: true },
    });
    added.mockRestore();
  });
  afterAll(() => gateway.close());

  const all = (): OpenAPIObject[] => [apiDocuments.customers, apiDocuments.administration];
  const operationsOf = ({ paths }: OpenAPIObject): Route[] =>
    Object.entries(paths).flatMap(([url, path]) => Object.keys(path).map((method) => ({ method: method.toUpperCase(), url })));

  it('is valid OpenAPI 3.1', async () => {
    for (const document of all()) {
      const { valid, errors } = await new Validator().validate(structuredClone(document) as unknown as Record<string, unknown>);
      expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
      expect(document.openapi).toBe('3.1.0');
    }
  });

  it('has each route of the running gateway, and no other', () => {
    const names = (list: readonly Route[]): string[] =>
      list.map(({ method, url }) => `${method} ${url.replace(/:(\w+)/g, '{$1}').replace(/\*$/, '{id}')}`).sort();
    // The page of the dashboard and its files are no operations.
    const operations = routes.filter(({ url }) => !url.startsWith('/dashboard'));
    expect(names(all().flatMap(operationsOf))).toEqual(names(operations));
  });

  it('says of each operation what it does, whom it answers, and every error; each has a name of its own', () => {
    for (const document of all()) {
      const names = new Set<string>();
      for (const { method, url } of operationsOf(document)) {
        const operation = document.paths[url]![method.toLowerCase() as 'get']!;
        expect([url, operation.summary]).toEqual([url, expect.stringMatching(/^[A-Z].{5,}[^.]$/)]);
        expect(operation.tags).toHaveLength(1);
        names.add(operation.operationId!);
        expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['400', '500', '503']));
        if (operation.security) expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['401', '429']));
      }
      expect(names.size).toBe(operationsOf(document).length);
    }
  });

  it.each([CreateChatCompletionDto, CreateCompletionDto])('has every field of %p, and which must be there', (dto: Type) => {
    const { properties, required } = apiDocuments.customers.components!.schemas![dto.name.replace('Dto', '')] as Record<string, object>;
    const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
    expect(Object.keys(properties!).sort()).toEqual([...new Set(rules.map(({ propertyName }) => propertyName))].sort());
    expect(required).toEqual(Object.keys(properties!).slice(0, 2));
  });

  it('is what the gateway answers: models, the gateway itself, metrics', async () => {
    const get = (path: string) => request(gateway.url).get(path).expect(described.check);
    for (const query of ['', '?include_capabilities=true&active_only=false', '?capability=image&provider=sandbox', '?active_only=perhaps'])
      await gateway.get(`models${query}`);
    for (const id of [
      'sandbox-chat',
      'sandbox-chat?include_capabilities=true',
      'nobody-has-this',
      'sandbox-chat?include_capabilities=perhaps',
    ])
      await gateway.get(`models/${id}`);
    await get('/v1/models');
    await gateway.get('models', 'sy-live-unknown');
    for (const path of ['/', '/health/live', '/health/ready', '/metrics']) await get(path);
    await get('/metrics').set('authorization', 'Bearer the token of metrics');
    // This gateway runs from its sources; description-pages.e2e-spec.ts asks a built one.
    for (const path of ['/openapi.json', '/docs']) await get(path).expect(404);
    expect(described.statuses('GET /v1/models')).toEqual(['200', '400', '401']);
    expect(described.statuses('GET /v1/models/{id}')).toEqual(['200', '400', '404']);
    expect(described.statuses('GET /metrics')).toEqual(['200', '403']);
  });

  it.each([
    ['/v1/chat/completions', { messages: hello }],
    ['/v1/completions', { prompt: 'Hello' }],
    ['/v1/messages', { messages: hello, max_tokens: 20 }],
    ['/v1/responses', { input: 'Hello', max_output_tokens: 20 }],
  ])('is what POST %s answers, with every example of it and every error', async (path, body) => {
    const send = (sent: object, key?: string) => gateway.post(path.slice(4), sent, key);
    for (const example of described.examples(path)) {
      expect(described.bodyProblems(path, example)).toEqual([]);
      await send(example).buffer().expect(200);
    }
    const model = 'sandbox-omni';
    for (const more of [{ n: 2, logprobs: path.includes('chat') ? true : 3 }, { max_tokens: 3, seed: 7 }, { unknown: 'field' }])
      await send({ model, ...body, ...more });
    const failing = [
      'rate-limited',
      'overloaded',
      'unavailable',
      'unreachable',
      'timeout',
      'bad-gateway',
      'unauthorized',
      'quota',
      'context-overflow',
      'refused',
    ];
    for (const name of failing) await send({ model: `sandbox-${name}`, ...body });
    for (const wrong of [
      {},
      { model },
      { model: 'nobody-has-this', ...body },
      { model, ...body, temperature: 'hot' },
      { model, ...body, n: 1000 },
    ])
      await send(wrong);
    await send({ model: path.includes('chat') ? 'sandbox-text' : 'sandbox-chat', ...body });
    await send({ model, ...body, ...(path.includes('chat') ? { functions: [{}] } : { tools: [{}] }) });
    await send({ model, ...body }, 'sy-live-unknown');
    await send({ model, ...body, user: 'x'.repeat(200_000) });
    const poor = await gateway.newCustomer('0');
    await send({ model: 'sandbox-cut', ...body }, poor.liveKey);
    await request(gateway.url)
      .post(path)
      .set('authorization', `Bearer ${gateway.customer.liveKey}`)
      .type('text')
      .expect(described.check)
      .send('Hello');
    await send({ model, ...body }).set('x-switchyard-strategy', 'luck');
    const same = (sent: object) => send(sent).set('idempotency-key', `the key of ${path}`);
    await same({ model, ...body });
    expect((await same({ model, ...body })).headers).toHaveProperty('idempotent-replayed');
    await same({ model, ...body, seed: 3 });
    expect(described.statuses(`POST ${path}`)).toEqual([
      '200',
      '400',
      '401',
      '402',
      '404',
      '409',
      '413',
      '415',
      '429',
      '502',
      '503',
      '504',
    ]);
  });

  it('is what the count of a prompt is', async () => {
    const path = 'messages/count_tokens';
    await gateway.post(path, { model: 'sandbox-chat', messages: hello }).expect(200);
    await gateway.post(path, { model: 'nobody-has-this', messages: hello }).expect(404);
    await gateway.post(path, { model: 'sandbox-text', messages: hello }).expect(400);
  });

  it('is what the operations on stored responses answer', async () => {
    const { body } = await gateway.post('responses', { model: 'sandbox-chat', input: 'Hello', background: true }).expect(200);
    const { id } = body as { id: string };
    const authorization = `Bearer ${gateway.customer.liveKey}`;
    const path = `responses/${id}`;
    await gateway.get(path).expect(200);
    for (const query of ['stream=perhaps', 'stream=true&starting_after=1000']) await gateway.get(`${path}?${query}`).expect(400);
    await gateway.get(`${path}?stream=true&starting_after=1`).buffer().expect(200);
    await gateway.get(`${path}/input_items`).expect(200);
    await gateway.get(`${path}/input_items?limit=1000`).expect(400);
    await gateway.post(`${path}/cancel`, {}).expect(200);
    const remove = () => request(gateway.url).delete(`/v1/${path}`).set('authorization', authorization).expect(described.check);
    await remove().expect(200);
    await remove().expect(404);
    for (const gone of [path, `${path}/input_items`]) await gateway.get(gone).expect(404);
    await gateway.post(`${path}/cancel`, {}).expect(404);
    await gateway.post('responses', { model: 'sandbox-chat', input: 'Hello', previous_response_id: id }).expect(404);
    expect(described.statuses('GET /v1/responses/{response_id}')).toEqual(['200', '400', '404']);
  });

  it('names the headers of limits on whatever a limited key is answered', async () => {
    const operator = await Administration.as(gateway.running, 'operator');
    const rules = { requests_per_minute: 6, tokens_per_minute: 100_000 };
    const made = await operator.post(`accounts/${gateway.customer.accountId}/keys`, { environment: 'live', rules });
    const { key } = made.body as { key: string };
    const six = ['limit', 'remaining', 'reset'].flatMap((word) => [`x-ratelimit-${word}-requests`, `x-ratelimit-${word}-tokens`]);
    const ask = (more: object) => gateway.post('chat/completions', { model: 'sandbox-chat', messages: hello, max_tokens: 4, ...more }, key);
    for (const more of [
      {},
      { stream: true },
      { model: 'sandbox-unavailable' },
      { model: 'sandbox-refused' },
      { model: 'sandbox-rate-limited' },
    ]) {
      const { headers } = await ask(more).buffer();
      for (const name of six) expect(headers).toHaveProperty(name);
    }
    let refused = await ask({});
    for (let i = 0; i < 60 && refused.status !== 429; i++) refused = await ask({});
    expect(refused.status).toBe(429);
    for (const name of [...six, 'retry-after']) expect(refused.headers).toHaveProperty(name);
  });

  it('is what POST /v1/embeddings answers, with every example of it and errors', async () => {
    const path = '/v1/embeddings';
    const send = (sent: object, key?: string) => gateway.post('embeddings', sent, key);
    for (const example of described.examples(path)) {
      expect(described.bodyProblems(path, example)).toEqual([]);
      await send(example).expect(200);
    }
    const [model, input] = ['sandbox-embedding', 'Hello'];
    await send({ model, input: [[1, 2], [3]] }).expect(200);
    for (const wrong of [{}, { model }, { model, input: [] }, { model: 'sandbox-chat', input }, { model, input, dimensions: 'two' }])
      await send(wrong).expect(400);
    await send({ model: 'nobody-has-this', input }).expect(404);
    await send({ model, input }, 'sy-live-unknown').expect(401);
    await send({ model, input }, (await gateway.newCustomer('0')).liveKey).expect(402);
    expect(described.statuses(`POST ${path}`)).toEqual(['200', '400', '401', '402', '404']);
  });

  it('is what POST /v1/rerank answers, with every example of it and errors', async () => {
    const path = '/v1/rerank';
    const send = (sent: object, key?: string) => gateway.post('rerank', sent, key);
    for (const example of described.examples(path)) {
      expect(described.bodyProblems(path, example)).toEqual([]);
      await send(example).expect(200);
    }
    const [model, query, documents] = ['sandbox-rerank', 'rain', ['Rain', { text: 'Trains' }]];
    await send({ model, query, documents, return_documents: true }).expect(200);
    for (const wrong of [{}, { model, query }, { model, query, documents: [] }, { model: 'sandbox-chat', query, documents }])
      await send(wrong).expect(400);
    await send({ model: 'nobody-has-this', query, documents }).expect(404);
    await send({ model, query, documents }, 'sy-live-unknown').expect(401);
    await send({ model, query, documents }, (await gateway.newCustomer('0')).liveKey).expect(402);
    expect(described.statuses(`POST ${path}`)).toEqual(['200', '400', '401', '402', '404']);
  });

  it('is what the operations for customers answer, each of them', () => {
    expect(described.withoutSuccess()).toEqual(['GET /docs', 'GET /docs/page.css', 'GET /docs/page.js', 'GET /openapi.json']);
  });

  /** Operations for browsers, which check every answer. */
  const ofPeople = /^\/admin\/v1\/(session|sign-in-options|invitations|accounts\/\{account\}\/credits\/alert)(\/|$)/;

  async function signInAndOut(): Promise<void> {
    const { app } = gateway.running;
    const owner = await app.get(PersonStore).withEmail('owner@localhost');
    const [browser, other] = [new Browser(gateway.url), new Browser(gateway.url)];
    const calls = [
      () => browser.get('sign-in-options'),
      async () => browser.post('session/link', { token: (await app.get(SignInLinks).make(owner!.id)).token }),
      () => browser.call('put', 'session/password', { password: 'a long password' }),
      () => other.post('session', { email: 'owner@localhost', password: 'a long password' }),
      () => browser.get('session'),
      () => browser.call('patch', 'session/user', { name: 'Described' }),
      () => browser.get('session/sessions'),
      () => browser.get(`accounts/${gateway.customer.accountId}/credits/alert`),
      () => browser.call('delete', `accounts/${gateway.customer.accountId}/credits/alert`),
      async () => {
        const { data } = (await other.get('session/sessions')).body as { data: { id: string; current: boolean }[] };
        return other.call('delete', `session/sessions/${data.find(({ current }) => !current)!.id}`);
      },
      async () => {
        const operator = await Administration.as(gateway.running, 'operator');
        const { body } = await operator.post('operators/invitations', { email: 'accepts@example.com' });
        const path = (body as { link: string }).link.replace(/^.*\/dashboard\//, '');
        expect((await new Browser(gateway.url).get(path)).status).toBe(200);
        return new Browser(gateway.url).post(`${path}/accept`, { name: 'Accepts', password: 'a long password' });
      },
      () => other.call('delete', 'session'),
    ];
    for (const [index, call] of calls.entries())
      expect([index, (await call()).status]).toEqual([index, index === calls.length - 1 ? 204 : 200]);
  }

  it('is what each operation of the administration answers', async () => {
    const operator = await Administration.as(gateway.running, 'operator');
    /** What is made here, and what there is, by the address of its list. */
    const ids = new Map(['models', 'accounts/{account}/models'].map((list) => [list, 'sandbox-stall']));
    const addressOf = (path: string): string => {
      const parts = path.replace('/admin/v1/', '').split('/');
      const known = (list: string): string => {
        const id = ids.get(list);
        if (id === undefined) throw new Error(`${path}: add what makes one of ${list} to the table of this spec`);
        return id;
      };
      return parts.map((part, index) => (part.startsWith('{') ? known(parts.slice(0, index).join('/')) : part)).join('/');
    };
    const posted: Readonly<Record<string, object>> = {
      accounts: { name: 'Described', rules: { concurrency: 9 } },
      'accounts/{account}/projects': { name: 'Described', rules: { models: { allow: ['sandbox-*'] } } },
      'accounts/{account}/credits/grants': { id: 'described', environment: 'test', amount: '1' },
      'accounts/{account}/keys': { environment: 'test', metadata: { team: 'a' }, expires_at: '2999-01-01T00:00:00Z' },
      'accounts/{account}/keys/{key}/rotate': { grace_seconds: 60 },
      'accounts/{account}/tokens': { role: 'viewer' },
      'accounts/{account}/invitations': { email: 'described@example.com', role: 'viewer' },
      'operators/invitations': { email: 'described@example.com' },
      'users/{user}/sign-in-links': {},
      'accounts/{account}/webhooks': nobody,
      'accounts/{account}/webhooks/{webhook}/test': {},
      'accounts/{account}/webhooks/{webhook}/rotate': {},
      tokens: { label: 'ci' },
      webhooks: nobody,
      'webhooks/{webhook}/rotate': {},
      'webhooks/{webhook}/test': {},
      providers: provider,
      'providers/try': { ...provider, timeout: 1_000 },
      'providers/{provider}/try': { timeout: 1_000 },
      'providers/{provider}/disable': { message: 'Back at noon' },
      'providers/{provider}/enable': {},
      'models/{model}/enable': {},
      'models/{model}/disable': { message: 'Back at noon' },
    };
    for (const [path, body] of Object.entries(posted)) {
      const answer = await operator.post(addressOf(path), body);
      expect([path, answer.status, answer.body]).toEqual([path, 200, answer.body]);
      const made = answer.body as { id: string; key?: string };
      ids.set(path, made.id);
      if (path === 'accounts') {
        ids.set('accounts/{account}/members', (await Administration.signedIn(gateway.running, 'viewer', made.id)).personId);
        for (const list of ['users', 'operators']) ids.set(list, (await Administration.signedIn(gateway.running, 'operator')).personId);
      }
      if (!path.endsWith('/keys')) continue;
      const ask = { model: 'sandbox-text', prompt: 'Hello', max_tokens: 1 };
      const { headers } = await gateway.post('completions', ask, made.key).expect(200);
      for (const list of ['requests', 'accounts/{account}/requests']) ids.set(list, headers['x-request-id']!);
    }
    const live = { id: 'described-live', environment: 'live', amount: '1' };
    await operator.post(addressOf('accounts/{account}/credits/grants'), live).expect(200);
    const asked = { model: 'sandbox-chat', messages: hello, max_tokens: 1 };
    await operator.post(addressOf('accounts/{account}/playground/chat/completions'), asked).expect(200);
    const prompted = { model: 'sandbox-text', prompt: 'Hello', max_tokens: 1 };
    await operator.post(addressOf('accounts/{account}/playground/completions'), prompted).expect(200);
    await operator.post('routing/try', { request: asked }).expect(200);
    for (const verb of ['suspend', 'resume']) await operator.post(addressOf(`accounts/{account}/${verb}`)).expect(200);
    await operator.post('ledger/verify').expect(200);
    await signInAndOut();
    const { paths } = apiDocuments.administration;
    const walked = Object.keys(paths).filter((path) => !ofPeople.test(path) && !path.endsWith('openapi.json'));
    for (const method of ['get', 'patch', 'delete'] as const)
      for (const path of walked.filter((one) => paths[one]![method])) {
        const answer = await operator.call(method, addressOf(path), method === 'patch' ? { body: {} } : {});
        expect([method, path, answer.status]).toEqual([method, path, 200]);
        const { data } = answer.body as { data?: object[] };
        if (data) expect([path, data]).not.toEqual([path, []]);
      }
    // description-pages.e2e-spec.ts asks a built gateway for it.
    // Those of OpenID Connect redirect (oidc.e2e-spec.ts), and what is sent by mail has specs with a mail server.
    const oidc = ['callback', 'start'].map((end) => `GET /admin/v1/session/oidc/{provider}/${end}`);
    expect(Administration.answers.withoutSuccess()).toEqual([
      'GET /admin/v1/openapi.json',
      ...oidc,
      'POST /admin/v1/session/link-requests',
      'PUT /admin/v1/accounts/{account}/credits/alert',
    ]);
  });
});
