import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

/** Bytes of one event, its two line ends included. */
export const EVENT_BYTES = 1_024;

const EVENTS_A_WRITE = 64;
/** Milliseconds between the events of a trickle. */
const PACE = 100;

/** The event that carries the number. */
export function eventOf(number: number): string {
  const head = `data: {"id":"chatcmpl-flood","object":"chat.completion.chunk","created":1,"model":"flood","choices":[{"index":0,"delta":{"content":"${number} `;
  const tail = '"},"finish_reason":null}]}\n\n';
  return head + 'x'.repeat(EVENT_BYTES - head.length - tail.length) + tail;
}

const ending =
  'data: {"id":"chatcmpl-flood","object":"chat.completion.chunk","created":1,"model":"flood","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n' +
  'data: {"id":"chatcmpl-flood","object":"chat.completion.chunk","created":1,"model":"flood","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}\n\n' +
  'data: [DONE]\n\n';

/**
 * A provider on the loopback that streams as fast as it is read: `max_tokens` events and the end. With `seed` only that
 * many come at once, and the others slowly, so that there is somebody to leave.
 */
export class FloodUpstream {
  /** Answers under way. */
  open = 0;
  /** Answers that were given to their end. */
  finished = 0;
  /** Events of the latest answer that were handed to its connection. */
  sent = 0;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<FloodUpstream> {
    const server = createServer();
    const upstream = new FloodUpstream(server);
    server.on('request', (request, response) => void upstream.#serve(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return upstream;
  }

  get baseURL(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A probe asks for the list of models.
    if (request.method !== 'POST') return void response.writeHead(404).end();
    const { max_tokens: events, seed: atOnce = events } = (await json(request)) as { max_tokens: number; seed?: number };
    await this.#answer(response, events, atOnce);
  }

  async #answer(response: ServerResponse, events: number, atOnce: number): Promise<void> {
    this.open++;
    this.sent = 0;
    const closed = new Promise<void>((resolve) => response.once('close', resolve));
    void closed.then(() => this.open--);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (let number = 0; number < events && !response.destroyed;) {
      const fast = number < atOnce;
      const end = Math.min(number + (fast ? EVENTS_A_WRITE : 1), fast ? atOnce : events);
      let block = '';
      for (; number < end; number++) block += eventOf(number);
      if (!response.write(block)) await Promise.race([new Promise<void>((resolve) => response.once('drain', resolve)), closed]);
      this.sent = number;
      if (!fast) await Promise.race([delay(PACE), closed]);
    }
    if (response.destroyed) return;
    response.end(ending);
    this.finished++;
  }
}
