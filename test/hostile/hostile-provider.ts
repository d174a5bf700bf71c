import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Exchange } from './exchange.ts';

/** What a bystander's requests say, so that they get an ordinary answer whatever is being played. */
export const NEIGHBOUR = 'an honest neighbour';

export type Play = (exchange: Exchange) => Promise<void> | void;

const honest: Play = (exchange) => exchange.answer('An ordinary answer of a few words.');

/** The provider that plays along with the attacker, and counts what it is asked and what it has said. */
export class HostileProvider {
  /** What the attacker's requests have brought since the last `plays`. */
  readonly seen: Exchange[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #play: Play = honest;

  private constructor() {
    this.#server = createServer(
      { keepAliveTimeout: 60_000, requestTimeout: 0 },
      (request, response) => void this.#serve(request, response),
    );
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
      socket.on('error', () => undefined);
    });
  }

  static async start(): Promise<HostileProvider> {
    const provider = new HostileProvider();
    await new Promise<void>((resolve) => provider.#server.listen(0, '127.0.0.1', 4096, resolve));
    return provider;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Sets what it does from now on, and begins a new record. */
  plays(play: Play = honest): void {
    this.seen.length = 0;
    this.#play = play;
  }

  /** Nano-credits of everything that it has counted since then. */
  get due(): bigint {
    return this.seen.reduce((sum, { due }) => sum + due, 0n);
  }

  stop(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    response.on('error', () => undefined);
    try {
      for await (const piece of request) pieces.push(piece as Buffer);
    } catch {
      return;
    }
    if (request.method === 'GET')
      return void response.writeHead(200, { 'content-type': 'application/json' }).end('{"object":"list","data":[]}');
    const exchange = new Exchange(request, response, Buffer.concat(pieces));
    if (exchange.raw.includes(NEIGHBOUR)) return void honest(exchange);
    this.seen.push(exchange);
    await this.#play(exchange);
  }
}
