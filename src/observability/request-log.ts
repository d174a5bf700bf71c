import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../common/time/clock.js';
import { type EndedRequest, OpenRequests } from '../http/server/open-requests.js';
import { LOG, type Log, writeLine } from './log.js';
import { RefusalSample } from './refusal-sample.js';
import { RefusedLines } from './refused-lines.js';
import { requestedModel } from './requested-model.js';

const MAX_MODEL_LENGTH = 128;

/**
 * Logs one line for each request after its last byte: who asked for what, how it ended and how long it took, but never
 * any text of it. Of requests without a valid key it logs a sample, and of those of a key that were refused.
 */
@Injectable()
export class RequestLog {
  constructor(@Inject(LOG) log: Log, openRequests: OpenRequests, sample: RefusalSample, clock: Clock) {
    if (!log.isLevelEnabled('info')) return;
    const checks = log.isLevelEnabled('debug');
    const refusals = new RefusedLines(clock);
    openRequests.onEnd((ended) => {
      const level = levelOf(ended);
      if (!(level === 'debug' ? checks : sample.keeps(ended.request))) return;
      const { principal, administrator } = ended.request;
      const id = principal?.keyId ?? administrator?.id;
      const leftOut = id === undefined ? 0 : refusals.take(id, isRefused(ended));
      if (leftOut !== undefined) writeLine(level, fieldsOf(ended, leftOut));
    });
  }
}

/** Health checks come every few seconds and say nothing as long as they succeed. */
function levelOf({ request, reply }: EndedRequest): 'debug' | 'info' | 'warn' {
  const { statusCode } = reply.raw;
  if (statusCode >= 500) return 'warn';
  return statusCode === 200 && request.url.startsWith('/health/') ? 'debug' : 'info';
}

function isRefused({ reply }: EndedRequest): boolean {
  const { statusCode } = reply.raw;
  return statusCode >= 400 && statusCode < 500;
}

/**
 * The fields of the line as JSON members. Only values that the gateway or Node chooses are put between quotes as they
 * are: none of them needs an escape.
 * @param leftOut lines of the same key that were left out since its last one
 */
export function fieldsOf({ request, reply, ms, answered }: EndedRequest, leftOut = 0): string {
  const { answeredError, principal, administrator } = request;
  const { url } = request.routeOptions;
  const model = requestedModel(request, MAX_MODEL_LENGTH);
  return (
    `"id":"${request.id}","method":"${request.method}"` +
    (url === undefined ? '' : `,"route":${JSON.stringify(url)}`) +
    `,"status":${reply.raw.statusCode}` +
    (answeredError === undefined ? '' : `,"code":"${answeredError.code}"`) +
    `,"answered":${answered},"ms":${Math.round(ms * 10) / 10}` +
    (principal === undefined ? '' : `,"key":"${principal.keyId}"`) +
    (administrator === undefined ? '' : `,"${administrator.kind}":${JSON.stringify(administrator.id)}`) +
    (model === undefined ? '' : `,"model":${JSON.stringify(model)}`) +
    (leftOut === 0 ? '' : `,"left_out":${leftOut}`) +
    ',"msg":"request"'
  );
}
