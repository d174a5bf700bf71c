import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/** A mail server on the loopback that keeps the messages that it takes. */
export class MailServer {
  /** The messages as they came, with their headers. */
  readonly messages: string[] = [];
  /** Whether it takes messages now; else it says that it will later. */
  takes = true;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server = createServer((socket) => this.#serve(socket));

  get url(): string {
    return `smtp://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The messages with lines that are not broken by their encoding. */
  get texts(): string[] {
    return this.messages.map((text) => text.replace(/=\n/g, '').replaceAll('=3D', '='));
  }

  async start(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    let received = '';
    let message: string | undefined;
    const say = (line: string) => socket.write(`${line}\r\n`);
    say('220 loopback ESMTP');
    socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket));
    socket.on('data', (bytes) => {
      received += String(bytes);
      for (let end = received.indexOf('\r\n'); end >= 0; end = received.indexOf('\r\n')) {
        const line = received.slice(0, end);
        received = received.slice(end + 2);
        if (message !== undefined && line !== '.') message += `${line.replace(/^\./, '')}\n`;
        else if (message !== undefined) {
          this.messages.push(message);
          message = undefined;
          say('250 taken');
        } else if (/^DATA$/i.test(line)) {
          message = '';
          say('354 go on');
        } else if (/^QUIT$/i.test(line)) socket.end('221 bye\r\n');
        else if (!this.takes && /^MAIL /i.test(line)) say('451 later');
        else say('250 well');
      }
    });
  }
}
