import type { IncomingMessage } from 'node:http';
import { Writable } from 'node:stream';
import { Controller, Get, type MiddlewareConsumer, Module, type NestModule, Req } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { fastify, type FastifyReply, type FastifyRequest } from 'fastify';
import { GatewayAdapter } from './gateway-adapter.js';
import { RouteTable } from './route-table.js';
import { ApiError } from '../../common/api-error.js';
import { OpenRequests } from './open-requests.js';
import { gatedServer } from './testing/gated-server.js';

describe('GatewayAdapter', () => {
  it('does not reply again where the response was written without Fastify', async () => {
    const warnings: string[] = [];
    const stream = new Writable({
      write(line: Buffer, _encoding, done) {
        warnings.push(line.toString());
        done();
      },
    });
    const server = fastify({ logger: { level: 'warn', stream } });
    const adapter = new GatewayAdapter(server);
    server.get('/written', (_request, reply: FastifyReply) => {
      reply.hijack();
      reply.raw.end('by hand');
      adapter.reply(reply, { another: 'answer' }, 500);
    });
    const { statusCode, body } = await server.inject('/written');
    expect({ statusCode, body, warnings }).toEqual({ statusCode: 200, body: 'by hand', warnings: [] });
    await server.close();
  });

  it('runs the middleware of a module that has one', async () => {
    @Controller('seen')
    class SeenController {
      @Get()
      seen(@Req() { raw }: FastifyRequest): unknown {
        return { seen: raw.headers['x-seen'] };
      }
    }
    @Module({ controllers: [SeenController] })
    class MiddlewareModule implements NestModule {
      configure(consumer: MiddlewareConsumer): void {
        const middleware = (request: IncomingMessage, _response: unknown, next: () => void) => {
          request.headers['x-seen'] = 'yes';
          next();
        };
        consumer.apply(middleware).forRoutes(SeenController);
      }
    }
    const app = await NestFactory.create<NestFastifyApplication>(MiddlewareModule, new GatewayAdapter(), { logger: false });
    await app.init();
    expect((await app.inject('/seen')).json()).toEqual({ seen: 'yes' });
    await app.close();
  });
});

describe('RouteTable', () => {
  const table = new RouteTable();
  table.add({ url: '/v1/models', method: 'GET' });
  table.add({ url: '/v1/models', method: 'HEAD' });
  table.add({ url: '/v1/completions', method: 'POST' });
  table.add({ url: '/admin/accounts/:id', method: ['GET', 'DELETE'] });
  table.add({ url: '/assets/*', method: 'GET' });

  it.each([
    ['/v1/models', ['GET', 'HEAD']],
    ['/v1/completions', ['POST']],
    ['/admin/accounts/a.b', ['DELETE', 'GET']],
    ['/admin/accounts/a/b', []],
    ['/assets/a/b', ['GET']],
    ['/v1/modelsx', []],
    ['/v1.models', []],
  ])('finds the methods of %s', (path, methods) => expect(table.methodsOf(path)).toEqual(methods));

  it('names the operations below a prefix', () => expect(table.operations('/v1/')).toEqual(['GET /v1/models', 'POST /v1/completions']));
});

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
