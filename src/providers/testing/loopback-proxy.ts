import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

interface AskedTunnel {
  /** The target as host:port, as the client asked for it. */
  readonly target: string;
  readonly authorization: string | undefined;
  /** Resolves when the client's connection has closed. */
  readonly closed: Promise<void>;
}

/**
 * A proxy on a loopback port. Every tunnel leads to `leadsTo` on this machine, whatever was asked for, or is refused,
 * or is never answered.
 */
export class LoopbackProxy {
  readonly asked: AskedTunnel[] = [];
  leadsTo = 0;
  answers: number | 'silence' = 200;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #waiting: (() => void) | undefined;

  private constructor() {
    this.#server = createServer();
    this.#server.on('connection', (socket: Socket) => this.#keep(socket));
    this.#server.on('connect', ({ url = '', headers }, socket: Socket, head: Buffer) => {
      this.asked.push({
        target: url,
        authorization: headers['proxy-authorization'],
        closed: new Promise((resolve) => socket.once('close', () => resolve())),
      });
      this.#waiting?.();
      if (this.answers === 'silence') {
        // Nobody else reads the socket, so that its end would not be seen.
        socket.resume().once('end', () => socket.destroy());
        return;
      }
      if (this.answers !== 200) {
        socket.end(`HTTP/1.1 ${this.answers} No\r\ncontent-length: 0\r\n\r\n`);
        return;
      }
      const far = connect(this.leadsTo, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        if (head.length > 0) far.write(head);
        far.pipe(socket).pipe(far);
      });
      this.#keep(far);
      far.once('close', () => socket.destroy());
      socket.once('close', () => far.destroy());
    });
  }

  static async start(): Promise<LoopbackProxy> {
    const proxy = new LoopbackProxy();
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  nextTunnel(): Promise<void> {
    return new Promise((resolve) => (this.#waiting = resolve));
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => this.#sockets.delete(socket));
  }
}
