import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { HttpTransport } from './http-transport.js';
import { LargeBody } from './large-body.js';
import { free, RawServer } from './testing/raw-server.js';
import { requestTo } from './testing/request-to.js';

describe('HttpTransport: a large body', () => {
  let transport: HttpTransport;

  beforeEach(() => {
    transport = new HttpTransport();
  });

  afterEach(() => transport.onApplicationShutdown());

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
    const server = await RawServer.listen((socket) => {
      reads = socket.pause();
      socket.on('data', (bytes: Buffer) => {
        received.push(bytes);
        length += bytes.length;
        if (length > LENGTH && bytes.at(-1) === 'The quick brown fox. '.charCodeAt((LENGTH - 1) % 21)) socket.write(answer);
      });
    });
    const made: Buffer[] = [];
    const answered = transport.send(requestTo(server.origin, { body: bodyOf(LENGTH, made) }));
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
    await server.stop();
  });

  it('is made again where its connection had been closed', async () => {
    let requests = 0;
    const server = await RawServer.listen((socket, connection) => {
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
      const text = await (await transport.send(requestTo(server.origin, { body: bodyOf(100_000, made) }))).text();
      await free();
      return text;
    };
    expect([await ask(), await ask()]).toEqual(['ok', 'ok']);
    expect(made).toHaveLength(3);
    await server.stop();
  });

  it('does not keep an answer back that comes before all of it was read', async () => {
    const server = await RawServer.listen((socket) => {
      socket.once('data', () => socket.pause().write(answer));
    });
    const made: Buffer[] = [];
    const response = await transport.send(requestTo(server.origin, { body: bodyOf(LENGTH, made) }));
    expect(await response.text()).toBe('ok');
    while (made[0]!.length > 0) await nextTurn();
    await server.stop();
  });

  it('is given up where its maker fails', async () => {
    const server = await RawServer.listen(() => undefined);
    const body = new LargeBody(100_000, () => {
      throw new Error('gone');
    });
    await expect(transport.send(requestTo(server.origin, { body }))).rejects.toMatchObject({ name: 'ProviderError' });
    await server.stop();
  });
});
