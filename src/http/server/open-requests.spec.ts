import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { type EndedRequest, OpenRequests } from './open-requests.js';
import { gatedServer } from './testing/gated-server.js';

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
