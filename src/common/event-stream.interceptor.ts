import { type CallHandler, type ExecutionContext, Injectable, Logger, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Observable, type Observer, type Subscriber, Subscription } from 'rxjs';
import { ConfigService } from '../config/config.service.js';
import { ApiError } from './api-error.js';
import { toErrorEnvelope } from './error-envelope.js';
import { EventStream } from './event-stream.js';
import { type Exchange, exchangeOf } from './exchange.js';
import { OpenStreams } from './open-streams.js';
import { Shutdown } from './shutdown.js';

/** What a streaming handler emits: the JSON text of one event, or of several with EVENT_BREAK between. Anything else is the one JSON answer. */
export type EventPayload = string;

/**
 * The interceptor of the two generation routes. Text values become an event stream, an object value the JSON answer; an error before the
 * first event is left to the exception filter, an error after it becomes the stream's last event. The handler is unsubscribed as soon as
 * the client's socket closes (the socket's `close`: a pipelined response never sees its own) or the drain's deadline passes.
 */
@Injectable()
export class EventStreamInterceptor implements NestInterceptor<EventPayload | object, object | undefined> {
  readonly #logger = new Logger('Errors');

  constructor(
    private readonly config: ConfigService,
    private readonly streams: OpenStreams,
    private readonly shutdown: Shutdown,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler<EventPayload | object>): Observable<object | undefined> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    return new Observable<object | undefined>((subscriber) => this.#answer(request, reply, next.handle(), subscriber));
  }

  #answer(
    request: FastifyRequest,
    reply: FastifyReply,
    values: Observable<EventPayload | object>,
    subscriber: Subscriber<object | undefined>,
  ): () => void {
    const exchange = exchangeOf(request);
    const socket = request.raw.socket;
    let stream: EventStream | undefined;

    // Nest waits for a value; after a stream the adapter ignores it, because the reply was hijacked.
    const finish = (): void => {
      if (reply.sent) subscriber.next(undefined);
      subscriber.complete();
    };
    const onClose = (): void => {
      source.unsubscribe();
      release();
      if (!reply.sent) reply.hijack();
      finish();
    };
    const onDeadline = (): void => {
      source.unsubscribe();
      onError(new ApiError('service_unavailable', 'The service is shutting down. Please retry.'));
    };
    const release = (): void => {
      socket.off('close', onClose);
      stopWatching();
      if (stream) this.streams.delete(stream);
      // Whoever waits for a client that has gone must wake up to end.
      exchange.flow.resume();
    };
    const onError = (error: unknown): void => {
      release();
      if (!stream) return subscriber.error(error);
      const envelope = toErrorEnvelope(error);
      if (envelope.status === 500) this.#logger.error({ id: request.id, err: error });
      request.errorCode = envelope.body.error.code;
      stream.fail(envelope.body);
      finish();
    };

    const stopWatching = this.shutdown.onDeadline(onDeadline);
    socket.on('close', onClose);
    const source = new Subscription();
    const observer: Observer<EventPayload | object> = {
      next: (value) => {
        if (typeof value !== 'string') {
          reply.headers(exchange.responseHeaders);
          return subscriber.next(value);
        }
        try {
          stream ??= this.#open(reply, exchange);
        } catch (error) {
          source.unsubscribe();
          onError(error);
          return;
        }
        stream.event(value);
      },
      error: onError,
      complete: () => {
        release();
        stream?.done();
        finish();
      },
    };
    source.add(values.subscribe(observer));
    if (socket.destroyed) onClose();
    return () => source.unsubscribe();
  }

  #open(reply: FastifyReply, exchange: Exchange): EventStream {
    const server = this.config.current.server;
    const headers = { ...(reply.getHeaders() as Record<string, string>), ...exchange.responseHeaders };
    const stream = new EventStream(
      reply.raw,
      exchange.flow,
      { heartbeat: server.heartbeat, stallTimeout: server.stall_timeout, maxBuffered: server.max_buffered },
      headers,
    );
    // After the head, which a header that cannot be sent would keep from going out: the filter still answers then.
    reply.hijack();
    this.streams.add(stream);
    return stream;
  }
}
