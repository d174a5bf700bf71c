import type { Socket } from 'node:net';
import { HttpTransport } from './http-transport.js';
import { free, RawServer } from './testing/raw-server.js';
import { requestTo } from './testing/request-to.js';

describe('HttpTransport: a keep-alive connection that the provider closes', () => {
  let transport: HttpTransport;

  beforeEach(() => {
    transport = new HttpTransport();
  });

  afterEach(() => transport.onApplicationShutdown());

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
