import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedMessage {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What the receiver answers: a status, with headers, and a body that never ends where it is `endless` or `stalled`. */
export interface ReceiverAnswer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly text?: string;
  readonly endless?: true;
  /** Nothing comes after the text. */
  readonly stalled?: true;
}

/** An address that takes messages, on a loopback port. */
export class WebhookReceiver {
  readonly received: ReceivedMessage[] = [];
  /** What it answers to the n-th message, from 0. */
  answers: (count: number) => ReceiverAnswer | Promise<ReceiverAnswer> = () => ({ status: 204 });
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const count = this.received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
    const { status, headers = {}, text = '', endless, stalled } = await this.answers(count - 1);
    response.writeHead(status, headers);
    if (stalled) {
      response.flushHeaders();
      response.write(text);
      return;
    }
    if (!endless) {
      response.end(text);
      return;
    }
    const more = (): void => {
      while (response.writable && response.write('x'.repeat(10_000)));
    };
    response.on('drain', more);
    more();
  }

  static async start(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
