import { Controller, Get, Module, UseInterceptors } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Observable, of } from 'rxjs';
import { ConfigModule } from '../config/config.module.js';
import { configSchema } from '../config/config.schema.js';
import { CommonModule } from './common.module.js';
import { EventStreamInterceptor } from './event-stream.interceptor.js';
import { CurrentExchange, Exchange } from './exchange.js';
import { GatewayAdapter } from './gateway-adapter.js';

@Controller()
@UseInterceptors(EventStreamInterceptor)
class StreamsController {
  @Get('good')
  good(): Observable<string> {
    return of('{"a":1}', '{"b":2}');
  }

  @Get('unsendable')
  unsendable(@CurrentExchange() exchange: Exchange): Observable<string> {
    exchange.responseHeaders['x-bad'] = 'two\nlines';
    return of('{"a":1}');
  }
}

@Module({ imports: [ConfigModule.forRoot(configSchema.parse({})), CommonModule], controllers: [StreamsController] })
class TestModule {}

describe('EventStreamInterceptor', () => {
  let app: NestFastifyApplication;
  let url: string;

  beforeAll(async () => {
    app = await NestFactory.create<NestFastifyApplication>(TestModule, new GatewayAdapter(), { logger: false });
    await app.listen(0, '127.0.0.1');
    url = await app.getUrl();
  });
  afterAll(() => app.close());

  it('writes text values as events', async () => {
    expect(await (await fetch(`${url}/good`)).text()).toBe('data: {"a":1}\n\ndata: {"b":2}\n\ndata: [DONE]\n\n');
  });

  it('answers a head that cannot be sent with an error, and lives on', async () => {
    const response = await fetch(`${url}/unsendable`);
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ error: { code: 'internal_error' } });
    expect((await fetch(`${url}/good`)).status).toBe(200);
  });
});
