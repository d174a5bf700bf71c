import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../common/api-error.js';
import { OpenRequests } from './open-requests.js';
import { gatedServer } from './testing/gated-server.js';

describe('RequestGate', () => {
  const authenticator = {
    authenticate({ headers }: FastifyRequest): string {
      if (headers.authorization !== 'Bearer known') throw new ApiError('invalid_api_key', 'Who are you?');
      return 'one';
    },
  };
  const server = gatedServer(authenticator, new OpenRequests());
  server.get('/v1/new', (_request, reply) => reply.send('for customers'));
  server.post('/open', { config: { public: true } }, (_request, reply) => reply.send('taken'));
  server.get('/open', { config: { public: true } }, (_request, reply) => reply.send('for all'));
  afterAll(() => server.close());

  it.each([
    ['/v1/new', undefined, undefined],
    ['/v1/new', 'Bearer unknown', undefined],
    ['/v1/new', 'Bearer known', 'for customers'],
    ['/open', undefined, 'for all'],
    ['/elsewhere', undefined, undefined],
    ['/elsewhere', 'Bearer known', undefined],
  ])('asks whoever wants %s, with %s as key, for a key unless the route is public', async (url, authorization, body) => {
    const answer = await server.inject({ url, headers: authorization === undefined ? {} : { authorization } });
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer.statusCode === 200 ? answer.body : undefined).toBe(body);
  });

  it('looks at the body of a public route too', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const answer = await server.inject({ method: 'POST', url: '/open', headers, payload: '{}' });
    expect(answer.statusCode).not.toBe(200);
    expect(answer.json()).toMatchObject({ code: 'unsupported_media_type' });
  });
});
