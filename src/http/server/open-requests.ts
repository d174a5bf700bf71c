import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiError } from '../../common/api-error.js';
import { Clock, systemClock } from '../../common/time/clock.js';
import { type Indexed, IndexedSet } from '../../common/collections/indexed-set.js';
import { releaseBody } from './collect-body.js';
import { offSocketClose, onSocketClose, type SocketCloseListener } from './socket-close.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Why a request is not to be answered that had been accepted. */
    refusal?: ApiError;
    /** Writes the response, while it is being made. */
    response?: { error(error: unknown): void; left(): void };
  }
}

export interface EndedRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Milliseconds from the head of the request to the last byte of the response. */
  readonly ms: number;
  /** False where the connection closed before the response was complete. */
  readonly answered: boolean;
}

/** An answer that is complete, and waits in memory until its client reads it. */
export interface Unread {
  readonly request: FastifyRequest;
  readonly bytes: number;
}

class OpenRequest implements Indexed, SocketCloseListener {
  index = -1;
  readonly #start: number;

  constructor(
    readonly request: FastifyRequest,
    readonly reply: FastifyReply,
    private readonly clock: Clock,
    private readonly end: (ended: OpenRequest) => void,
  ) {
    this.#start = clock.monotonic();
  }

  get ended(): EndedRequest {
    const { request, reply } = this;
    return { request, reply, ms: this.clock.monotonic() - this.#start, answered: reply.raw.writableFinished };
  }

  closed(): void {
    this.end(this);
  }
}

const REQUEST = Symbol('the open request of this response');

type Response = ServerResponse & { [REQUEST]?: OpenRequest };

function onClose(this: Response): void {
  this[REQUEST]!.closed();
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

  constructor(private readonly clock: Clock = systemClock) {}

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
    const open = new OpenRequest(request, reply, this.clock, this.#end);
    const response: Response = reply.raw;
    response[REQUEST] = open;
    response.on('close', onClose);
    onSocketClose(request.raw.socket, open);
    this.#open.add(open);
    this.#entered++;
  }

  /**
   * Ends requests that were accepted: at once where the response is being made, otherwise when its making would begin.
   * @param why tells the error for a request that is to end
   */
  refuse(why: (request: FastifyRequest) => ApiError | undefined): void {
    for (const { request } of this.#open) {
      const refusal = why(request);
      if (!refusal) continue;
      request.refusal = refusal;
      request.response?.error(refusal);
    }
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

  /** Answers that are complete here, and not yet at their clients. */
  unread(): Unread[] {
    return Array.from(this.#open, ({ request, reply: { raw } }) => ({
      request,
      bytes: raw.writableEnded && !request.raw.socket.destroyed ? raw.writableLength : 0,
    })).filter(({ bytes }) => bytes > 0);
  }

  readonly #end = (open: OpenRequest): void => {
    // The response and the connection may both report the same end.
    if (!this.#open.delete(open)) return;
    offSocketClose(open.request.raw.socket, open);
    open.request.response?.left();
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
    ended.request.requestContext?.answerClaim?.release();
    releaseBody(ended.request);
  };
}
