import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type EndedRequest, OpenRequests } from '../common/open-requests.js';
import { LOG, type Log } from './log.js';

const MAX_MODEL_LENGTH = 128;

/** One line a request, after its last byte: who, what, how it ended and how long it took; never a word of what was said. */
@Injectable()
export class RequestLog {
  constructor(
    @Inject(LOG) private readonly log: Log,
    openRequests: OpenRequests,
  ) {
    if (this.log.isLevelEnabled('info')) openRequests.onEnd((ended) => this.#write(ended));
  }

  #write({ request, reply, ms, answered }: EndedRequest): void {
    const fields = {
      id: request.id,
      method: request.method,
      route: request.routeOptions.url,
      status: reply.raw.statusCode,
      code: request.errorCode,
      answered,
      ms: Math.round(ms * 10) / 10,
      key: request.principal?.keyId,
      model: modelOf(request),
    };
    if (fields.status >= 500) this.log.warn(fields, 'request');
    else this.log.info(fields, 'request');
  }
}

function modelOf({ body }: FastifyRequest): string | undefined {
  const model = (body as { model?: unknown } | null | undefined)?.model;
  return typeof model === 'string' ? model.slice(0, MAX_MODEL_LENGTH) : undefined;
}
