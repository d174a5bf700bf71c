import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Observable, Observer, Subscriber, TeardownLogic, Unsubscribable } from 'rxjs';
import { ApiError } from '../../common/api-error.js';
import type { EndsAtDeadline, Shutdown } from '../../common/shutdown.js';
import type { Config } from '../../config/config.schema.js';
import { type RequestContext, requestContextOf } from '../requests/request-context.js';
import { responseHeaders } from './response-headers.js';
import { EventRun, type StreamEvent } from '../../wire/stream-event.js';
import { EventStream } from './event-stream.js';
import type { OpenStreams } from './open-streams.js';
import type { PendingResponse, ResponseBatch } from './response-batch.js';

/** What an answer is written to, and what the answers of one gateway share. */
export interface ResponseTarget {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly limits: Config['server'];
  readonly streams: OpenStreams;
  readonly batch: ResponseBatch;
  readonly shutdown: Shutdown;
}

/** One answer of a generation route under way. */
export class ResponseWriter implements Observer<StreamEvent | object>, EndsAtDeadline, PendingResponse {
  index = -1;
  readonly #context: RequestContext;
  #source: Unsubscribable | undefined;
  #ended = false;
  #stream: EventStream | undefined;
  /** The body of a whole answer whose head has been written. */
  #body: string | undefined;

  /** @param written completes when the answer has been written, and fails with what it could not be answered for */
  constructor(
    private readonly target: ResponseTarget,
    private readonly written: Subscriber<void>,
  ) {
    this.#context = requestContextOf(target.request);
    // Before the handler returns: otherwise Fastify listens to the response for its end, and waits for it.
    target.reply.hijack();
    target.shutdown.open.add(this);
  }

  /** @returns ends the answer, for a client that has left */
  write(values: Observable<StreamEvent | object>): TeardownLogic {
    this.#source = values.subscribe(this);
    if (this.#ended) this.#source.unsubscribe();
    return () => this.#end();
  }

  next(value: StreamEvent | object): void {
    if (this.#ended) return;
    try {
      if (typeof value === 'string') (this.#stream ??= this.#open()).event(value);
      else if (value instanceof EventRun) (this.#stream ??= this.#open()).events(value);
      else this.#whole(value);
    } catch (error) {
      this.error(error);
    }
  }

  error(error: unknown): void {
    if (this.#ended) return;
    this.#end();
    this.written.error(error);
  }

  complete(): void {
    if (this.#ended) return;
    this.#stream?.done();
    this.#end();
    this.written.next();
    this.written.complete();
  }

  reachDeadline(): void {
    this.error(new ApiError('service_unavailable', 'The service is shutting down. Please retry.'));
  }

  send(): void {
    this.target.reply.raw.end(this.#body);
  }

  fail(): void {
    this.target.reply.raw.destroy();
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#source?.unsubscribe();
    this.target.shutdown.open.delete(this);
    if (this.#stream) this.target.streams.delete(this.#stream);
    // A generation that waits for a client that has gone must wake up to end.
    this.#context.flow.resume();
  }

  #whole(value: object): void {
    const body = JSON.stringify(value);
    this.target.reply.raw.writeHead(200, {
      ...responseHeaders(this.#context),
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    });
    this.#body = body;
    this.target.batch.add(this);
  }

  #open(): EventStream {
    const { request, reply, limits, streams } = this.target;
    const { heartbeat, stall_timeout: stallTimeout, max_buffered: maxBuffered } = limits;
    const { flow } = this.#context;
    const stream = new EventStream(reply.raw, flow, { heartbeat, stallTimeout, maxBuffered }, responseHeaders(this.#context));
    request.eventStream = stream;
    streams.add(stream);
    return stream;
  }
}
