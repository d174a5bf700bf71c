import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** A server on loopback that speaks whatever `serve` writes, for what no HTTP server would say. */
export class RawServer {
  readonly #sockets = new Set<Socket>();
  #connections = 0;
  readonly #server;

  private constructor(serve: (socket: Socket, connection: number) => void) {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      serve(socket, this.#connections++);
    });
  }

  /** @param serve is told of each connection, counted from 0. */
  static async listen(serve: (socket: Socket, connection: number) => void): Promise<RawServer> {
    const raw = new RawServer(serve);
    raw.#server.listen(0, '127.0.0.1');
    await once(raw.#server, 'listening');
    return raw;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves with the next connection. */
  async connected(): Promise<void> {
    await once(this.#server, 'connection');
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** A connection serves again some turns of the event loop after its last answer. */
export async function free(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await nextTurn();
}
