import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Observable } from 'rxjs';
import { Shutdown } from '../../common/shutdown.js';
import { ConfigService } from '../../config/config.service.js';
import type { StreamEvent } from '../../wire/stream-event.js';
import { OpenStreams } from './open-streams.js';
import { ResponseBatch } from './response-batch.js';
import { type ResponseSurroundings, ResponseWriter } from './response-writer.js';

/**
 * Answers with what the Observable of a handler emits: events are written as a `text/event-stream` as they come, any
 * other value is the whole JSON body. Errors are passed on to the interceptor of the error envelope. When the client's
 * connection closes, Nest unsubscribes, and this interceptor from the handler's Observable.
 */
@Injectable()
export class AnswerInterceptor implements NestInterceptor<StreamEvent | object, void>, ResponseSurroundings {
  constructor(
    readonly config: ConfigService,
    readonly streams: OpenStreams,
    readonly batch: ResponseBatch,
    readonly shutdown: Shutdown,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler<StreamEvent | object>): Observable<void> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    return new Observable((written) => new ResponseWriter(this, request, reply, written).write(next.handle()));
  }
}
