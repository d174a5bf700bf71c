import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OpenSet, type Placed } from './open-set.js';

export interface EndedRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Milliseconds from the head of the request to the last byte of the answer. */
  readonly ms: number;
  /** False where the connection closed before the answer was whole. */
  readonly answered: boolean;
}

interface OpenRequest extends Placed {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/**
 * Every request from its head to the end of its answer, whichever way it ends: neither Fastify's onResponse (client left) nor the response's
 * own `close` (pipelined behind another one) tells of all of them.
 */
@Injectable()
export class OpenRequests {
  readonly #open = new OpenSet<OpenRequest>();
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
    const { raw } = reply;
    const { socket } = request.raw;
    const start = performance.now();
    const open = { request, reply, place: -1 };
    const end = (): void => {
      // Both may tell of the same end.
      if (!this.#open.delete(open)) return;
      raw.off('close', end);
      socket.off('close', end);
      const ended = { request, reply, ms: performance.now() - start, answered: raw.writableFinished };
      // Whoever settles what a leaving client has left behind hears of it in this same tick, and is to be heard first.
      process.nextTick(() => {
        for (const listener of this.#listeners) listener(ended);
      });
    };
    raw.on('close', end);
    socket.on('close', end);
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
}
