import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { Subscription } from 'rxjs';
import type { ByteClaim } from '../../common/limits/byte-budget.js';
import type { Clock } from '../../common/time/clock.js';
import type { GenerationRecord } from '../../common/requests/generation-record.js';
import type { RateLimits } from '../../common/limits/rate-limits.js';
import { Backpressure } from './backpressure.js';
import type { StreamFormat } from './stream-format.js';

/** Is called when it is known that the answer of a request is streamed. */
export interface StreamObserver {
  streamed(): void;
}

/** What the services below the controllers know of one HTTP request. */
export class RequestContext {
  /** Paused while the client does not keep up with the response. */
  readonly flow: Backpressure;

  /** What is done to answer it. It ends when the response has ended, however that ends. */
  readonly work = new Subscription();

  /** What the generation records. The response's headers, logs, metrics and the request history are made from it. */
  record: GenerationRecord | undefined;

  /** What was left out of the body before anything was planned, as the response's headers name it. */
  leftOut: ReadonlySet<string> | undefined;

  streamObserver: StreamObserver | undefined;

  #streamFormat: StreamFormat | undefined;

  /** A further response header with the id of the request, where the format of the operation has one. */
  idHeader: string | undefined;

  /** How far the limits are used that the request was counted against; undefined where there are none. */
  rateLimits: RateLimits | undefined;

  /** What its answer takes of a budget, until the client has it, or has left. */
  answerClaim: ByteClaim | undefined;

  constructor(
    /** A UUIDv7 made by the gateway. */
    readonly requestId: string,
    readonly headers: IncomingHttpHeaders = {},
    /** The parsed body before any validation. */
    readonly body?: unknown,
    /** The id of the account that asks; undefined on public routes. */
    readonly account?: string,
    clock?: Clock,
  ) {
    this.flow = new Backpressure(clock);
  }

  /** How the events of its answer are written; undefined where it is not streamed. */
  get streamFormat(): StreamFormat | undefined {
    return this.#streamFormat;
  }

  set streamFormat(format: StreamFormat) {
    this.#streamFormat = format;
    this.streamObserver?.streamed();
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Absent: the system's. */
    clock?: Clock;
  }
  interface FastifyRequest {
    requestContext?: RequestContext;
  }
}

export function requestContextOf(request: FastifyRequest): RequestContext {
  return (request.requestContext ??= new RequestContext(request.id, request.headers, request.body, request.account, request.server.clock));
}
