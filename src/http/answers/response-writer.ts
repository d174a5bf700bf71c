import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Observable, Observer, Unsubscribable } from 'rxjs';
import { ApiError } from '../../common/api-error.js';
import type { Timer } from '../../common/time/clock.js';
import type { EndsAtDeadline, Shutdown } from '../../common/shutdown.js';
import type { ConfigService } from '../../config/config.service.js';
import { EventRun, type StreamEvent } from '../../wire/stream-event.js';
import { WrittenJson } from '../../wire/written-json.js';
import { type RequestContext, requestContextOf, type StreamObserver } from '../requests/request-context.js';
import type { ErrorWriter } from './error-writer.js';
import { EventStream, type StreamOwner } from './event-stream.js';
import type { OpenStreams } from './open-streams.js';
import type { PendingResponse, ResponseBatch } from './response-batch.js';
import { addAnswerHeaders, addRequestHeaders } from './response-headers.js';

/** What all responses of the process share. */
export interface ResponseSurroundings {
  readonly config: ConfigService;
  readonly errors: ErrorWriter;
  readonly streams: OpenStreams;
  readonly batch: ResponseBatch;
  readonly shutdown: Shutdown;
}

/** Writes one response: a JSON body, or an event stream from its first event or heartbeat on. */
export class ResponseWriter implements Observer<StreamEvent | object>, EndsAtDeadline, PendingResponse, StreamOwner, StreamObserver {
  index = -1;
  readonly #context: RequestContext;
  #subscription: Unsubscribable | undefined;
  #ended = false;
  /** From the first event on. */
  #stream: EventStream | undefined;
  /** Runs until the first event of a stream. */
  #silence: Timer | undefined;
  /** The JSON body, once the head has been written. */
  #body: string | Buffer | undefined;

  constructor(
    private readonly surroundings: ResponseSurroundings,
    private readonly request: FastifyRequest,
    private readonly reply: FastifyReply,
  ) {
    this.#context = requestContextOf(request);
    // It must happen before the handler returns: otherwise Fastify listens for the end of the response and waits for
    // it.
    reply.hijack();
    surroundings.shutdown.open.add(this);
    request.response = this;
  }

  get account(): string | undefined {
    return this.#context.account;
  }

  write(values: Observable<StreamEvent | object>): void {
    if (this.request.refusal) return this.error(this.request.refusal);
    if (this.request.raw.socket.destroyed) return this.left();
    this.#context.streamObserver = this;
    this.#subscription = values.subscribe(this);
    if (this.#ended) this.#subscription.unsubscribe();
  }

  streamed(): void {
    const { early_heartbeat, heartbeat } = this.surroundings.config.current.server;
    if (this.#ended || this.#silence || !early_heartbeat) return;
    this.#silence = this.#context.flow.clock.setTimeout(() => this.#breakSilence(), heartbeat);
  }

  next(value: StreamEvent | object): void {
    if (this.#ended) return;
    try {
      if (typeof value === 'string') (this.#stream ??= this.#begin()).event(value);
      else if (value instanceof EventRun) (this.#stream ??= this.#begin()).events(value);
      else this.#respond(value);
    } catch (error) {
      this.error(error);
    }
  }

  error(error: unknown): void {
    if (this.#ended) return;
    this.#end();
    this.surroundings.errors.write(error, this.request, this.reply);
  }

  complete(): void {
    if (this.#ended) return;
    if (!this.#stream && this.#body === undefined) return this.error(new Error('The handler has completed without a response.'));
    this.#stream?.done();
    this.#end();
  }

  /** The client has left. */
  left(): void {
    this.#end();
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
    this.#context.work.unsubscribe();
    this.#subscription?.unsubscribe();
    this.surroundings.shutdown.open.delete(this);
    this.#context.flow.clock.clear(this.#silence);
    const { eventStream } = this.request;
    if (eventStream) this.surroundings.streams.delete(eventStream);
    // A generation that waits for the client to catch up must continue in order to end.
    this.#context.flow.resume();
  }

  #respond(value: object): void {
    const body = value instanceof WrittenJson ? value.bytes : JSON.stringify(value);
    const headers = this.#headers();
    addAnswerHeaders(headers, this.#context);
    headers['content-type'] = 'application/json; charset=utf-8';
    headers['content-length'] = Buffer.byteLength(body);
    this.reply.raw.writeHead(this.reply.statusCode, headers);
    this.#body = body;
    this.surroundings.batch.add(this);
  }

  /** The headers that guards, interceptors and decorators have set on the reply, with those of the request. */
  #headers(): OutgoingHttpHeaders {
    const headers = this.reply.getHeaders() as OutgoingHttpHeaders;
    addRequestHeaders(headers, this.#context);
    return headers;
  }

  /** The stream at its first event: where its head is out, what further headers would say is a comment. */
  #begin(): EventStream {
    this.#context.flow.clock.clear(this.#silence);
    const { eventStream } = this.request;
    const headers = eventStream ? {} : this.#headers();
    addAnswerHeaders(headers, this.#context);
    if (!eventStream) return this.#open(headers);
    eventStream.comment(headers);
    return eventStream;
  }

  /** Sends the head with a heartbeat: proxies cut a connection on which nothing comes. */
  #breakSilence(): void {
    try {
      this.#open(this.#headers()).heartbeat();
    } catch (error) {
      this.error(error);
    }
  }

  #open(headers: OutgoingHttpHeaders): EventStream {
    const { server } = this.surroundings.config.current;
    const stream = new EventStream(this.reply.raw, this.#context.flow, server, headers, this, this.#context.streamFormat);
    this.request.eventStream = stream;
    this.surroundings.streams.add(stream);
    return stream;
  }
}
