import type { OutgoingHttpHeaders } from 'node:http';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import {
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  Header,
  HttpCode,
  Module,
  Param,
  UseGuards,
  UseInterceptors,
  Logger,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { concat, Observable, of, throwError } from 'rxjs';
import { ApiError } from '../../common/api-error.js';
import { systemClock } from '../../common/time/clock.js';
import { ClockModule } from '../../common/time/clock.module.js';
import { Shutdown } from '../../common/shutdown.js';
import { ManualClock } from '../../common/testing/manual-clock.js';
import { ConfigModule } from '../../config/config.module.js';
import { configSchema } from '../../config/config.schema.js';
import { EventRun, type StreamEvent } from '../../wire/stream-event.js';
import { HttpModule } from '../http.module.js';
import { Context } from '../requests/context.decorator.js';
import { RequestContext } from '../requests/request-context.js';
import { dataEvents } from '../requests/stream-format.js';
import { GatewayAdapter } from '../server/gateway-adapter.js';
import { OpenRequests } from '../server/open-requests.js';
import { AnswerInterceptor } from './answer.interceptor.js';
import { ErrorEnvelopeInterceptor } from './error-envelope.interceptor.js';
import { asByteText } from '../../wire/byte-text.js';
import { addRateLimitHeaders } from './rate-limit-headers.js';
import { type PendingResponse, ResponseBatch } from './response-batch.js';

const gone = throwError(() => new ApiError('upstream_error', 'gone'));

/** How many of the endless answers are subscribed to. */
let subscribed = 0;
const endless = new Observable<never>(() => {
  subscribed++;
  return () => subscribed--;
});

/** Lets a request pass when its client has left. */
class UntilLeft implements CanActivate {
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { socket } = context.switchToHttp().getRequest<FastifyRequest>().raw;
    waiting++;
    await once(socket, 'close');
    waiting--;
    return true;
  }
}
let waiting = 0;
let asked = 0;

@Controller()
@UseInterceptors(AnswerInterceptor)
class AnswersController {
  @Get('promised')
  promised(): Promise<object> {
    return Promise.resolve({ kept: true });
  }

  @Get('late')
  @UseGuards(UntilLeft)
  late(): Promise<object> {
    asked++;
    return Promise.resolve({});
  }

  @Get('good')
  good(): Observable<StreamEvent> {
    return of(asByteText('{"a":1}'), new EventRun(asByteText('{"b":"'), ['x', 'y', 'z'].map(asByteText), asByteText('"}')));
  }

  @Get('whole')
  whole(@Context() context: RequestContext): Observable<object> {
    context.record = {
      operation: 'chat',
      model: 'm',
      streamed: false,
      attempts: [],
      dropped: new Set(['seed', 'user']),
      provider: 'p',
      upstreamModel: 'naïve',
      charged: 1_500_000_000n,
    };
    return of({ é: 1 });
  }

  @Get('created')
  @HttpCode(201)
  @Header('x-own', 'yes')
  created(): Observable<object> {
    return of({});
  }

  @Get('refused')
  refused(): Observable<object> {
    return throwError(() => new ApiError('model_overloaded', 'later'));
  }

  @Get('throws')
  throws(): Observable<object> {
    throw new ApiError('model_overloaded', 'later');
  }

  @Get('broken')
  broken(): Observable<StreamEvent> {
    return concat(of(asByteText('{"a":1}')), gone);
  }

  @Get('unsendable/:as')
  unsendable(@Param('as') as: string, @Context() context: RequestContext): Observable<StreamEvent | object> {
    Object.assign(context, { requestId: 'two\nlines', streamFormat: dataEvents });
    if (as === 'silence') return endless;
    return of(as === 'events' ? asByteText('{"a":1}') : { a: 1 });
  }

  @Get('unwritable')
  unwritable(): Observable<object> {
    return of({ a: 1n });
  }

  @Get('endless/:as')
  endless(@Param('as') as: string): Observable<StreamEvent> {
    return as === 'begun' ? concat(of(asByteText('{"a":1}')), endless) : endless;
  }
}

/** Not of the generation routes: Nest answers for it, and only its errors are answered by an interceptor of ours. */
@Controller('plain')
@UseInterceptors(ErrorEnvelopeInterceptor)
class PlainController {
  @Get()
  answers(): object {
    return { plain: true };
  }

  @Get('throws')
  throws(): never {
    throw new ApiError('permission_denied', 'not for you');
  }
}

@Module({
  imports: [ConfigModule.forRoot(configSchema.parse({})), ClockModule.forRoot(systemClock), HttpModule],
  controllers: [AnswersController, PlainController],
})
class TestModule {}

describe('AnswerInterceptor', () => {
  const clock = ManualClock.running();
  let app: NestFastifyApplication;
  let url: string;

  beforeAll(async () => {
    app = await NestFactory.create<NestFastifyApplication>(TestModule, new GatewayAdapter(), { logger: false });
    // As the request gate does.
    app
      .getHttpAdapter()
      .getInstance()
      .decorate('clock', clock)
      .addHook('onRequest', (request, reply, done) => {
        app.get(OpenRequests).enter(request, reply);
        done();
      });
    await app.listen(0, '127.0.0.1');
    url = await app.getUrl();
  });
  afterAll(() => app.close());

  const settled = async (condition: () => boolean) => {
    const deadline = performance.now() + 30_000;
    while (!condition() && performance.now() < deadline) await new Promise((resolve) => setImmediate(resolve));
    expect(condition()).toBe(true);
  };

  it('writes texts and runs as events', async () => {
    const response = await fetch(`${url}/good`);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const events = ['{"a":1}', '{"b":"x"}', '{"b":"y"}', '{"b":"z"}', '[DONE]'];
    expect(await response.text()).toBe(events.map((event) => `data: ${event}\n\n`).join(''));
  });

  it('writes an object as JSON, with the headers that follow from its record', async () => {
    const response = await fetch(`${url}/whole`);
    expect(await response.json()).toEqual({ é: 1 });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-length': '8',
      'x-switchyard-served-by': 'p/na?ve',
      'x-switchyard-dropped-parameters': 'seed, user',
      'x-switchyard-cost': '1.5',
    });
  });

  it('writes what a promise brings', async () => {
    expect(await (await fetch(`${url}/promised`)).json()).toEqual({ kept: true });
  });

  it('asks nothing for a client that has left before', async () => {
    const socket = connect((app.getHttpServer().address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write('GET /late HTTP/1.1\r\nHost: a\r\n\r\n');
    await settled(() => waiting === 1);
    socket.destroy();
    await settled(() => waiting === 0);
    expect((await fetch(`${url}/good`)).status).toBe(200);
    expect(asked).toBe(0);
  });

  it('keeps the status and the headers that decorators have set', async () => {
    const { status, headers } = await fetch(`${url}/created`);
    expect([status, headers.get('x-own')]).toEqual([201, 'yes']);
  });

  it.each(['refused', 'throws'])('answers %s before the first event with the status of the error', async (path) => {
    const response = await fetch(`${url}/${path}`);
    expect([response.status, await response.json()]).toMatchObject([503, { error: { code: 'model_overloaded' } }]);
  });

  it('answers an error after the first event within the stream', async () => {
    const broken = await (await fetch(`${url}/broken`)).text();
    expect(broken).toMatch(/^data: \{"a":1\}\n\ndata: \{"error":\{"message":"gone".*\}\}\n\n$/);
  });

  it.each(['unsendable/events', 'unsendable/silence', 'unsendable/whole', 'unwritable'])(
    'answers %s with an error, and serves further requests',
    async (path) => {
      const response = await clock.advanceUntil(fetch(`${url}/${path}`), 1_000);
      expect(response.status).toBe(500);
      expect(await response.json()).toMatchObject({ error: { code: 'internal_error' } });
      expect((await fetch(`${url}/good`)).status).toBe(200);
    },
  );

  it('leaves other routes to Nest, except for their errors', async () => {
    expect(await (await fetch(`${url}/plain`)).json()).toEqual({ plain: true });
    const refused = await fetch(`${url}/plain/throws`);
    expect([refused.status, await refused.json()]).toMatchObject([403, { error: { code: 'permission_denied' } }]);
  });

  it.each([
    ['before its first event', ['/endless/silent']],
    ['in the middle of its stream', ['/endless/begun']],
    ['behind another answer on the connection', ['/endless/begun', '/endless/silent']],
  ])('unsubscribes when the client leaves %s', async (_when, paths) => {
    const socket = connect((app.getHttpServer().address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''));
    await settled(() => subscribed === paths.length);
    socket.destroy();
    await settled(() => subscribed === 0);
  });

  it('ends open responses with an error at the deadline of the shutdown', async () => {
    const [silent, begun] = [fetch(`${url}/endless/silent`), fetch(`${url}/endless/begun`)];
    await settled(() => subscribed === 2);
    app.get(Shutdown).reachDeadline();
    expect((await silent).status).toBe(503);
    expect(await (await begun).text()).toMatch(/^data: \{"a":1\}\n\ndata: \{"error":\{"message":"The service is shutting down\./);
    expect(subscribed).toBe(0);
  });
});

describe('the headers of rate limits', () => {
  it.each([
    [0, '0ms'],
    [12, '12ms'],
    [999, '999ms'],
    [1_000, '1s'],
    [1_500, '1.5s'],
    [59_999, '59.999s'],
    [60_000, '1m0s'],
    [360_000, '6m0s'],
    [3_600_000, '1h0m0s'],
    [7_384_250, '2h3m4.25s'],
  ])('tell %d ms as %s', (ms, text) => {
    const headers: OutgoingHttpHeaders = {};
    addRateLimitHeaders(headers, { requests: { limit: 1, remaining: 0, resetMs: ms }, tokens: undefined });
    expect(headers['x-ratelimit-reset-requests']).toBe(text);
  });

  it('are there for the limits that there are', () => {
    const headers = {};
    addRateLimitHeaders(headers, { requests: undefined, tokens: { limit: 600, remaining: 5, resetMs: 70 } });
    expect(headers).toEqual({
      'x-ratelimit-limit-tokens': '600',
      'x-ratelimit-remaining-tokens': '5',
      'x-ratelimit-reset-tokens': '70ms',
    });
  });
});

class Response implements PendingResponse {
  state = 'ready';

  constructor(private readonly onSend: () => void = () => undefined) {}

  send(): void {
    this.onSend();
    this.state = 'sent';
  }

  fail(): void {
    this.state = 'failed';
  }
}

describe('ResponseBatch', () => {
  beforeAll(() => Logger.overrideLogger(false));
  afterAll(() => Logger.overrideLogger(['log', 'error', 'warn']));

  it('sends all responses of a turn at its end', async () => {
    const batch = new ResponseBatch();
    const responses = [new Response(), new Response()];
    for (const response of responses) batch.add(response);
    await Promise.resolve();
    expect(responses.map(({ state }) => state)).toEqual(['ready', 'ready']);
    await new Promise(setImmediate);
    expect(responses.map(({ state }) => state)).toEqual(['sent', 'sent']);
  });

  it('delivers at once on request, together with what is added meanwhile', () => {
    const batch = new ResponseBatch();
    const late = new Response();
    batch.add(new Response(() => batch.add(late)));
    batch.deliver();
    expect(late.state).toBe('sent');
  });

  it('sends the others when one fails', () => {
    const batch = new ResponseBatch();
    const broken = new Response(() => {
      throw new Error('broken');
    });
    const other = new Response();
    batch.add(broken);
    batch.add(other);
    expect(() => batch.deliver()).not.toThrow();
    expect([broken.state, other.state]).toEqual(['failed', 'sent']);
  });
});
