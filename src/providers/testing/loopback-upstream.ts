import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';

/** The response of the upstream to one request, and how it misbehaves. */
export interface Reply {
  status?: number;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Written before the body, as fast as they are read. */
  pieces?: AsyncIterable<string>;
  /** Offsets at which the body is cut into separate writes. */
  cuts?: readonly number[];
  /** Milliseconds between writes; without it some turns of the event loop. */
  pace?: number;
  /** Milliseconds before the head. */
  delay?: number;
  /** The head comes when it has resolved. */
  when?: PromiseLike<unknown>;
  /** Bytes of the body after which `ending` happens; all of them where it is absent. */
  after?: number;
  /** `reset`: the connection is reset. `stall`: nothing more comes. `silent`: not even the head comes. */
  ending?: 'end' | 'reset' | 'stall' | 'silent';
  /** Whether the body is repeated until the connection closes. */
  endless?: boolean;
}

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly bytes: Buffer;
  /** Resolves when the request's connection has closed, whoever closed it. */
  readonly closed: Promise<void>;
  /** Bytes that were given to the kernel or wait in front of it. */
  readonly sent: () => number;
  /** Number of the connection that the request came on, from 0. */
  readonly connection: number;
}

/** @returns what a vendor refuses a request for, in words or as it answers, or undefined where it takes it */
export type Accepts = (request: RecordedRequest) => string | Reply | undefined | PromiseLike<string | Reply | undefined>;

/** A provider on a loopback port that replays bytes and misbehaves when told to. */
export class LoopbackUpstream {
  /** What an upstream takes that has no `accepts` of its own. */
  static accepts: Accepts = () => undefined;
  /** Why requests were refused: the test in which one appears has to fail, and takes it away. */
  static readonly refused: string[] = [];

  readonly requests: RecordedRequest[] = [];
  /** What the vendor takes: anything else is refused, as a reply of the status 400 does itself. */
  accepts: Accepts | undefined;
  /** Where it is told why a request was refused. */
  refused = LoopbackUpstream.refused;
  readonly #server: Server;
  readonly #sockets = new Map<Socket, { number: number; closed: Promise<void> }>();
  readonly #waiting: ((request: RecordedRequest) => void)[] = [];
  #reply: (request: RecordedRequest) => Reply = () => ({ status: 404 });
  #connections = 0;

  private constructor() {
    this.#server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => void this.#serve(request, response));
    this.#server.on('connection', (socket: Socket) => {
      const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
      this.#sockets.set(socket, { number: this.#connections++, closed });
      void closed.then(() => this.#sockets.delete(socket));
      socket.on('error', () => undefined);
    });
  }

  static async start(): Promise<LoopbackUpstream> {
    const upstream = new LoopbackUpstream();
    await upstream.#listen();
    return upstream;
  }

  /** Runs before the first test that stands beside the call, and stops after the last, when `end` has been waited for. */
  static during(end: () => unknown): LoopbackUpstream {
    const upstream = new LoopbackUpstream();
    beforeAll(() => upstream.#listen());
    afterAll(async () => {
      await end();
      await upstream.stop();
    });
    return upstream;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get openConnections(): number {
    return this.#sockets.size;
  }

  /** Sets the reply to every request from now on, and begins a new record. */
  replies(reply: Reply | ((request: RecordedRequest) => Reply)): void {
    this.requests.length = 0;
    this.#reply = typeof reply === 'function' ? reply : () => reply;
  }

  /** Resolves with the next request as soon as its body has come. */
  nextRequest(): Promise<RecordedRequest> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Closes idle connections, as a provider does after its keep-alive time. */
  closeConnections(): void {
    for (const socket of this.#sockets.keys()) socket.destroy();
  }

  async stop(): Promise<void> {
    this.closeConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #listen(): Promise<void> {
    return new Promise((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  #closed(socket: Socket): Promise<void> {
    return this.#sockets.get(socket)?.closed ?? Promise.resolve();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket } = request;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const recorded: RecordedRequest = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: bytes.toString(),
      bytes,
      closed: this.#closed(socket),
      sent: () => socket.bytesWritten,
      connection: this.#sockets.get(socket)?.number ?? -1,
    };
    this.requests.push(recorded);
    this.#waiting.shift()?.(recorded);
    const reply = this.#replyTo(recorded);
    await this.#answer((reply.status === 400 ? undefined : await this.#refusal(recorded)) ?? reply, response, socket);
  }

  async #refusal(request: RecordedRequest): Promise<Reply | undefined> {
    const accepts = this.accepts ?? LoopbackUpstream.accepts;
    const refusal = await Promise.try(accepts, request).catch(String);
    if (refusal === undefined) return undefined;
    const reply =
      typeof refusal === 'string'
        ? { status: 400, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ error: { message: refusal } }) }
        : refusal;
    this.refused.push(String(reply.body));
    return reply;
  }

  /** What the reply throws, as an expectation in it may, is the answer: the test fails by it and does not wait. */
  #replyTo(request: RecordedRequest): Reply {
    try {
      return this.#reply(request);
    } catch (error) {
      return { status: 500, headers: { 'content-type': 'text/plain' }, body: String(error) };
    }
  }

  async #answer(reply: Reply, response: ServerResponse, socket: Socket): Promise<void> {
    const { status = 200, headers = {}, cuts = [], pace, delay, when, ending = 'end', endless = false } = reply;
    if (delay) await wait(delay);
    await when;
    if (ending === 'silent') return;
    const closed = this.#closed(socket);
    const all = Buffer.from(reply.body ?? '');
    const body = all.subarray(0, reply.after ?? all.length);
    if (ending === 'reset' && body.length === 0) {
      socket.resetAndDestroy();
      return;
    }
    response.writeHead(status, headers);
    response.flushHeaders();
    for await (const piece of reply.pieces ?? []) {
      if (socket.destroyed) return;
      if (!response.write(piece)) await Promise.race([once(response, 'drain'), closed]);
    }
    for (let rounds = endless ? Infinity : 1; rounds > 0; rounds--) {
      let from = 0;
      for (const to of [...cuts.filter((cut) => cut > 0 && cut < body.length), body.length]) {
        if (socket.destroyed) return;
        if (to > from && !response.write(body.subarray(from, to))) await Promise.race([once(response, 'drain'), closed]);
        from = to;
        if (pace === undefined) await twoTurns();
        else await wait(pace);
      }
    }
    if (ending === 'end') response.end();
    if (ending === 'reset') {
      for (let turn = 0; turn < 5; turn++) await twoTurns();
      socket.resetAndDestroy();
    }
  }
}

/** Some turns of the event loop, after which a reader in the same process has seen the bytes by themselves. */
async function twoTurns(): Promise<void> {
  await nextTurn();
  await nextTurn();
}
