import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Observable, of } from 'rxjs';
import { Shutdown } from '../../common/shutdown.js';
import { ConfigService } from '../../config/config.service.js';
import type { StreamEvent } from '../../wire/stream-event.js';
import { ErrorWriter } from './error-writer.js';
import { OpenStreams } from './open-streams.js';
import { ResponseBatch } from './response-batch.js';
import { type ResponseSurroundings, ResponseWriter } from './response-writer.js';

/**
 * What Nest gets for the answer, which it does not wait for: it would keep 7 KiB of each open stream in memory
 * (measured). An Observable without a value would become an error with a stack.
 */
const answered = of(undefined);

/**
 * Answers with what a handler returns, or its Observable emits: events are written as a `text/event-stream` as they
 * come, any other value is the whole JSON body, and an error the error envelope, or within a stream its last event.
 * When the response has ended, or the client has left, the handler's Observable is unsubscribed and its work is ended.
 */
@Injectable()
export class AnswerInterceptor implements NestInterceptor<StreamEvent | object, undefined>, ResponseSurroundings {
  constructor(
    readonly config: ConfigService,
    readonly errors: ErrorWriter,
    readonly streams: OpenStreams,
    readonly batch: ResponseBatch,
    readonly shutdown: Shutdown,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler<StreamEvent | object>): Observable<undefined> {
    const [request, reply] = context.getArgs<[FastifyRequest, FastifyReply]>();
    new ResponseWriter(this, request, reply).write(next.handle());
    return answered;
  }
}
