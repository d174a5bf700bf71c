import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { releaseBody } from './collect-body.js';
import { offSocketClose, onSocketClose, type SocketCloseListener } from './socket-close.js';
import { type Indexed, IndexedSet } from '../../common/indexed-set.js';

export interface EndedRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Milliseconds from the head of the request to the last byte of the answer. */
  readonly ms: number;
  /** False where the connection closed before the answer was whole. */
  readonly answered: boolean;
}

class OpenRequest implements Indexed, SocketCloseListener {
  index = -1;
  readonly #start = performance.now();

  constructor(
    readonly request: FastifyRequest,
    readonly reply: FastifyReply,
    private readonly end: (ended: OpenRequest) => void,
  ) {}

  get ended(): EndedRequest {
    const { request, reply } = this;
    return { request, reply, ms: performance.now() - this.#start, answered: reply.raw.writableFinished };
  }

  responseClosed(): void {
    this.end(this);
  }

  socketClosed(): void {
    this.end(this);
  }
}

const OPEN = Symbol('whose response this is');

type Response = ServerResponse & { [OPEN]?: OpenRequest };

function onClose(this: Response): void {
  this[OPEN]!.responseClosed();
}

/**
 * Every request from its head to the end of its answer, whichever way it ends: neither Fastify's onResponse (client left) nor the response's
 * own `close` (pipelined behind another one) tells of all of them.
 */
@Injectable()
export class OpenRequests {
  readonly #open = new IndexedSet<OpenRequest>();
  readonly #listeners: ((ended: EndedRequest) => void)[] = [];
  #entered = 0;

  get size(): number {
    return this.#open.size;
  }

  /** Requests since the start. */
  get entered(): number {
    return this.#entered;
  }

  onEnd(listener: (ended: EndedRequest) => void): void {
    this.#listeners.push(listener);
  }

  enter(request: FastifyRequest, reply: FastifyReply): void {
    const open = new OpenRequest(request, reply, this.#end);
    const response: Response = reply.raw;
    response[OPEN] = open;
    response.on('close', onClose);
    onSocketClose(request.raw.socket, open);
    this.#open.add(open);
    this.#entered++;
  }

  /** Tells the clients of answers that have not begun to open a new connection for their next request. */
  closeConnections(): void {
    for (const {
      reply: { raw },
    } of this.#open)
      if (!raw.headersSent) raw.setHeader('connection', 'close');
  }

  sockets(): Set<Socket> {
    return new Set(Array.from(this.#open, ({ request }) => request.raw.socket));
  }

  readonly #end = (open: OpenRequest): void => {
    // Response and connection may tell of the same end.
    if (!this.#open.delete(open)) return;
    offSocketClose(open.request.raw.socket, open);
    // Whoever settles what a leaving client has left behind hears of it in this same tick, and is to be heard first.
    process.nextTick(this.#tell, open.ended);
  };

  readonly #tell = (ended: EndedRequest): void => {
    for (const listener of this.#listeners) listener(ended);
    releaseBody(ended.request);
  };
}
