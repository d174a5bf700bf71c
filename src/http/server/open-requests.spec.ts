import { once } from 'node:events';
import { type AddressInfo, connect, Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { type EndedRequest, OpenRequests } from './open-requests.js';
import { gatedServer } from './testing/gated-server.js';
import { offSocketClose, onSocketClose, type SocketCloseListener } from './socket-close.js';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { BodyTurns } from './body-turns.js';

describe('OpenRequests', () => {
  let server: FastifyInstance;
  let openRequests: OpenRequests;
  let ended: EndedRequest[];

  beforeEach(async () => {
    openRequests = new OpenRequests();
    ended = [];
    openRequests.onEnd((end) => ended.push(end));
    server = gatedServer({ authenticate: () => 'one' }, openRequests);
    server.get('/answers', (_request, reply) => reply.send('yes'));
    server.get('/never', () => new Promise(() => undefined));
    await server.listen({ port: 0, host: '127.0.0.1' });
  });
  afterEach(() => server.close());

  const ask = async (...paths: string[]) => {
    const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''));
    return socket;
  };
  const settled = async (condition: () => boolean) => {
    const deadline = performance.now() + 30_000;
    while (!condition() && performance.now() < deadline) await new Promise((resolve) => setImmediate(resolve));
    expect(condition()).toBe(true);
  };

  it('counts a request until its response is complete', async () => {
    const socket = await ask('/answers');
    await settled(() => ended.length === 1);
    expect(ended[0]).toMatchObject({ answered: true });
    expect(openRequests.size).toBe(0);
    socket.destroy();
  });

  it('ends every request of a client that leaves, also those that wait behind another one', async () => {
    const socket = await ask('/never', '/answers', '/never');
    await settled(() => openRequests.size === 3);
    expect(openRequests.sockets().size).toBe(1);
    socket.destroy();
    await settled(() => openRequests.size === 0);
    await new Promise((resolve) => setImmediate(resolve));
    expect(ended.map(({ answered }) => answered)).toEqual([false, false, false]);
  });

  it('tells all listeners of an end, also where one of them fails', async () => {
    const later: EndedRequest[] = [];
    openRequests.onEnd(() => {
      throw new Error('broken');
    });
    openRequests.onEnd((end) => later.push(end));
    const socket = await ask('/answers');
    await settled(() => later.length === 1);
    socket.destroy();
  });
});

describe('onSocketClose', () => {
  it('calls each listener once, in order, unless it was removed', async () => {
    const connection = new Socket();
    const told: string[] = [];
    const one = (name: string): SocketCloseListener => ({ closed: () => told.push(name) });
    const [first, second, third, late] = [one('first'), one('second'), one('third'), one('late')];
    for (const each of [first, second, third, late]) onSocketClose(connection, each);
    offSocketClose(connection, second);
    offSocketClose(connection, late);
    offSocketClose(connection, late);
    expect(connection.listenerCount('close')).toBe(1);
    connection.destroy();
    await new Promise(setImmediate);
    expect(told).toEqual(['first', 'third']);
  });

  it('lets a listener be removed while others are called', async () => {
    const connection = new Socket();
    const told: string[] = [];
    for (const name of ['a', 'b']) {
      const one: SocketCloseListener = {
        closed: () => {
          told.push(name);
          offSocketClose(connection, one);
        },
      };
      onSocketClose(connection, one);
    }
    connection.destroy();
    await new Promise(setImmediate);
    expect(told).toEqual(['a', 'b']);
  });
});

const PIECE = Buffer.alloc(64 * 1024);

it('looks at no more than 2 MB of all bodies, and a piece of each, in one turn of the event loop', async () => {
  const turns = new BodyTurns();
  let [inTurn, most] = [0, 0];
  const ended: Promise<void>[] = [];
  for (let index = 0; index < 20; index++) {
    const body = Readable.from(Array.from({ length: 100 }, () => PIECE));
    body.on('data', (piece: Buffer) => {
      inTurn += piece.length;
      turns.took(body, piece.length);
    });
    ended.push(new Promise((resolve) => body.on('end', resolve)));
  }
  const all = Promise.all(ended).then(() => true);
  do {
    most = Math.max(most, inTurn);
    inTurn = 0;
  } while (!(await Promise.race([all, nextTurn(false)])));
  expect(most).toBeLessThanOrEqual(2 * (2 * 1024 * 1024 + 20 * PIECE.length));
  expect(most).toBeGreaterThan(1024 * 1024);
});
