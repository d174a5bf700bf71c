import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type EndedRequest, OpenRequests } from '../http/server/open-requests.js';
import { LOG, type Log, writeLine } from './log.js';

const MAX_MODEL_LENGTH = 128;

/** One line a request, after its last byte: who, what, how it ended and how long it took; never a word of what was said. */
@Injectable()
export class RequestLog {
  constructor(@Inject(LOG) log: Log, openRequests: OpenRequests) {
    if (log.isLevelEnabled('info'))
      openRequests.onEnd((ended) => writeLine(ended.reply.raw.statusCode >= 500 ? 'warn' : 'info', fieldsOf(ended)));
  }
}

/** JSON members. What is put between quotes as it is are names of ours and Node's, in which nothing needs an escape. */
export function fieldsOf({ request, reply, ms, answered }: EndedRequest): string {
  const { errorCode, principal } = request;
  const { url } = request.routeOptions;
  const model = modelOf(request);
  return (
    `"id":"${request.id}","method":"${request.method}"` +
    (url === undefined ? '' : `,"route":${JSON.stringify(url)}`) +
    `,"status":${reply.raw.statusCode}` +
    (errorCode === undefined ? '' : `,"code":"${errorCode}"`) +
    `,"answered":${answered},"ms":${Math.round(ms * 10) / 10}` +
    (principal === undefined ? '' : `,"key":"${principal.keyId}"`) +
    (model === undefined ? '' : `,"model":${JSON.stringify(model)}`) +
    ',"msg":"request"'
  );
}

function modelOf({ body }: FastifyRequest): string | undefined {
  const model = (body as { model?: unknown } | null | undefined)?.model;
  return typeof model === 'string' ? model.slice(0, MAX_MODEL_LENGTH) : undefined;
}
