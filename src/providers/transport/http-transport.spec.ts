import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { startedEach } from '../../common/testing/started.js';
import { ManualFlow } from '../testing/call.js';
import type { Reply } from '../testing/loopback-upstream.js';
import { settled } from '../testing/settled.js';
import { askedUpstream } from './testing/asked-upstream.js';
import { HttpTransport } from './http-transport.js';
import { free, RawServer } from './testing/raw-server.js';
import { requestTo, timeouts } from './testing/request-to.js';
import { retryAfterMs } from './retry-after.js';

describe('HttpTransport', () => {
  const asked = askedUpstream();

  it('sends what it is given, asks for no compression, and reads head and body', async () => {
    asked.upstream.replies({
      status: 429,
      headers: { 'content-type': 'Application/JSON; charset=utf-8', 'retry-after': '3' },
      body: 'späť',
    });
    const response = await asked.send();
    expect([response.status, response.contentType, response.retryAfterMs]).toEqual([429, 'application/json', 3_000]);
    expect(await response.text()).toBe('späť');
    expect(asked.upstream.requests[0]).toMatchObject({
      method: 'POST',
      path: '/v1/x?y=1',
      body: '{"é":1}',
      headers: { authorization: 'Bearer k', 'accept-encoding': 'identity', 'content-length': '8' },
    });
  });

  it('uses a connection again, also after a stream whose reader stopped at its last event', async () => {
    asked.upstream.replies({ body: 'data: 1\n\ndata: [DONE]\n\n: bye\n\n', cuts: [9, 23] });
    for (let i = 0; i < 3; i++) {
      const response = await asked.send();
      for await (const [event] of response.events(new ManualFlow())) {
        if (event?.data !== '[DONE]') continue;
        response.release();
        break;
      }
      await settled(() => asked.upstream.requests[i]?.sent() ?? 0);
    }
    await (await asked.send()).text();
    expect(asked.upstream.requests.map(({ connection }) => connection)).toEqual([0, 0, 0, 0]);
  });

  it.each([
    ['are long', { body: `data: 1\n\n${': x\n\n'.repeat(50_000)}`, endless: true }, 0],
    ['do not end', { body: 'data: 1\n\n', ending: 'stall' as const }, 1_000],
  ])('closes a connection whose remains %s', async (_name, reply, ms) => {
    asked.upstream.replies(reply);
    const response = await asked.send();
    for await (const _ of response.events(new ManualFlow())) {
      response.release();
      break;
    }
    await asked.clock.advance(ms);
    await asked.upstream.requests[0]?.closed;
  });

  it('closes the connection of a reader who leaves', async () => {
    asked.upstream.replies({ body: 'data: 1\n\n', ending: 'stall' });
    const [released, left] = [await asked.send(), await asked.send()];
    for await (const _ of released.events(new ManualFlow())) {
      released.release();
      break;
    }
    for await (const _ of left.events(new ManualFlow())) break;
    // What is released has a second to end by itself.
    const closed = asked.upstream.requests.map((one, index) => one.closed.then(() => ['released', 'left'][index]));
    expect(await Promise.race(closed)).toBe('left');
  });

  it.each([
    ['that ends with its connection', '', ['data: 1\n\n', 'data: 2\n\n']],
    ['of a known length', 'Content-Length: 18\r\n', ['data: 1\n\n', 'data: 2\n\n']],
    ['in chunks', 'Transfer-Encoding: chunked\r\n', ['9\r\ndata: 1\n\n\r\n', '9\r\ndata: 2\n\n\r\n0\r\n\r\n']],
  ])('reads a body %s, which its server ends while we keep it paused', async (_name, framing, [first, last]) => {
    let connection: Socket | undefined;
    const server = await RawServer.listen((socket) => {
      connection = socket;
      socket.once('data', () => socket.write(`HTTP/1.1 200 OK\r\nConnection: close\r\n${framing}\r\n${first!}`));
    });
    const response = await asked.send({ origin: server.origin });
    const flow = new ManualFlow();
    const stream = response.events(flow);
    expect((await stream.next()).value).toMatchObject([{ data: '1' }]);
    flow.set(true);
    connection!.end(last!);
    // Long enough for our end of the connection to hear of it.
    await delay(50);
    flow.set(false);
    expect((await stream.next()).value).toMatchObject([{ data: '2' }]);
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    await server.stop();
  });

  it('offers HTTP/1.1 alone to a server that speaks TLS', async () => {
    let hello = '';
    const server = await RawServer.listen((socket) =>
      socket.once('data', (bytes) => {
        hello = bytes.toString('latin1');
        socket.destroy();
      }),
    );
    await expect(asked.send({ origin: server.origin.replace('http:', 'https:') })).rejects.toMatchObject({ kind: 'unreachable' });
    // The list of protocols in the ClientHello (RFC 7301), each with its length before it.
    expect(hello).toContain('\x00\x09\x08http/1.1');
    await server.stop();
  });

  describe('timeouts', () => {
    it('connect: a server that says nothing to our TLS', async () => {
      const server = await RawServer.listen(() => undefined);
      const origin = server.origin.replace('http:', 'https:');
      const sent = asked.send({ origin, timeouts: { ...timeouts, connect: 50 } });
      await expect(sent).rejects.toMatchObject({ name: 'ProviderError', kind: 'timeout' });
      await server.stop();
    });

    it('time that we keep a stream paused is no silence', async () => {
      asked.upstream.replies({ body: `data: ${'x'.repeat(4_000)}\n\n`.repeat(16), endless: true });
      const response = await asked.send({ timeouts: { ...timeouts, idle: 100 } });
      const flow = new ManualFlow();
      const stream = response.events(flow);
      await stream.next();
      flow.set(true);
      await settled(() => asked.upstream.requests[0]?.sent() ?? 0);
      flow.set(false);
      for (let i = 0; i < 100; i++) expect((await stream.next()).done).toBe(false);
      await stream.return();
    });
  });

  describe('a request that is given up', () => {
    it('is not sent where it was before', async () => {
      await expect(asked.send({ signal: AbortSignal.abort() })).rejects.toMatchObject({ kind: 'unreachable' });
      expect(asked.upstream.requests).toHaveLength(0);
    });

    it('opens its connection no further', async () => {
      const server = await RawServer.listen(() => undefined);
      const connected = server.connected();
      const abort = new AbortController();
      const sent = asked.send({ origin: server.origin.replace('http:', 'https:'), signal: abort.signal }).catch((error: unknown) => error);
      await connected;
      abort.abort();
      expect(await sent).toMatchObject({ kind: 'unreachable' });
      await asked.transport.onApplicationShutdown();
      await server.stop();
    });

    it.each<[string, Reply]>([
      ['before the head', { ending: 'silent' }],
      ['while events come', { body: 'data: 1\n\n', endless: true, pace: 1 }],
      ['while nothing comes', { body: 'data: 1\n\n', ending: 'stall' }],
    ])('closes its connection %s', async (_moment, reply) => {
      asked.upstream.replies(reply);
      const arrived = asked.upstream.nextRequest();
      const abort = new AbortController();
      const begun = Promise.withResolvers<void>();
      const read = async () => {
        for await (const _ of (await asked.send({ signal: abort.signal })).events(new ManualFlow())) begun.resolve();
      };
      const ended = read().catch((error: unknown) => error);
      const { closed } = await arrived;
      if (reply.ending !== 'silent') await begun.promise;
      abort.abort();
      expect(await ended).toMatchObject({ kind: 'unreachable' });
      await closed;
    });
  });

  describe('a provider that cannot be reached', () => {
    it('refuses connections', async () => {
      const refused = requestTo(asked.upstream.origin);
      await asked.upstream.stop();
      await expect(asked.transport.send(refused)).rejects.toMatchObject({
        name: 'ProviderError',
        kind: 'unreachable',
        message: expect.stringContaining('ECONNREFUSED') as string,
      });
    });

    it('has no address', async () => {
      await expect(asked.send({ origin: 'http://nowhere.invalid' })).rejects.toMatchObject({ kind: 'unreachable' });
    });

    it('speaks no TLS', async () => {
      const origin = asked.upstream.origin.replace('http:', 'https:');
      await expect(asked.send({ origin })).rejects.toMatchObject({ kind: 'unreachable' });
    });

    it.each([
      'http://169.254.169.254',
      'http://[fe80::1]',
      'http://0xA9FEA9FE',
      'http://[::ffff:a9fe:a9fe]',
      'http://[64:ff9b::169.254.169.254]',
      'http://[2002:a9fe:a9fe::1]',
      'http://[::169.254.169.254]',
      'http://192.0.0.192',
    ])('lives where metadata services do: %s', async (url) => {
      const sent = asked.send({ origin: new URL(url).origin });
      await expect(sent).rejects.toMatchObject({
        kind: 'unreachable',
        message: expect.stringContaining('ERR_REFUSED_ADDRESS') as string,
      });
    });

    it.each(['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '10.0.0.1', '169.254.169.254'])(
      'is not public, where only public addresses may be reached: %s',
      async (host) => {
        const { port } = new URL(asked.upstream.origin);
        asked.upstream.replies({});
        await (await asked.send()).text();
        const sent = asked.send({ origin: `http://${host}:${port}`, reach: { publicOnly: true, allowLinkLocal: true } });
        await expect(sent).rejects.toMatchObject({
          kind: 'unreachable',
          message: expect.stringContaining('ERR_REFUSED_ADDRESS') as string,
        });
        expect(asked.upstream.requests).toHaveLength(1);
      },
    );

    it('resets before it answers', async () => {
      asked.upstream.replies({ ending: 'reset' });
      await expect(asked.send()).rejects.toMatchObject({ kind: 'unreachable' });
      expect(asked.upstream.requests).toHaveLength(1);
    });
  });

  describe('an answer that cannot be used', () => {
    it('breaks off', async () => {
      asked.upstream.replies({ body: 'data: 1\n\ndata: 2\n\n', after: 12, ending: 'reset' });
      const response = await asked.send();
      const seen: string[] = [];
      const read = async () => {
        for await (const batch of response.events(new ManualFlow())) seen.push(...batch.map(({ data }) => data));
      };
      await expect(read()).rejects.toMatchObject({ kind: 'bad_response' });
      expect(seen).toEqual(['1']);
    });

    it('is longer than its reader takes', async () => {
      asked.upstream.replies({ body: 'x'.repeat(100_000), endless: true });
      const response = await asked.send();
      await expect(response.text(1_000_000)).rejects.toMatchObject({ kind: 'bad_response' });
      await asked.upstream.requests[0]?.closed;
      const other = await asked.send();
      expect(await other.excerpt(10)).toBe('xxxxxxxxxx');
    });

    it('is compressed', async () => {
      asked.upstream.replies({ headers: { 'content-encoding': 'gzip' }, body: 'x' });
      await expect(asked.send()).rejects.toMatchObject({
        kind: 'bad_response',
        status: 200,
        message: expect.stringContaining('(gzip)'),
      });
    });

    it('is no HTTP', async () => {
      const server = await RawServer.listen((socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n'));
      await expect(asked.send({ origin: server.origin })).rejects.toMatchObject({ kind: 'bad_response' });
      await server.stop();
    });
  });
});

describe('HttpTransport: a keep-alive connection that the provider closes', () => {
  const transport = startedEach(() => new HttpTransport(), 'onApplicationShutdown');

  const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

  /** Answers the first request of each connection and does `second` with the next. */
  const moody = async (second: (socket: Socket) => void) => {
    const server = await RawServer.listen((socket, connection) => {
      let requests = 0;
      socket.on('data', (bytes) => {
        if (!bytes.includes('POST')) return;
        if (requests++ === 0) socket.write(connection === 0 ? answer : answer.replace('ok', 'ko'));
        else second(socket);
      });
    });
    const ask = async () => {
      const text = await (await transport.send(requestTo(server.origin))).text();
      await free();
      return text;
    };
    return { server, ask };
  };

  it.each([
    ['closes', (socket: Socket) => socket.end()],
    ['resets', (socket: Socket) => socket.resetAndDestroy()],
  ])('%s: the request goes out once more, on a new connection', async (_name, second) => {
    const { server, ask } = await moody(second);
    expect(await ask()).toBe('ok');
    expect(await ask()).toBe('ko');
    await server.stop();
  });

  it('is not asked again when a byte of the answer had come', async () => {
    const { server, ask } = await moody((socket) => socket.end('HTTP/1.1 2'));
    expect(await ask()).toBe('ok');
    await expect(ask()).rejects.toMatchObject({ name: 'ProviderError' });
    await server.stop();
  });

  it('is asked again once only', async () => {
    let connections = 0;
    const server = await RawServer.listen((socket) => {
      if (connections++ === 0) {
        let requests = 0;
        socket.on('data', (bytes) => {
          if (!bytes.includes('POST')) return;
          if (requests++ === 0) socket.write(answer);
          else socket.destroy();
        });
      } else socket.once('data', () => socket.destroy());
    });
    const ask = () => transport.send(requestTo(server.origin)).then((response) => response.text());
    expect(await ask()).toBe('ok');
    await free();
    await expect(ask()).rejects.toMatchObject({ kind: 'unreachable' });
    expect(connections).toBe(2);
    await server.stop();
  });
});

const now = Date.parse('2026-01-01T00:00:00Z');

describe('retryAfterMs', () => {
  it.each([
    [{ 'retry-after': '2' }, 2_000],
    [{ 'retry-after': '0.25' }, 250],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:01:30 GMT' }, 90_000],
    [{ 'retry-after': 'Wed, 31 Dec 2025 23:00:00 GMT' }, 0],
    [{ 'retry-after': '-5' }, 0],
    [{ 'retry-after': '999999999' }, 86_400_000],
    [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 1_500],
    [{ 'retry-after-ms': 'soon', 'retry-after': '9' }, 9_000],
    [{ 'retry-after': '' }, undefined],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': ['1', '2'] }, undefined],
    [{}, undefined],
  ])('%j is %s', (headers, ms) => expect(retryAfterMs(headers, now)).toBe(ms));
});
