import { join } from 'node:path';
import { jest } from '@jest/globals';
import type { Type } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { Validator } from '@seriousme/openapi-schema-validator';
import { getMetadataStorage } from 'class-validator';
import request from 'supertest';
import { CreateChatCompletionDto } from '../src/chat/create-chat-completion.dto.js';
import { CreateCompletionDto } from '../src/completions/create-completion.dto.js';
import { RequestGate } from '../src/http/server/request-gate.js';
import { createDocuments, type Documents } from '../src/openapi/create-documents.js';
import { Administration } from './support/administration.js';
import { DescribedAnswers } from './support/described-answers.js';
import { eventsOf } from './support/event-stream.js';
import { Gateway } from './support/gateway.js';

interface Route {
  readonly method: string;
  readonly url: string;
}

const source = join(import.meta.dirname, '../src');
const hello = [{ role: 'user', content: 'Hello' }];

describe('The description of the API', () => {
  let documents: Documents;
  let gateway: Gateway;
  let described: DescribedAnswers;
  const routes: Route[] = [];

  beforeAll(async () => {
    const added = jest.spyOn(RequestGate.prototype, 'addRoute').mockImplementation(function (this: RequestGate, { method, url }) {
      for (const one of [method].flat()) if (one !== 'HEAD') routes.push({ method: one, url });
    });
    gateway = await Gateway.start({ server: { body_limit: 100_000 }, observability: { metrics_token: 'the token of metrics' } });
    added.mockRestore();
    documents = await createDocuments(source);
    described = new DescribedAnswers(documents.customers);
  });
  afterAll(() => gateway.close());

  const all = (): OpenAPIObject[] => [documents.customers, documents.administration];
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
    const names = (list: readonly Route[]): string[] => list.map(({ method, url }) => `${method} ${url.replace(/:(\w+)/g, '{$1}')}`).sort();
    expect(names(all().flatMap(operationsOf))).toEqual(names(routes));
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
    const { properties, required } = documents.customers.components!.schemas![dto.name.replace('Dto', '')] as Record<string, object>;
    const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
    expect(Object.keys(properties!).sort()).toEqual([...new Set(rules.map(({ propertyName }) => propertyName))].sort());
    expect(required).toEqual(Object.keys(properties!).slice(0, 2));
  });

  it('is what the gateway answers: models, the gateway itself, metrics', async () => {
    const get = (path: string) => request(gateway.url).get(path);
    for (const query of ['', '?include_capabilities=true&active_only=false', '?capability=image&provider=sandbox', '?active_only=perhaps'])
      described.check('GET', '/v1/models', await gateway.get(`models${query}`));
    described.check('GET', '/v1/models', await get('/v1/models'));
    described.check('GET', '/v1/models', await gateway.get('models', 'sy-live-unknown'));
    for (const path of ['/', '/health/live', '/health/ready', '/metrics']) described.check('GET', path, await get(path));
    described.check('GET', '/metrics', await get('/metrics').set('authorization', 'Bearer the token of metrics'));
    // This gateway runs from its sources; a built one is in test/long/shipped.spec.ts.
    for (const path of ['/openapi.json', '/docs']) described.check('GET', path, await get(path));
    expect(described.statuses('GET', '/v1/models')).toEqual(['200', '400', '401']);
    expect(described.statuses('GET', '/metrics')).toEqual(['200', '403']);
  });

  it.each([
    ['/v1/chat/completions', { messages: hello }],
    ['/v1/completions', { prompt: 'Hello' }],
  ])('is what POST %s answers, with every example of it and every error', async (path, body) => {
    const send = async (sent: object, key?: string): Promise<void> =>
      described.check('POST', path, await gateway.post(path.slice(4), sent, key));
    for (const example of described.examples(path)) {
      expect(described.bodyProblems(path, example)).toEqual([]);
      const answer = await gateway.post(path.slice(4), example).buffer();
      described.check('POST', path, answer);
      expect(answer.status).toBe(200);
      if (answer.type === 'text/event-stream')
        for (const event of eventsOf(answer.text)) expect(described.eventProblems(path, event)).toEqual([]);
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
    const post = () => request(gateway.url).post(path).set('authorization', `Bearer ${gateway.customer.liveKey}`);
    described.check('POST', path, await post().type('text').send('Hello'));
    described.check(
      'POST',
      path,
      await post()
        .send({ model, ...body })
        .set('x-switchyard-strategy', 'luck'),
    );
    const same = () => post().set('idempotency-key', `the key of ${path}`);
    described.check('POST', path, await same().send({ model, ...body }));
    described.check('POST', path, await same().send({ model, ...body }));
    described.check('POST', path, await same().send({ model, ...body, seed: 3 }));
    expect(described.statuses('POST', path)).toEqual(['200', '400', '401', '402', '404', '409', '413', '415', '429', '502', '503', '504']);
  });

  it('is what the administration answers', async () => {
    const of = new DescribedAnswers(documents.administration);
    const operator = await Administration.as(gateway.running, 'operator');
    const viewer = await Administration.as(gateway.running, 'viewer', gateway.customer.accountId);
    const one = '/admin/v1/accounts/{account}';
    const account = `accounts/${gateway.customer.accountId}`;
    const made = await operator.post('accounts', { id: 'described', name: 'Described', rules: { concurrency: 1 } });
    of.check('POST', '/admin/v1/accounts', made);
    of.check('POST', '/admin/v1/accounts', await operator.post('accounts', { id: 'described', name: 'Other' }));
    of.check('POST', '/admin/v1/accounts', await operator.post('accounts', {}));
    of.check('GET', '/admin/v1/accounts', await operator.get('accounts'));
    of.check('GET', '/admin/v1/accounts', await viewer.get('accounts'));
    of.check('GET', '/admin/v1/me', await viewer.get('me'));
    of.check('GET', one, await operator.get('accounts/none'));
    of.check('PATCH', one, await operator.patch('accounts/described', { name: 'X' }, '"0"'));
    of.check('PATCH', one, await operator.patch('accounts/described', { name: 'X' }));
    const key = await operator.post(`${account}/keys`, {
      environment: 'test',
      metadata: { team: 'a' },
      expires_at: '2999-01-01T00:00:00Z',
    });
    of.check('POST', `${one}/keys`, key);
    const { id } = key.body as { id: string };
    of.check('PATCH', `${one}/keys/{key}`, await operator.patch(`${account}/keys/${id}`, { expires_at: null }));
    of.check('POST', `${one}/keys/{key}/rotate`, await operator.post(`${account}/keys/${id}/rotate`, { grace_seconds: 0 }));
    of.check('DELETE', `${one}/keys/{key}`, await operator.delete(`${account}/keys/${id}`));
    of.check('GET', `${one}/keys`, await viewer.get(`${account}/keys?limit=1`));
    of.check('POST', `${one}/projects`, await operator.post(`${account}/projects`, { name: 'P' }));
    of.check('GET', `${one}/projects`, await viewer.get(`${account}/projects`));
    of.check('POST', `${one}/tokens`, await operator.post(`${account}/tokens`, { role: 'viewer' }));
    of.check('GET', `${one}/tokens`, await operator.get(`${account}/tokens`));
    const grant = { id: 'described', environment: 'test', amount: '1' };
    of.check('POST', `${one}/credits/grants`, await operator.post(`${account}/credits/grants`, grant));
    for (const path of ['credits', 'credits/transfers', 'usage', 'charges', 'requests', 'audit-log'])
      of.check('GET', `${one}/${path}`, await operator.get(`${account}/${path}`));
    for (const path of ['tokens', 'usage', 'charges', 'requests', 'audit-log'])
      of.check('GET', `/admin/v1/${path}`, await operator.get(path));
    const { data } = (await operator.get('requests')).body as { data: { request_id: string }[] };
    of.check('GET', '/admin/v1/requests/{request}', await operator.get(`requests/${data[0]!.request_id}?text=true`));
    expect(of.statuses('POST', '/admin/v1/accounts')).toEqual(['200', '400', '409']);
    expect(of.statuses('PATCH', one)).toEqual(['200', '412']);
  });
});
