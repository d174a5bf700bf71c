import { Controller, Get, Module, Req, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { concat, of, throwError } from 'rxjs';
import { ConfigModule } from '../../config/config.module.js';
import { configSchema } from '../../config/config.schema.js';
import { AnswerWriter } from './answer-writer.js';
import { ApiError } from '../../common/api-error.js';
import { CommonModule } from '../http.module.js';
import { exchangeOf } from '../requests/request-context.js';
import { GatewayAdapter } from '../server/gateway-adapter.js';

@Controller()
class AnswersController {
  constructor(private readonly answers: AnswerWriter) {}

  @Get('good')
  good(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.answers.write(request, reply, of('{"a":1}', '{"b":2}'));
  }

  @Get('whole')
  whole(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    exchangeOf(request).responseHeaders['x-good'] = 'yes';
    this.answers.write(request, reply, of({ é: 1 }));
  }

  @Get('refused')
  refused(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.answers.write(
      request,
      reply,
      throwError(() => new ApiError('model_overloaded', 'later')),
    );
  }

  @Get('broken')
  broken(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.answers.write(
      request,
      reply,
      concat(
        of('{"a":1}'),
        throwError(() => new ApiError('upstream_error', 'gone')),
      ),
    );
  }

  @Get('unsendable/:as')
  unsendable(@Req() request: FastifyRequest<{ Params: { as: string } }>, @Res() reply: FastifyReply): void {
    exchangeOf(request).responseHeaders['x-bad'] = 'two\nlines';
    this.answers.write(request, reply, of(request.params.as === 'events' ? '{"a":1}' : { a: 1 }));
  }

  @Get('unwritable')
  unwritable(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.answers.write(request, reply, of({ a: 1n }));
  }
}

@Module({ imports: [ConfigModule.forRoot(configSchema.parse({})), CommonModule], controllers: [AnswersController] })
class TestModule {}

describe('AnswerWriter', () => {
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

  it('writes an object as JSON, with the headers of its exchange', async () => {
    const response = await fetch(`${url}/whole`);
    expect(await response.json()).toEqual({ é: 1 });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-length': '8',
      'x-good': 'yes',
    });
  });

  it('answers an error before the first event with its status, one after it within the stream', async () => {
    const refused = await fetch(`${url}/refused`);
    expect([refused.status, await refused.json()]).toMatchObject([503, { error: { code: 'model_overloaded' } }]);
    const broken = await (await fetch(`${url}/broken`)).text();
    expect(broken).toMatch(/^data: \{"a":1\}\n\ndata: \{"error":\{"message":"gone".*\}\}\n\n$/);
  });

  it.each(['unsendable/events', 'unsendable/whole', 'unwritable'])('answers %s with an error, and lives on', async (path) => {
    const response = await fetch(`${url}/${path}`);
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ error: { code: 'internal_error' } });
    expect((await fetch(`${url}/good`)).status).toBe(200);
  });
});
