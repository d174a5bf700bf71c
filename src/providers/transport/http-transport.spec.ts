import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ManualFlow } from '../testing/call.js';
import { LoopbackUpstream } from '../testing/loopback-upstream.js';
import { settled } from '../testing/settled.js';
import { HttpTransport } from './http-transport.js';
import { LargeBody } from './large-body.js';
import type { UpstreamRequest } from './upstream-request.js';

/** Upper bound for what should happen at once, on a busy machine. */
const SOON = 2_000;

const timeouts = { connect: 5_000, first_byte: 5_000, idle: 5_000, total: 20_000 };

describe('HttpTransport', () => {
  let upstream: LoopbackUpstream;
  let transport: HttpTransport;

  beforeEach(async () => {
    upstream = await LoopbackUpstream.start();
    transport = new HttpTransport();
  });

  afterEach(async () => {
    await transport.onApplicationShutdown();
    await upstream.stop();
  });

  const request = (overrides: Partial<UpstreamRequest> = {}): UpstreamRequest => ({
    method: 'POST',
    origin: upstream.origin,
    path: '/v1/x?y=1',
    headers: { authorization: 'Bearer k' },
    body: '{"é":1}',
    timeouts,
    signal: new AbortController().signal,
    ...overrides,
  });

  const events = async (response: Awaited<ReturnType<HttpTransport['send']>>, flow = new ManualFlow()) => {
    const all: string[] = [];
    for await (const batch of response.events(flow)) all.push(...batch.map(({ data }) => data));
    return all;
  };

  it('sends what it is given, asks for no compression, and reads head and body', async () => {
    upstream.replies({ status: 429, headers: { 'content-type': 'Application/JSON; charset=utf-8', 'retry-after': '3' }, body: 'späť' });
    const response = await transport.send(request());
    expect([response.status, response.contentType, response.retryAfterMs]).toEqual([429, 'application/json', 3_000]);
    expect(await response.text()).toBe('späť');
    expect(upstream.requests[0]).toMatchObject({
      method: 'POST',
      path: '/v1/x?y=1',
      body: '{"é":1}',
      headers: { authorization: 'Bearer k', 'accept-encoding': 'identity', 'content-length': '8' },
    });
  });

  it('uses a connection again, also after a stream whose reader stopped at its last event', async () => {
    upstream.replies({ body: 'data: 1\n\ndata: [DONE]\n\n: bye\n\n', cuts: [9, 23] });
    for (let i = 0; i < 3; i++) {
      const response = await transport.send(request());
      for await (const [event] of response.events(new ManualFlow())) {
        if (event?.data !== '[DONE]') continue;
        response.release();
        break;
      }
      await settled(() => upstream.requests[i]?.sent() ?? 0);
    }
    await (await transport.send(request())).text();
    expect(upstream.requests.map(({ connection }) => connection)).toEqual([0, 0, 0, 0]);
  });

  it.each([
    ['are long', { body: `data: 1\n\n${': x\n\n'.repeat(50_000)}`, endless: true }],
    ['do not end', { body: 'data: 1\n\n', ending: 'stall' as const }],
  ])('closes a connection whose remains %s', async (_name, reply) => {
    upstream.replies(reply);
    const response = await transport.send(request());
    for await (const _ of response.events(new ManualFlow())) {
      response.release();
      break;
    }
    await upstream.requests[0]?.closed;
  });

  it('closes the connection of a reader who leaves', async () => {
    upstream.replies({ body: 'data: 1\n\n', ending: 'stall' });
    const response = await transport.send(request());
    for await (const _ of response.events(new ManualFlow())) break;
    const since = performance.now();
    await upstream.requests[0]?.closed;
    expect(performance.now() - since).toBeLessThan(500);
  });

  describe('timeouts', () => {
    it('connect: a server that says nothing to our TLS', async () => {
      const server = await listen(() => undefined);
      const origin = originOf(server).replace('http:', 'https:');
      const sent = transport.send(request({ origin, timeouts: { ...timeouts, connect: 50 } }));
      await expect(sent).rejects.toMatchObject({ name: 'ProviderError', kind: 'timeout' });
      await stop(server);
    });

    it('first byte', async () => {
      upstream.replies({ ending: 'silent' });
      const sent = transport.send(request({ timeouts: { ...timeouts, first_byte: 50 } }));
      await expect(sent).rejects.toMatchObject({ kind: 'timeout', message: expect.stringContaining('begin') as string });
      await upstream.requests[0]?.closed;
    });

    it('idle', async () => {
      upstream.replies({ body: 'data: 1\n\n', ending: 'stall' });
      const response = await transport.send(request({ timeouts: { ...timeouts, idle: 50 } }));
      await expect(events(response)).rejects.toMatchObject({ kind: 'timeout', message: expect.stringContaining('silent') as string });
      await upstream.requests[0]?.closed;
    });

    it('total, although bytes keep coming', async () => {
      upstream.replies({ body: 'data: 1\n\n', endless: true, pace: 5 });
      const response = await transport.send(request({ timeouts: { ...timeouts, total: 100 } }));
      await expect(events(response)).rejects.toMatchObject({ kind: 'timeout', message: expect.stringContaining('too long') as string });
      await upstream.requests[0]?.closed;
    });

    it('time that we keep a stream paused is no silence', async () => {
      upstream.replies({ body: `data: ${'x'.repeat(4_000)}\n\n`.repeat(16), endless: true });
      const response = await transport.send(request({ timeouts: { ...timeouts, idle: 100 } }));
      const flow = new ManualFlow();
      const stream = response.events(flow);
      await stream.next();
      flow.set(true);
      await settled(() => upstream.requests[0]?.sent() ?? 0);
      flow.set(false);
      for (let i = 0; i < 100; i++) expect((await stream.next()).done).toBe(false);
      await stream.return();
    });
  });

  describe('a provider that cannot be reached', () => {
    it('refuses connections', async () => {
      const refused = request();
      await upstream.stop();
      await expect(transport.send(refused)).rejects.toMatchObject({
        name: 'ProviderError',
        kind: 'unreachable',
        message: expect.stringContaining('ECONNREFUSED') as string,
      });
    });

    it('has no address', async () => {
      await expect(transport.send(request({ origin: 'http://nowhere.invalid' }))).rejects.toMatchObject({ kind: 'unreachable' });
    });

    it('speaks no TLS', async () => {
      const origin = upstream.origin.replace('http:', 'https:');
      await expect(transport.send(request({ origin }))).rejects.toMatchObject({ kind: 'unreachable' });
    });

    it.each(['http://169.254.169.254', 'http://[fe80::1]', 'http://0xA9FEA9FE', 'http://[::ffff:a9fe:a9fe]'])(
      'lives where metadata services do: %s',
      async (url) => {
        const sent = transport.send(request({ origin: new URL(url).origin }));
        await expect(sent).rejects.toMatchObject({
          kind: 'unreachable',
          message: expect.stringContaining('ERR_REFUSED_ADDRESS') as string,
        });
      },
    );

    it('resets before it answers', async () => {
      upstream.replies({ ending: 'reset' });
      await expect(transport.send(request())).rejects.toMatchObject({ kind: 'unreachable' });
      expect(upstream.requests).toHaveLength(1);
    });
  });

  describe('an answer that cannot be used', () => {
    it('breaks off', async () => {
      upstream.replies({ body: 'data: 1\n\ndata: 2\n\n', after: 12, ending: 'reset' });
      const response = await transport.send(request());
      const seen: string[] = [];
      const read = async () => {
        for await (const batch of response.events(new ManualFlow())) seen.push(...batch.map(({ data }) => data));
      };
      await expect(read()).rejects.toMatchObject({ kind: 'bad_response' });
      expect(seen).toEqual(['1']);
    });

    it('is longer than its reader takes', async () => {
      upstream.replies({ body: 'x'.repeat(100_000), endless: true });
      const response = await transport.send(request());
      await expect(response.text(1_000_000)).rejects.toMatchObject({ kind: 'bad_response' });
      await upstream.requests[0]?.closed;
      const other = await transport.send(request());
      expect(await other.excerpt(10)).toBe('xxxxxxxxxx');
    });

    it('is compressed', async () => {
      upstream.replies({ headers: { 'content-encoding': 'gzip' }, body: 'x' });
      await expect(transport.send(request())).rejects.toMatchObject({ kind: 'bad_response', status: 200 });
    });

    it('is no HTTP', async () => {
      const server = await listen((socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n'));
      await expect(transport.send(request({ origin: originOf(server) }))).rejects.toMatchObject({ kind: 'bad_response' });
      await stop(server);
    });
  });

  describe('abort closes the connection at once', () => {
    const abortAfter = async (act: (signal: AbortSignal) => Promise<unknown>, when: () => Promise<unknown>) => {
      const abort = new AbortController();
      const outcome = act(abort.signal).then(
        () => 'ended',
        (error: Error) => error.name,
      );
      await when();
      const before = performance.now();
      abort.abort();
      expect(await outcome).toBe('ProviderError');
      return before;
    };

    it('before it is sent', async () => {
      await expect(transport.send(request({ signal: AbortSignal.abort() }))).rejects.toMatchObject({ name: 'ProviderError' });
      expect(upstream.requests).toHaveLength(0);
    });

    it('while connecting', async () => {
      const server = await listen(() => undefined);
      const connected = once(server, 'connection');
      const origin = originOf(server).replace('http:', 'https:');
      const before = await abortAfter(
        (signal) => transport.send(request({ origin, signal })),
        () => connected,
      );
      expect(performance.now() - before).toBeLessThan(SOON);
      await transport.onApplicationShutdown();
      await stop(server);
    });

    it('before the head', async () => {
      upstream.replies({ ending: 'silent' });
      const asked = upstream.nextRequest();
      const before = await abortAfter(
        (signal) => transport.send(request({ signal })),
        () => asked,
      );
      await upstream.requests[0]?.closed;
      expect(performance.now() - before).toBeLessThan(SOON);
    });

    it.each([
      ['while events come', { body: 'data: 1\n\n', endless: true, pace: 1 }],
      ['while nothing comes', { body: 'data: 1\n\n', ending: 'stall' as const }],
    ])('%s', async (_name, reply) => {
      upstream.replies(reply);
      const first = Promise.withResolvers<void>();
      const before = await abortAfter(
        async (signal) => {
          const response = await transport.send(request({ signal }));
          for await (const _ of response.events(new ManualFlow())) first.resolve();
        },
        () => first.promise,
      );
      await upstream.requests[0]?.closed;
      expect(performance.now() - before).toBeLessThan(SOON);
    });

    it('while it is paused', async () => {
      upstream.replies({ body: 'data: 1\n\n'.repeat(1_000), endless: true });
      const abort = new AbortController();
      const flow = new ManualFlow();
      const stream = (await transport.send(request({ signal: abort.signal }))).events(flow);
      await stream.next();
      flow.set(true);
      await settled(() => upstream.requests[0]?.sent() ?? 0);
      abort.abort();
      await upstream.requests[0]?.closed;
    });
  });

  describe('back-pressure', () => {
    const endless = { body: `data: ${'x'.repeat(4_000)}\n\n`.repeat(16), endless: true };

    it.each(['whose reader takes nothing', 'whose flow is paused'])('holds a stream %s', async (why) => {
      upstream.replies(endless);
      const flow = new ManualFlow();
      const abort = new AbortController();
      const response = await transport.send(request({ signal: abort.signal }));
      const stream = response.events(flow);
      await stream.next();
      const sent = () => upstream.requests[0]?.sent() ?? 0;
      const readOn = async () => {
        for await (const _ of stream);
      };
      let reading: Promise<void> | undefined;
      if (why.includes('flow')) {
        flow.set(true);
        reading = readOn();
      }
      // What is under way fills the kernel's buffers on both sides, whose size is the machine's; a stream that is not held never comes to rest.
      const held = await settled(sent);
      expect(held).toBeLessThan(32 * 1024 * 1024);
      reading ??= readOn();
      flow.set(false);
      while (sent() < held + 1024 * 1024) await nextTurn();
      abort.abort();
      await expect(reading).rejects.toMatchObject({ name: 'ProviderError' });
      expect(flow.listeners).toBe(0);
    });
  });

  describe('a large body', () => {
    const LENGTH = 24 * 1024 * 1024;
    const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

    /** @param made receives what is sent, as often as it is made */
    const bodyOf = (length: number, made: Buffer[]) =>
      new LargeBody(length, () => {
        const bytes = Buffer.alloc(length, 'The quick brown fox. ');
        made.push(bytes);
        return bytes;
      });

    it('is kept until a provider that is slow to read has all of it, and given back then', async () => {
      const received: Buffer[] = [];
      let length = 0;
      let reads!: Socket;
      const server = await listen((socket) => {
        reads = socket.pause();
        socket.on('data', (bytes: Buffer) => {
          received.push(bytes);
          length += bytes.length;
          if (length > LENGTH && bytes.at(-1) === 'The quick brown fox. '.charCodeAt((LENGTH - 1) % 21)) socket.write(answer);
        });
      });
      const made: Buffer[] = [];
      const answered = transport.send(request({ origin: originOf(server), body: bodyOf(LENGTH, made) }));
      while (made.length === 0) await Promise.race([nextTurn(), answered]);
      await free();
      expect(made.map((bytes) => bytes.length)).toEqual([LENGTH]);
      reads.resume();
      expect(await (await answered).text()).toBe('ok');
      await free();
      expect(made.map((bytes) => bytes.length)).toEqual([0]);
      const all = Buffer.concat(received);
      const begin = all.indexOf('\r\n\r\n') + 4;
      expect(all.toString('latin1', 0, begin)).toContain(`content-length: ${LENGTH}\r\n`);
      expect(all.subarray(begin).equals(Buffer.alloc(LENGTH, 'The quick brown fox. '))).toBe(true);
      await stop(server);
    });

    it('is made again where its connection had been closed', async () => {
      let requests = 0;
      const server = await listen((socket, connection) => {
        let length = 0;
        socket.on('data', (bytes: Buffer) => {
          length += bytes.length;
          if (connection === 0 && requests === 1) socket.resetAndDestroy();
          else if (length > 100_000) {
            length = 0;
            requests++;
            socket.write(answer);
          }
        });
      });
      const made: Buffer[] = [];
      const ask = async () => {
        const text = await (await transport.send(request({ origin: originOf(server), body: bodyOf(100_000, made) }))).text();
        await free();
        return text;
      };
      expect([await ask(), await ask()]).toEqual(['ok', 'ok']);
      expect(made).toHaveLength(3);
      await stop(server);
    });

    it('does not keep an answer back that comes before all of it was read', async () => {
      const server = await listen((socket) => {
        socket.once('data', () => socket.pause().write(answer));
      });
      const made: Buffer[] = [];
      const response = await transport.send(request({ origin: originOf(server), body: bodyOf(LENGTH, made) }));
      expect(await response.text()).toBe('ok');
      while (made[0]!.length > 0) await nextTurn();
      await stop(server);
    });

    it('is given up where its maker fails', async () => {
      const body = new LargeBody(100_000, () => {
        throw new Error('gone');
      });
      await expect(transport.send(request({ body }))).rejects.toMatchObject({ name: 'ProviderError' });
    });
  });

  describe('a keep-alive connection that the provider closes', () => {
    const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

    /** Answers the first request of each connection and does `second` with the next. */
    const moody = async (second: (socket: Socket) => void) => {
      const server = await listen((socket, connection) => {
        let requests = 0;
        socket.on('data', (bytes) => {
          if (!bytes.includes('POST')) return;
          if (requests++ === 0) socket.write(connection === 0 ? answer : answer.replace('ok', 'ko'));
          else second(socket);
        });
      });
      const ask = async () => {
        const text = await (await transport.send(request({ origin: originOf(server) }))).text();
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
      await stop(server);
    });

    it('is not asked again when a byte of the answer had come', async () => {
      const { server, ask } = await moody((socket) => socket.end('HTTP/1.1 2'));
      expect(await ask()).toBe('ok');
      await expect(ask()).rejects.toMatchObject({ name: 'ProviderError' });
      await stop(server);
    });

    it('is asked again once only', async () => {
      let connections = 0;
      const server = await listen((socket) => {
        if (connections++ === 0) {
          let requests = 0;
          socket.on('data', (bytes) => {
            if (!bytes.includes('POST')) return;
            if (requests++ === 0) socket.write(answer);
            else socket.destroy();
          });
        } else socket.once('data', () => socket.destroy());
      });
      const ask = () => transport.send(request({ origin: originOf(server) })).then((response) => response.text());
      expect(await ask()).toBe('ok');
      await free();
      await expect(ask()).rejects.toMatchObject({ kind: 'unreachable' });
      expect(connections).toBe(2);
      await stop(server);
    });
  });
});

/** A connection serves again some turns of the event loop after its last answer. */
async function free(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await nextTurn();
}

const sockets = new WeakMap<Server, Set<Socket>>();

async function listen(serve: (socket: Socket, connection: number) => void): Promise<Server> {
  const open = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    serve(socket, connections++);
  });
  sockets.set(server, open);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function originOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function stop(server: Server): Promise<void> {
  for (const socket of sockets.get(server) ?? []) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
}
