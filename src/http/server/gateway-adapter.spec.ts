import type { IncomingMessage } from 'node:http';
import { Writable } from 'node:stream';
import { Controller, Get, type MiddlewareConsumer, Module, type NestModule, Req } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { fastify, type FastifyReply, type FastifyRequest } from 'fastify';
import { GatewayAdapter } from './gateway-adapter.js';

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
