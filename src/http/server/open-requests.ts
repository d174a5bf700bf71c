import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Indexed, IndexedSet } from '../../common/indexed-set.js';
import { releaseBody } from './collect-body.js';
import { offSocketClose, onSocketClose, type SocketCloseListener } from './socket-close.js';

export interface EndedRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Milliseconds from the head of the request to the last byte of the response. */
  readonly ms: number;
  /** False where the connection closed before the response was complete. */
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

const REQUEST = Symbol('the open request of this response');

type Response = ServerResponse & { [REQUEST]?: OpenRequest };

function onClose(this: Response): void {
  this[REQUEST]!.responseClosed();
}

/**
 * The open requests, each from its head to the end of its response, however it ends. Neither Fastify's onResponse nor
 * the response's `close` is called for every end: the first not when the client leaves, the second not for a request
 * that is pipelined behind another one.
 */
@Injectable()
export class OpenRequests {
  readonly #logger = new Logger('Errors');
  readonly #open = new IndexedSet<OpenRequest>();
  readonly #listeners: ((ended: EndedRequest) => void)[] = [];
  #entered = 0;

  get size(): number {
    return this.#open.size;
  }

  /** Number of requests since the start of the process. */
  get entered(): number {
    return this.#entered;
  }

  onEnd(listener: (ended: EndedRequest) => void): void {
    this.#listeners.push(listener);
  }

  enter(request: FastifyRequest, reply: FastifyReply): void {
    const open = new OpenRequest(request, reply, this.#end);
    const response: Response = reply.raw;
    response[REQUEST] = open;
    response.on('close', onClose);
    onSocketClose(request.raw.socket, open);
    this.#open.add(open);
    this.#entered++;
  }

  /** Asks the clients whose responses have not begun to open a new connection for their next request. */
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
    // The response and the connection may both report the same end.
    if (!this.#open.delete(open)) return;
    offSocketClose(open.request.raw.socket, open);
    // The generation of a client that has left is settled in this same tick. The listeners must run after that.
    process.nextTick(this.#notify, open.ended);
  };

  readonly #notify = (ended: EndedRequest): void => {
    for (const listener of this.#listeners) {
      try {
        listener(ended);
      } catch (error) {
        this.#logger.error({ id: ended.request.id, err: error });
      }
    }
    releaseBody(ended.request);
  };
}
