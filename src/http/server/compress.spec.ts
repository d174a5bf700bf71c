import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import type { FastifyReply } from 'fastify';
import { OpenRequests } from './open-requests.js';
import { gatedServer } from './testing/gated-server.js';

const long = JSON.stringify({ data: Array.from({ length: 200 }, (_, id) => ({ id })) });
const file = Buffer.from(long);

describe('Answers', () => {
  const server = gatedServer({ authenticate: () => 'one' }, new OpenRequests());
  const answer = (url: string, make: () => unknown) =>
    server.get(url, { config: { public: true } }, (_request, reply: FastifyReply) => {
      void reply.header('vary', 'origin').type('application/json').send(make());
    });
  for (const url of ['/admin/v1/keys', '/docs', '/openapi.json', '/dashboard', '/dashboard/*', '/v1/models']) answer(url, () => long);
  answer('/admin/v1/file', () => file);
  answer('/admin/v1/stream', () => Readable.from([long]));
  answer('/admin/v1/short', () => '{}');
  answer('/dashboard/assets/:file', () => file);
  afterAll(() => server.close());

  const get = (url: string, accepted?: string) =>
    server.inject({ url, headers: accepted === undefined ? {} : { 'accept-encoding': accepted } });

  it.each(['/admin/v1/keys', '/admin/v1/file', '/admin/v1/file', '/docs', '/openapi.json', '/dashboard', '/dashboard/keys/1'])(
    'of %s are compressed where the client takes that',
    async (url) => {
      const { headers, rawPayload } = await get(url, 'gzip, br');
      expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'origin, accept-encoding' });
      expect(rawPayload.length).toBeLessThan(long.length / 3);
      expect(headers['content-length'] ?? String(rawPayload.length)).toBe(String(rawPayload.length));
      expect(gunzipSync(rawPayload).toString()).toBe(long);
    },
  );

  it.each([
    ['/admin/v1/keys', undefined],
    ['/admin/v1/keys', 'gzip;q=0, br'],
    ['/admin/v1/stream', 'gzip'],
    ['/admin/v1/short', 'gzip'],
    ['/v1/models', 'gzip'],
    ['/dashboard/assets/a.woff2', 'gzip'],
  ])('of %s to a client that takes %s go out as they are', async (url, accepted) => {
    const { headers, body } = await get(url, accepted);
    expect(headers['content-encoding']).toBeUndefined();
    expect(body).toBe(url.endsWith('short') ? '{}' : long);
  });

  it('to HEAD have no body', async () => {
    const { headers, body } = await server.inject({ method: 'HEAD', url: '/admin/v1/keys', headers: { 'accept-encoding': 'gzip' } });
    expect([headers['content-length'], body]).toEqual([String(long.length), '']);
  });
});
