import { Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Observer, Unsubscribable } from 'rxjs';
import { ConfigService } from '../../config/config.service.js';
import type { ByteText } from '../../wire/byte-text.js';
import { ApiError } from '../../common/api-error.js';
import { offSocketClose, onSocketClose, type SocketCloseListener } from '../server/socket-close.js';
import { ErrorEnvelopeFilter } from './error-envelope.filter.js';
import { toErrorEnvelope } from './error-envelope.js';
import { EventStream } from './event-stream.js';
import { type Exchange, exchangeOf } from '../requests/request-context.js';
import { OpenStreams } from './open-streams.js';
import { type EndsAtDeadline, Shutdown } from '../../common/shutdown.js';
import type { Source } from '../../common/source.js';
import { atTurnEnd, type HandsOver } from './response-batch.js';

/** What a stream emits: the JSON of one event, or of several with EVENT_BREAK between. Anything else is the one JSON answer. */
export type EventPayload = ByteText;

/** What the answers of one gateway share. */
interface Shared {
  readonly logger: Logger;
  readonly config: ConfigService;
  readonly streams: OpenStreams;
  readonly shutdown: Shutdown;
  readonly errors: ErrorEnvelopeFilter;
}

/**
 * Writes the answers of the two generation routes. Text values become an event stream, an object value the JSON answer; an error before the
 * first event is answered as the exception filter would, an error after it becomes the stream's last event. The source is unsubscribed as soon
 * as the client's socket closes (the socket's `close`: a pipelined response never sees its own) or the drain's deadline passes.
 *
 * Not an interceptor: Nest's way from a handler to its answer costs more promises than everything else in a request.
 */
@Injectable()
export class AnswerWriter {
  readonly #shared: Shared;

  constructor(config: ConfigService, streams: OpenStreams, shutdown: Shutdown, errors: ErrorEnvelopeFilter) {
    this.#shared = { logger: new Logger('Errors'), config, streams, shutdown, errors };
  }

  write(request: FastifyRequest, reply: FastifyReply, values: Source<EventPayload | object>): void {
    new Answer(this.#shared, request, reply).take(values);
  }
}

/** One answer under way. */
class Answer implements Observer<EventPayload | object>, EndsAtDeadline, SocketCloseListener, HandsOver {
  place = -1;
  readonly #exchange: Exchange;
  #source: Unsubscribable | undefined;
  #left = false;
  #stream: EventStream | undefined;
  /** Of a whole answer, whose head is written. */
  #body: string | undefined;

  constructor(
    private readonly shared: Shared,
    private readonly request: FastifyRequest,
    private readonly reply: FastifyReply,
  ) {
    this.#exchange = exchangeOf(request);
    // Before the handler returns: Nest would have Fastify listen to the response for its end, and wait for it.
    reply.hijack();
    shared.shutdown.open.add(this);
    onSocketClose(request.raw.socket, this);
  }

  take(values: Source<EventPayload | object>): void {
    this.#source = values.subscribe(this);
    if (this.#left) this.#source.unsubscribe();
    if (this.request.raw.socket.destroyed) this.socketClosed();
  }

  socketClosed(): void {
    this.#offSocketClose();
    this.#release();
  }

  reachDeadline(): void {
    this.#offSocketClose();
    this.#fail(new ApiError('service_unavailable', 'The service is shutting down. Please retry.'));
  }

  next(value: EventPayload | object): void {
    if (this.#left) return;
    try {
      if (typeof value === 'string') (this.#stream ??= this.#open()).event(value);
      else this.#whole(value);
    } catch (error) {
      this.#offSocketClose();
      this.#fail(error);
    }
  }

  handOver(): void {
    this.reply.raw.end(this.#body);
  }

  error(error: unknown): void {
    if (!this.#left) this.#fail(error);
  }

  complete(): void {
    if (this.#left) return;
    this.#release();
    this.#stream?.done();
  }

  #offSocketClose(): void {
    this.#left = true;
    this.#source?.unsubscribe();
  }

  #fail(error: unknown): void {
    this.#release();
    const { request, reply } = this;
    if (!this.#stream) return this.shared.errors.answer(error, request, reply);
    const envelope = toErrorEnvelope(error);
    if (envelope.status === 500) this.shared.logger.error({ id: request.id, err: error });
    request.errorCode = envelope.body.error.code;
    this.#stream.fail(envelope.body);
  }

  #release(): void {
    offSocketClose(this.request.raw.socket, this);
    this.shared.shutdown.open.delete(this);
    if (this.#stream) this.shared.streams.delete(this.#stream);
    // Whoever waits for a client that has gone must wake up to end.
    this.#exchange.flow.resume();
  }

  #whole(value: object): void {
    const body = JSON.stringify(value);
    this.reply.raw.writeHead(200, {
      ...this.#exchange.responseHeaders,
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    });
    this.#body = body;
    atTurnEnd(this);
  }

  #open(): EventStream {
    const { heartbeat, stall_timeout: stallTimeout, max_buffered: maxBuffered } = this.shared.config.current.server;
    const { flow, responseHeaders } = this.#exchange;
    const stream = new EventStream(this.reply.raw, flow, { heartbeat, stallTimeout, maxBuffered }, responseHeaders);
    this.shared.streams.add(stream);
    return stream;
  }
}
