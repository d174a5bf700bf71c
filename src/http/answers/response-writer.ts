import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Observable, Observer, Subscriber, TeardownLogic, Unsubscribable } from 'rxjs';
import { ApiError } from '../../common/api-error.js';
import type { EndsAtDeadline, Shutdown } from '../../common/shutdown.js';
import type { ConfigService } from '../../config/config.service.js';
import { EventRun, type StreamEvent } from '../../wire/stream-event.js';
import { type RequestContext, requestContextOf } from '../requests/request-context.js';
import { EventStream } from './event-stream.js';
import type { OpenStreams } from './open-streams.js';
import type { PendingResponse, ResponseBatch } from './response-batch.js';
import { responseHeaders } from './response-headers.js';

/** What all responses of the process share. */
export interface ResponseSurroundings {
  readonly config: ConfigService;
  readonly streams: OpenStreams;
  readonly batch: ResponseBatch;
  readonly shutdown: Shutdown;
}

/** Writes one response: a JSON body, or an event stream from the first event on. */
export class ResponseWriter implements Observer<StreamEvent | object>, EndsAtDeadline, PendingResponse {
  index = -1;
  readonly #context: RequestContext;
  #subscription: Unsubscribable | undefined;
  #ended = false;
  #stream: EventStream | undefined;
  /** The JSON body, once the head has been written. */
  #body: string | undefined;

  /** @param written completes when the response has been written, and fails with the error that prevented it */
  constructor(
    private readonly surroundings: ResponseSurroundings,
    private readonly request: FastifyRequest,
    private readonly reply: FastifyReply,
    private readonly written: Subscriber<void>,
  ) {
    this.#context = requestContextOf(request);
    // It must happen before the handler returns: otherwise Fastify listens for the end of the response and waits for
    // it.
    reply.hijack();
    surroundings.shutdown.open.add(this);
  }

  /** @returns a function that stops writing, to be called when the client has left */
  write(values: Observable<StreamEvent | object>): TeardownLogic {
    this.#subscription = values.subscribe(this);
    if (this.#ended) this.#subscription.unsubscribe();
    return () => this.#end();
  }

  next(value: StreamEvent | object): void {
    if (this.#ended) return;
    try {
      if (typeof value === 'string') (this.#stream ??= this.#open()).event(value);
      else if (value instanceof EventRun) (this.#stream ??= this.#open()).events(value);
      else this.#respond(value);
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
    if (!this.#stream && this.#body === undefined) return this.error(new Error('The handler has completed without a response.'));
    this.#stream?.done();
    this.#end();
    this.written.next();
    this.written.complete();
  }

  reachDeadline(): void {
    this.error(new ApiError('service_unavailable', 'The service is shutting down. Please retry.'));
  }

  send(): void {
    this.reply.raw.end(this.#body);
  }

  fail(): void {
    this.reply.raw.destroy();
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#subscription?.unsubscribe();
    this.surroundings.shutdown.open.delete(this);
    if (this.#stream) this.surroundings.streams.delete(this.#stream);
    // A generation that waits for the client to catch up must continue in order to end.
    this.#context.flow.resume();
  }

  #respond(value: object): void {
    const body = JSON.stringify(value);
    this.reply.raw.writeHead(this.reply.statusCode, {
      ...this.#headers(),
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    });
    this.#body = body;
    this.surroundings.batch.add(this);
  }

  /** The headers that guards, interceptors and decorators have set on the reply, with those of the generation. */
  #headers(): OutgoingHttpHeaders {
    return Object.assign(this.reply.getHeaders() as OutgoingHttpHeaders, responseHeaders(this.#context));
  }

  #open(): EventStream {
    const { heartbeat, stall_timeout: stallTimeout, max_buffered: maxBuffered } = this.surroundings.config.current.server;
    const limits = { heartbeat, stallTimeout, maxBuffered };
    const stream = new EventStream(this.reply.raw, this.#context.flow, limits, this.#headers());
    this.request.eventStream = stream;
    this.surroundings.streams.add(stream);
    return stream;
  }
}
