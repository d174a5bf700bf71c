import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Client } from 'undici';
import { systemClock } from '../../common/time/clock.js';
import { ClientPool } from './client-pool.js';
import { createConnector } from './connector.js';
import { UpstreamExchange } from './upstream-exchange.js';
import { PulledResponse } from './pulled-response.js';
import { free, RawServer } from './testing/raw-server.js';
import { requestTo } from './testing/request-to.js';

describe('ClientPool', () => {
  /** A request that has come, and its connection. */
  interface Came {
    readonly path: string;
    readonly connection: number;
    readonly socket: Socket;
  }
  let server: RawServer;
  let came: Came[];
  const pools: ClientPool[] = [];

  beforeEach(async () => {
    came = [];
    server = await RawServer.listen((socket, connection) =>
      socket.on('data', (bytes) => came.push({ path: bytes.toString().split(' ')[1]!, connection, socket })),
    );
  });
  afterEach(async () => {
    await Promise.all(pools.splice(0).map((pool) => pool.destroy()));
    await server.stop();
  });

  function poolOf(limit: number, origin = server.origin, connect?: Client.Options['connect']): ClientPool {
    const send = (exchange: UpstreamExchange, client: Client): void => {
      const { method, path, headers } = exchange.request;
      client.dispatch({ method, path, headers }, exchange);
    };
    const pool = new ClientPool(limit, () => new Client(origin, { connect, pipelining: 1 }), send);
    pools.push(pool);
    return pool;
  }

  function ask(pool: ClientPool, path: string, headers = {}) {
    const answer = new PulledResponse();
    const owner = { clock: systemClock, sendAnew: () => undefined, waitsNoMore: (exchange: UpstreamExchange) => pool.forget(exchange) };
    const exchange = new UpstreamExchange(requestTo(server.origin, { path, headers, body: undefined }), answer, owner);
    pool.add(exchange);
    const status = answer.headArrived.then((head) => head.status);
    // Not each test waits for each.
    status.catch(() => undefined);
    return { exchange, status };
  }

  const paths = (): string[] => came.map(({ path }) => path);
  const haveCome = async (count: number): Promise<void> => {
    while (came.length < count) await nextTurn();
  };

  async function serve(path: string): Promise<void> {
    came.find((one) => one.path === path)!.socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    await free();
  }

  it('gives the next request to the connection that was free last', async () => {
    const pool = poolOf(9);
    const first = ['/a', '/b', '/c'].map((path) => ask(pool, path).status);
    await haveCome(3);
    for (const path of ['/c', '/a', '/b']) await serve(path);
    expect(await Promise.all(first)).toEqual([200, 200, 200]);
    void ask(pool, '/d');
    void ask(pool, '/e');
    await haveCome(5);
    const connectionOf = (path: string) => came.find((one) => one.path === path)!.connection;
    expect([connectionOf('/d'), connectionOf('/e')]).toEqual([connectionOf('/b'), connectionOf('/a')]);
  });

  it('lets requests beyond its limit wait for their turn, and wastes no connection on one that was given up meanwhile', async () => {
    const pool = poolOf(1);
    const asked = ['/a', '/b', '/c'].map((path) => ask(pool, path));
    await haveCome(1);
    asked[1]!.exchange.abandon();
    await expect(asked[1]!.status).rejects.toMatchObject({ kind: 'unreachable' });
    await serve('/a');
    await haveCome(2);
    await serve('/c');
    expect(await asked[2]!.status).toBe(200);
    expect(came).toMatchObject([
      { path: '/a', connection: 0 },
      { path: '/c', connection: 0 },
    ]);
  });

  it('has a client back that refused a request, could not connect, or lost its connection', async () => {
    const pool = poolOf(1);
    await expect(ask(pool, '/a', { 'bad name': 'x' }).status).rejects.toMatchObject({ name: 'ProviderError' });
    const lost = ask(pool, '/b').status;
    await haveCome(1);
    came[0]!.socket.destroy();
    await expect(lost).rejects.toMatchObject({ kind: 'unreachable' });
    void ask(pool, '/c');
    await haveCome(2);
    expect(paths()).toEqual(['/b', '/c']);

    const nobody = await RawServer.listen(() => undefined);
    const { origin } = nobody;
    await nobody.stop();
    const failing = poolOf(1, origin);
    for (let i = 0; i < 3; i++) await expect(ask(failing, '/x').status).rejects.toMatchObject({ kind: 'unreachable' });
  });

  it('has a client back whose connection was given up while it was opened', async () => {
    // A TLS handshake that is never answered.
    const origin = server.origin.replace('http:', 'https:');
    let opened: Socket | undefined;
    const connect = createConnector({ timeout: 5_000, clock: systemClock }, (socket) => (opened = socket));
    const pool = poolOf(1, origin, connect);
    for (const connection of [0, 1, 2]) {
      const { exchange, status } = ask(pool, '/a');
      exchange.connecting = opened;
      while (!came.some((one) => one.connection === connection)) await nextTurn();
      exchange.abandon();
      await expect(status).rejects.toMatchObject({ kind: 'unreachable' });
      await free();
    }
  });

  it('gives up what waits when it is destroyed', async () => {
    const pool = poolOf(1);
    const [running, waiting] = ['/a', '/b'].map((path) => ask(pool, path).status);
    await haveCome(1);
    const ends = Promise.allSettled([running, waiting]);
    await pool.destroy();
    expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(paths()).toEqual(['/a']);
  });
});
