import { HttpException, type Type } from '@nestjs/common';
import { INTERCEPTORS_METADATA } from '@nestjs/common/constants.js';
import { ModulesContainer } from '@nestjs/core';
import { jest } from '@jest/globals';
import * as fc from 'fast-check';
import type { Socket } from 'node:net';
import { map, of, timer } from 'rxjs';
import request from 'supertest';
import { StoreInterceptor } from '../src/admin/store.interceptor.js';
import { CatalogueService } from '../src/catalogue/catalogue.service.js';
import { LivePerformance } from '../src/catalogue/live-performance.js';
import { ChatService } from '../src/chat/chat.service.js';
import { AnswerInterceptor } from '../src/http/answers/answer.interceptor.js';
import { ErrorEnvelopeInterceptor } from '../src/http/answers/error-envelope.interceptor.js';
import { EtagInterceptor } from '../src/http/answers/etag.interceptor.js';
import { OpenRequests } from '../src/http/server/open-requests.js';
import { useGateway } from './support/started.js';
import { until } from './support/until.js';
import type { ChatCompletion } from '../src/wire/chat-completion.js';
import type { Performance } from '../src/wire/model.js';
import { createTestApp } from './support/create-test-app.js';
import { expectEnvelope } from './support/expect-envelope.js';
import { open, readAnswer, sendRaw } from './support/raw-socket.js';

function circle(): object {
  const object: Record<string, unknown> = {};
  return Object.assign(object, { object });
}

const BODY_LIMIT = 64 * 1024;

describe('Errors', () => {
  /** Header lines of a caller with a key. */
  let caller: string;
  let json: string;

  const test = useGateway(() =>
    createTestApp({
      server: { body_limit: BODY_LIMIT, request_timeout: 500 },
      providers: {
        nowhere: { base_url: 'http://127.0.0.1:1', free: true, models: { 'some-model': { context_length: 8192, max_tokens: 1024 } } },
      },
    }),
  );
  beforeAll(async () => {
    caller = `Host: gateway\r\nAuthorization: Bearer ${test.testKey}\r\n`;
    json = `${caller}Content-Type: application/json\r\n`;
  });

  const post = (body: string | Buffer, headers = json): Buffer =>
    Buffer.concat([
      Buffer.from(`POST /v1/completions HTTP/1.1\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`),
      Buffer.from(body),
    ]);
  const send = (bytes: string | Buffer | (string | Buffer)[]) => sendRaw(test.port, bytes);

  describe('of the key', () => {
    it.each([
      ['none', '', 'missing_api_key', 'No API key provided'],
      ['an empty one', 'Authorization: Bearer \r\n', 'missing_api_key', 'No API key provided'],
      ['an unknown one', `Authorization: Bearer sy-live-${'a'.repeat(32)}\r\n`, 'invalid_api_key', 'Invalid API key provided'],
      ['a malformed one', 'Authorization: Bearer \u00ff\u00fe\r\n', 'invalid_api_key', 'Invalid API key provided'],
      ['another scheme', 'Authorization: Basic YTpi\r\n', 'invalid_api_key', 'Invalid API key provided'],
    ])('%s', async (_, header, code, message) => {
      const error = expectEnvelope(await send(`GET /v1/models HTTP/1.1\r\nHost: a\r\n${header}\r\n`), 401, code);
      expect(error).toEqual({ message, type: 'authentication_error', code });
    });

    it.each([
      ['an unknown path', 'GET /v1/nothing'],
      ['a wrong method', 'DELETE /v1/models'],
      ['a path that cannot be decoded', 'GET /v1/%zz'],
      ['an OPTIONS request', 'OPTIONS /v1/models'],
    ])('comes before %s', async (_, line) => {
      expectEnvelope(await send(`${line} HTTP/1.1\r\nHost: a\r\n\r\n`), 401, 'missing_api_key');
    });

    it.each([
      ['malformed', 'Content-Type: application/json\r\n', '{'],
      ['too large', 'Content-Type: application/json\r\n', 'x'.repeat(BODY_LIMIT + 1)],
      ['no JSON', 'Content-Type: text/plain\r\n', 'x'],
    ])('comes before a body that is %s', async (_, headers, body) => {
      expectEnvelope(await send(post(body, `Host: a\r\n${headers}`)), 401, 'missing_api_key');
    });

    it('is answered before the body has arrived', async () => {
      const head = 'POST /v1/completions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n';
      expectEnvelope(await send(head), 401, 'missing_api_key');
    });

    it('is answered before the body is invited', async () => {
      const head = 'POST /v1/completions HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n';
      const answer = await send(head);
      expectEnvelope(answer, 401, 'missing_api_key');
      expect(answer.text).not.toContain('100 Continue');
    });

    it('is not asked for by the health checks', async () => {
      for (const path of ['live', 'ready']) await request(test.url).get(`/health/${path}`).expect(200, { status: path });
    });
  });

  describe('of the address', () => {
    it('without a path: what this is, and where the operations are, to whoever asks', async () => {
      const about = await send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      expect(about.status).toBe(200);
      expect(about.headers['content-type']).toMatch(/^application\/json/);
      expect(about.headers['x-request-id']).toBeDefined();
      expect(JSON.parse(about.body)).toEqual({
        service: 'Switchyard',
        description: expect.stringContaining('OpenAI') as string,
        base_url: '/v1',
        dashboard: '/dashboard',
        docs: '/docs',
        authentication: 'Authorization: Bearer <API key>',
        health: '/health/ready',
      });
      await request(test.url).head('/').expect(200);
      expectEnvelope(await send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n'), 401, 'missing_api_key');
      expectEnvelope(await send(`POST / HTTP/1.1\r\n${caller}Content-Length: 0\r\n\r\n`), 405, 'method_not_allowed');
      expectEnvelope(await send(`GET /nothing HTTP/1.1\r\n${caller}\r\n`), 404, 'not_found');
    });

    it('unknown: 404 that names the operations', async () => {
      const { message } = expectEnvelope(await send(`GET /v1/nothing?a=b HTTP/1.1\r\n${caller}\r\n`), 404, 'not_found');
      const [, operations = ''] = /^There is no operation GET \/v1\/nothing\. The operations are (.+)\.$/.exec(message) ?? [];
      const named = operations.split(', ');
      expect(named).toEqual([...named].sort());
      expect(named).toEqual(expect.arrayContaining(['GET /v1/models', 'POST /v1/chat/completions', 'POST /v1/completions']));
    });

    it.each([
      ['DELETE', '/v1/models', 'GET, HEAD'],
      ['POST', '/v1/models?provider=x', 'GET, HEAD'],
      ['DELETE', '/v1/models/ft:some/model', 'GET, HEAD'],
      ['GET', '/v1/completions', 'POST'],
      ['PUT', '/v1/chat/completions', 'POST'],
      ['OPTIONS', '/v1/chat/completions', 'POST'],
      ['TRACE', '/v1/models', 'GET, HEAD'],
      ['PROPFIND', '/v1/models', 'GET, HEAD'],
      ['POST', 'http://gateway/v1/models', 'GET, HEAD'],
    ])('%s %s: 405 that allows %s', async (method, target, allow) => {
      const answer = await send(`${method} ${target} HTTP/1.1\r\n${caller}\r\n`);
      expectEnvelope(answer, 405, 'method_not_allowed');
      expect(answer.headers['allow']).toBe(allow);
    });

    it.each([
      ['GET /v1/%zz', 400, 'invalid_request'],
      ['GET /v1/%c3%28', 400, 'invalid_request'],
      ['OPTIONS *', 404, 'not_found'],
      ['GET *v1/models', 404, 'not_found'],
      ['GET *health/live', 404, 'not_found'],
      ['GET //', 404, 'not_found'],
      ['GET /v1/models/', 404, 'model_not_found'],
    ])('%s', async (line, status, code) => {
      expectEnvelope(await send(`${line} HTTP/1.1\r\n${caller}\r\n`), status, code);
    });

    it('shows no more of a long path than helps', async () => {
      const answer = await send(`GET /v1/${'a'.repeat(8000)} HTTP/1.1\r\n${caller}\r\n`);
      expect(expectEnvelope(answer, 404, 'not_found').message.length).toBeLessThan(600);
    });

    it('answers HEAD like GET, without a body', async () => {
      const answer = await send(`HEAD /v1/models HTTP/1.1\r\n${caller}Connection: close\r\n\r\n`);
      expect(answer).toMatchObject({ status: 200, body: '', closed: true });
      expect(Number(answer.headers['content-length'])).toBeGreaterThan(0);
    });

    it('has no CORS headers', async () => {
      const answer = await request(test.url)
        .get('/v1/models')
        .set('Origin', 'https://a.example')
        .set('Authorization', `Bearer ${test.testKey}`);
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    });
  });

  describe('of the body', () => {
    it.each([
      ['malformed', '{"model":', 'not valid JSON'],
      ['empty', '', 'empty'],
      ['an array', '[]', 'must be a JSON object'],
      ['null', 'null', 'must be a JSON object'],
      ['a text', '"a"', 'must be a JSON object'],
      ['not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), 'UTF-8'],
      ['nested too deep', `${'{"a":'.repeat(40)}${'['.repeat(61)}${']'.repeat(61)}${'}'.repeat(40)}`, '100 levels'],
      ['nested far too deep', `${'['.repeat(30_000)}${']'.repeat(30_000)}`.replace(/^\[(.*)\]$/, '{"a":$1}'), '100 levels'],
    ])('%s: 400', async (_, body, message) => {
      expect(expectEnvelope(await send(post(body)), 400, 'invalid_request').message).toContain(message);
    });

    it('is 400 where there is none at all', async () => {
      expectEnvelope(await send(`POST /v1/completions HTTP/1.1\r\n${caller}\r\n`), 400, 'invalid_request');
    });

    it.each([
      ['application/json', 400],
      ['application/json; charset=utf-8', 400],
      ['Application/JSON;charset="UTF-8"', 400],
      ['application/json; charset=latin1', 415],
      ['application/json; charset=utf-16', 415],
      ['text/plain', 415],
      ['application/x-www-form-urlencoded', 415],
      ['multipart/form-data; boundary=x', 415],
      ['application/xml', 415],
      ['garbage', 415],
      ['', 415],
    ])('as %p: %i', async (type, status) => {
      const answer = await send(post('{}', `${caller}Content-Type: ${type}\r\n`));
      if (status === 415) expectEnvelope(answer, 415, 'unsupported_media_type');
      else expect(answer.status).toBe(400);
    });

    it('without a content type: 415', async () => {
      expectEnvelope(await send(post('{}', caller)), 415, 'unsupported_media_type');
    });

    it('compressed: 415', async () => {
      expectEnvelope(await send(post('{}', `${json}Content-Encoding: gzip\r\n`)), 415, 'unsupported_media_type');
    });

    it('too large by its length: 413 that names the limit, readable by a client that goes on sending', async () => {
      const socket = await open(test.port);
      const body = 'x'.repeat(BODY_LIMIT + 10_000);
      socket.write(post(body).subarray(0, 1000));
      const answer = await readAnswer(socket);
      expect(expectEnvelope(answer, 413, 'request_too_large').message).toContain(`${BODY_LIMIT} bytes`);
      socket.write(post(body).subarray(1000));
      socket.write(`GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n`);
      expect((await readAnswer(socket)).status).toBe(200);
      socket.destroy();
    });

    it('too large in chunks: 413, and the connection goes on', async () => {
      const piece = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
      const socket = await open(test.port);
      socket.write(`POST /v1/completions HTTP/1.1\r\n${json}Transfer-Encoding: chunked\r\n\r\n${piece.repeat(5)}`);
      expectEnvelope(await readAnswer(socket), 413, 'request_too_large');
      socket.write(`${piece}0\r\n\r\nGET /health/live HTTP/1.1\r\nHost: a\r\n\r\n`);
      expect((await readAnswer(socket)).status).toBe(200);
      socket.destroy();
    });

    it('that never ends is cut off once it has been refused', async () => {
      const patient = await createTestApp({ server: { body_limit: BODY_LIMIT } });
      const socket = await open(patient.port);
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.write(`POST /v1/completions HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n`);
      expectEnvelope(await readAnswer(socket), 401, 'missing_api_key');
      const sender = setInterval(() => socket.write('x'.repeat(16_384)), 1);
      await closed;
      clearInterval(sender);
      await patient.close();
    });

    it('is read after 100-continue', async () => {
      const head = `POST /v1/completions HTTP/1.1\r\n${json}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n`;
      const socket = await open(test.port);
      socket.write(head);
      const invitation = await new Promise<Buffer>((resolve) => socket.once('data', resolve));
      expect(invitation.toString()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
      socket.write('{}');
      expect((await readAnswer(socket)).status).toBe(400);
      socket.destroy();
    });

    it('of a client of HTTP/1.0 is read uninvited: it would take the invitation for the answer', async () => {
      const { text } = await send(`POST /v1/completions HTTP/1.0\r\n${json}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}`);
      expect(text).toMatch(/^HTTP\/1\.1 400 /);
    });
  });

  describe('of the HTTP server itself', () => {
    it.each([
      ['raw garbage', '\x00\x01\x02\x03\r\n\r\n', 400, 'invalid_request'],
      ['a TLS handshake', '\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03', 400, 'invalid_request'],
      ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'invalid_request'],
      ['an unknown method', 'FETCH /v1/models HTTP/1.1\r\nHost: a\r\n\r\n', 400, 'invalid_request'],
      ['a malformed header', 'GET / HTTP/1.1\r\nHo st: a\r\n\r\n', 400, 'invalid_request'],
      ['a control character in a header', 'GET / HTTP/1.1\r\nHost: a\x00\r\n\r\n', 400, 'invalid_request'],
      ['a malformed content length', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n', 400, 'invalid_request'],
      ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n', 400, 'invalid_request'],
      ['headers that are too large', `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'request_header_too_large'],
      ['an address that is too long', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n\r\n`, 431, 'request_header_too_large'],
      ['an unknown expectation', 'GET / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n', 417, 'expectation_failed'],
      ['CONNECT', 'CONNECT elsewhere:443 HTTP/1.1\r\nHost: elsewhere:443\r\n\r\n', 405, 'method_not_allowed'],
    ])('%s', async (_, bytes, status, code) => {
      expectEnvelope(await send(Buffer.from(bytes, 'latin1')), status, code);
    });

    it('a malformed chunk', async () => {
      expectEnvelope(
        await send(`POST /v1/completions HTTP/1.1\r\n${json}Transfer-Encoding: chunked\r\n\r\nzz\r\n`),
        400,
        'invalid_request',
      );
    });

    it('a request that arrives too slowly: its head, its body, or nothing at all', async () => {
      const slow = ['GET /v1/mod', `POST /v1/completions HTTP/1.1\r\n${json}Content-Length: 100\r\n\r\n{`, ''];
      for (const answer of await Promise.all(slow.map(send))) expectEnvelope(answer, 408, 'request_timeout');
    });

    it('answers without a Host header', async () => {
      expect((await send('GET /health/live HTTP/1.1\r\n\r\n')).status).toBe(200);
      expectEnvelope(await send('GET /v1/models HTTP/1.1\r\n\r\n'), 401, 'missing_api_key');
    });

    it.each(['websocket', 'h2c'])('answers a request to upgrade to %s as the request that it is', async (protocol) => {
      const answer = await send(`GET /health/live HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`);
      expect(answer).toMatchObject({ status: 200, body: '{"status":"live"}' });
    });

    it('never writes into the answer of another request', async () => {
      const ask = `GET /v1/models HTTP/1.1\r\n${caller}\r\n`;
      const answer = await send(`${ask}\x00garbage\r\n\r\n`);
      if (answer.status !== 0) expect(answer.status).toBe(200);
    });
  });

  describe('of our own', () => {
    afterEach(() => jest.restoreAllMocks());

    it('are the affair of one interceptor on each controller', () => {
      const modules = [...test.app.get(ModulesContainer).values()];
      const types = modules.flatMap(({ controllers }) => [...controllers.values()].map(({ metatype }) => metatype as Type));
      const answering = new Set<unknown>([AnswerInterceptor, ErrorEnvelopeInterceptor]);
      // They add a header to what was answered, and make errors of the store ApiErrors: neither answers.
      const blind = new Set<unknown>([EtagInterceptor, StoreInterceptor]);
      const alone = types.filter((type) => {
        const all = Reflect.getMetadata(INTERCEPTORS_METADATA, type) as unknown[] | undefined;
        const interceptors = all?.filter((one) => !blind.has(one));
        return interceptors?.length === 1 && answering.has(interceptors[0]);
      });
      expect(alone.map(({ name }) => name)).toEqual(types.map(({ name }) => name));
    });

    const list = () => request(test.url).get('/v1/models').set('Authorization', `Bearer ${test.testKey}`);
    const failing = (thrown: unknown) =>
      jest.spyOn(test.app.get(CatalogueService), 'accessible').mockImplementation(() => {
        throw thrown;
      });

    it.each([
      ['an Error', new Error('secret detail')],
      ['undefined', undefined],
      ['null', null],
      ['a text', 'secret detail'],
      ['an object', { message: 'secret detail', statusCode: 200 }],
      ['a status out of range', new HttpException('secret detail', 999)],
      ['a status that is no error', new HttpException('secret detail', 204)],
      ['a server error of another kind', new HttpException('secret detail', 501)],
      ['an error that claims to be Fastify’s', Object.assign(new Error('secret detail'), { code: 'FST_ERR_SOMETHING', statusCode: 500 })],
    ])('%s: 500 without internals', async (_, thrown) => {
      failing(thrown);
      expect(expectEnvelope(await list(), 500, 'internal_error').message).toBe('Internal server error');
    });

    it.each([
      ['a bigint', 1n],
      ['a circle', circle()],
    ])('an answer that cannot be written as JSON: %s', async (_, value) => {
      jest.spyOn(LivePerformance.prototype, 'read').mockReturnValue(value as unknown as Performance);
      expectEnvelope(await list(), 500, 'internal_error');
    });

    it('a response header that cannot be sent', async () => {
      jest.spyOn(test.app.get(ChatService), 'create').mockImplementation((_, { context }) => {
        Object.assign(context, { requestId: 'a\r\nb' });
        return of({} as ChatCompletion);
      });
      const body = { model: 'some-model', messages: [{ role: 'user', content: 'a' }] };
      const refusal = await request(test.url).post('/v1/chat/completions').set('Authorization', `Bearer ${test.testKey}`).send(body);
      expectEnvelope(refusal, 500, 'internal_error');
    });

    it('an answer that nobody reads is not kept', async () => {
      const strict = await createTestApp({ server: { stall_timeout: 300, keep_alive_timeout: 300 } });
      const ask = (socket: Socket): boolean => {
        const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'a' }] });
        const headers = `Host: a\r\nAuthorization: Bearer ${strict.testKey}\r\nContent-Type: application/json\r\n`;
        return socket.write(`POST /v1/chat/completions HTTP/1.1\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`);
      };
      const chat = jest.spyOn(strict.app.get(ChatService), 'create');
      chat.mockReturnValue(of({ large: 'x'.repeat(64 * 1024 * 1024) } as unknown as ChatCompletion));
      const deaf = (await open(strict.port)).pause();
      ask(deaf);
      await until(() => strict.app.get(OpenRequests).size === 1, 'the request');
      await until(() => strict.app.get(OpenRequests).size === 0, 'its end');

      chat.mockReturnValue(timer(900).pipe(map(() => ({ late: true }) as unknown as ChatCompletion)));
      const patient = await open(strict.port);
      ask(patient);
      expect(await readAnswer(patient)).toMatchObject({ status: 200, body: '{"late":true}' });
      await new Promise((closed) => patient.once('close', closed));
      deaf.destroy();
      await strict.close();
    });

    it('beyond the open requests that there is room for: 503', async () => {
      const small = await createTestApp({ server: { max_open_requests: 1 } });
      const head = `POST /v1/completions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${small.testKey}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n`;
      const first = await open(small.port);
      first.write(head);
      let answer = await sendRaw(small.port, head);
      expectEnvelope(answer, 503, 'service_unavailable');
      expect(answer.headers['retry-after']).toBe('1');
      expect((await sendRaw(small.port, 'GET /health/ready HTTP/1.1\r\nHost: a\r\n\r\n')).status).toBe(200);
      first.write('{}');
      expect((await readAnswer(first)).status).toBe(400);
      answer = await sendRaw(small.port, [head, '{}']);
      expect(answer.status).toBe(400);
      first.destroy();
      await small.close();
    });
  });

  describe('whatever is sent', () => {
    const words = fc.constantFrom(
      'GET ', 'POST ', '/v1/models', '/v1/completions', ' HTTP/1.1\r\n', ' HTTP/1.0\r\n', '\r\n', '\r\n\r\n', 'Content-Length: 5\r\n',
      'Transfer-Encoding: chunked\r\n', 'Connection: Upgrade\r\nUpgrade: x\r\n', 'Expect: 100-continue\r\n', 'Host: a\r\n', '5\r\nabcde\r\n', '0\r\n\r\n', '{"a":',
    ); // prettier-ignore
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array)),
      fc.array(fc.oneof(words, fc.string({ maxLength: 10 })), { maxLength: 15 }).map((parts) => Buffer.from(parts.join(''))),
    );

    it('is answered in the envelope, or the connection closes, and the gateway lives', async () => {
      await fc.assert(
        fc.asyncProperty(bytes, async (sent) => {
          const socket = await open(test.port);
          socket.end(sent);
          const answer = await readAnswer(socket);
          socket.destroy();
          if (answer.status >= 400)
            expect(Object.keys((JSON.parse(answer.body) as { error: object }).error)).toEqual(['message', 'type', 'code']);
        }),
        { numRuns: 300 },
      );
      await request(test.url).get('/health/live').expect(200);
    });
  });
});
