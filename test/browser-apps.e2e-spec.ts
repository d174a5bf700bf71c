import { jest } from '@jest/globals';
import request from 'supertest';
import { ApiKeyStore } from '../src/auth/api-key-store.js';
import { CatalogueService } from '../src/catalogue/catalogue.service.js';
import { ConfigService } from '../src/config/config.service.js';
import { apiDocuments } from './support/api-documents.js';
import { Gateway } from './support/gateway.js';
import { useGateway } from './support/started.js';
import { until } from './support/until.js';

const origin = 'https://app.example.com';
const extension = 'chrome-extension://abcdefghijklmnop';
const chat = { model: 'sandbox-chat', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 5 };

/** Headers of a response that every page may read (Fetch, CORS-safelisted response-header name). */
const safelisted = /^(cache-control|content-length|content-type)$/;

type Headers = Readonly<Record<string, string>>;

describe('Browser apps', () => {
  let limitedKey: string;
  const gateway = useGateway(() => Gateway.start({ server: { cors_origins: [origin, extension, 'http://localhost:5173'] } }));
  beforeAll(async () => {
    const keys = gateway.running.app.get(ApiKeyStore);
    const { accountId } = gateway.customer;
    // One to see that it is known, and one that generates.
    ({ key: limitedKey } = await keys.create({ accountId, environment: 'live', rules: { requests_per_minute: 1, burst_seconds: 120 } }));
    const known = () => request(gateway.url).get('/v1/models').set('authorization', `Bearer ${limitedKey}`);
    await until(async () => (await known()).status === 200, 'the key is known');
  });

  const corsOf = (headers: Headers) =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-') || name === 'vary'));

  const preflight = (path: string, from = origin, method = 'POST', asked = 'authorization,content-type,x-stainless-os') =>
    request(gateway.url)
      .options(path)
      .set({ origin: from, 'access-control-request-method': method, 'access-control-request-headers': asked });

  const key = () => `Bearer ${gateway.customer.liveKey}`;

  describe('ask before they send', () => {
    it.each([
      ['/v1/chat/completions', 'POST'],
      ['/v1/completions', 'POST'],
      ['/v1/models?active_only=false', 'GET, HEAD'],
      ['/v1/models/vendor%2Fmodel', 'GET, HEAD'],
    ])('and are answered without a key: %s', async (path, methods) => {
      for (const from of [origin, extension, 'http://localhost:5173']) {
        const { status, headers, text } = await preflight(path, from);
        expect([status, text]).toEqual([204, '']);
        expect(headers['x-request-id']).toBeDefined();
        expect(corsOf(headers as Headers)).toEqual({
          vary: 'origin, access-control-request-headers',
          'access-control-allow-origin': from,
          'access-control-expose-headers': expect.any(String),
          'access-control-allow-methods': methods,
          'access-control-allow-headers': 'authorization,content-type,x-stainless-os',
          'access-control-max-age': '600',
        });
      }
    });

    it('and learn of an address that there is not by its answer', async () => {
      const { status, headers } = await preflight('/v1/nothing');
      expect([status, headers['access-control-allow-origin'], headers['access-control-allow-methods']]).toEqual([204, origin, undefined]);
    });

    it.each(['https://app.example.com.evil.example', 'https://other.example', 'http://app.example.com', 'null', `${origin}, ${origin}`])(
      'and get no leave as %s',
      async (from) => {
        const { status, headers } = await preflight('/v1/chat/completions', from);
        expect([status, corsOf(headers as Headers)]).toEqual([401, { vary: 'origin' }]);
      },
    );

    it('and may send a body with it, which is not read', async () => {
      const answer = await preflight('/v1/completions').set('content-type', 'application/json').send('{"model":');
      expect(answer.status).toBe(204);
    });

    it('which an OPTIONS request alone does not', async () => {
      const { status, headers } = await request(gateway.url).options('/v1/models').set({ origin, authorization: key() });
      expect([status, headers['access-control-allow-origin']]).toEqual([405, origin]);
    });
  });

  describe('read', () => {
    const get = (path: string) => request(gateway.url).get(path).set({ origin, authorization: key() });
    const post = (body: object | string, authorization = key()) =>
      request(gateway.url).post('/v1/chat/completions').set({ origin, authorization, 'content-type': 'application/json' }).send(body);

    it.each([
      ['a list', 200, () => get('/v1/models')],
      ['an answer', 200, () => post(chat)],
      ['a stream', 200, () => post({ ...chat, stream: true })],
      ['that there is no key', 401, () => request(gateway.url).get('/v1/models').set('origin', origin)],
      ['that the key is wrong', 401, () => post(chat, 'Bearer sy-live-unknown')],
      ['a wrong field', 400, () => post({ ...chat, temperature: 9 })],
      ['a body that is no JSON', 400, () => post('{')],
      ['an address that cannot be read', 400, () => get('/v1/%zz')],
      ['an address that there is not', 404, () => get('/v1/nothing')],
      ['a model that there is not', 404, () => get('/v1/models/none')],
      ['a wrong method', 405, () => request(gateway.url).delete('/v1/models').set({ origin, authorization: key() })],
      ['a limit of a provider', 429, () => post({ ...chat, model: 'sandbox-rate-limited' })],
      ['a failed provider', 502, () => post({ ...chat, model: 'sandbox-bad-gateway' })],
    ])('%s', async (_what, status, send) => {
      const answer = await send();
      expect([answer.status, corsOf(answer.headers as Headers)]).toEqual([
        status,
        { vary: 'origin', 'access-control-allow-origin': origin, 'access-control-expose-headers': expect.stringContaining('x-request-id') },
      ]);
    });

    it('a limit of the gateway, with when to come again', async () => {
      await post(chat, `Bearer ${limitedKey}`).expect(200);
      const { status, headers } = await post(chat, `Bearer ${limitedKey}`);
      expect([status, headers['access-control-allow-origin']]).toEqual([429, origin]);
      for (const name of ['retry-after', 'x-ratelimit-remaining-requests', 'x-request-id']) {
        expect(headers[name]).toBeDefined();
        expect(headers['access-control-expose-headers']!.split(', ')).toContain(name);
      }
    });

    it('a failure of the gateway itself', async () => {
      jest.spyOn(CatalogueService.prototype, 'accessible').mockImplementationOnce(() => {
        throw new Error('on purpose');
      });
      const { status, headers } = await get('/v1/models');
      expect([status, headers['access-control-allow-origin'], headers['vary']]).toEqual([500, origin, 'origin']);
    });

    it('every header that the operations are described with', async () => {
      const { headers } = await get('/v1/models');
      const exposed = headers['access-control-expose-headers']!.split(', ');
      const operations = Object.entries(apiDocuments.customers.paths).filter(([path]) => path.startsWith('/v1/'));
      const described = new Set(Object.keys(apiDocuments.customers.components!.headers!).filter((name) => !safelisted.test(name)));
      const answered = JSON.stringify([operations, apiDocuments.customers.components!.responses]);
      const names = [...described].filter((name) => answered.includes(`#/components/headers/${name}"`));
      expect(names).toContain('x-switchyard-cost');
      // What proxies read, and versions of pages.
      expect(names.filter((name) => !exposed.includes(name) && !/^(x-accel-buffering|etag)$/.test(name))).toEqual([]);
    });

    it('nothing from an origin that is not listed', async () => {
      const { status, headers } = await get('/v1/models').set('origin', 'https://other.example');
      expect([status, corsOf(headers as Headers)]).toEqual([200, { vary: 'origin' }]);
    });
  });

  it.each(['/', '/health/ready', '/admin/v1/accounts', '/dashboard', '/metrics', '/v1', '/admin/v1/session'])(
    'neither ask nor read %s',
    async (path) => {
      for (const answer of [await preflight(path), await request(gateway.url).get(path).set('origin', origin)])
        expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    },
  );

  it('come and go with the configuration, without a restart', async () => {
    const config = gateway.running.app.get(ConfigService);
    const before = config.file;
    await config.replace({ ...before, server: { ...before.server, cors_origins: [] } });
    const { status, headers } = await preflight('/v1/models');
    expect([status, corsOf(headers as Headers)]).toEqual([401, {}]);
    await config.replace(before);
    expect((await preflight('/v1/models')).status).toBe(204);
  });
});
