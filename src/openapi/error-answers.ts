import type { ApiResponseOptions } from '@nestjs/swagger';
import { type ErrorCode, errorCodes } from '../wire/error.js';
import { errorConditions } from '../wire/error-conditions.js';
import { answerHeaders, rateLimitHeaders } from './answer-headers.js';
import { refTo } from './json-schema.js';
import type { Security } from './security.js';

/** What the server itself can answer to any request, before a controller is asked. */
const always: readonly ErrorCode[] = [
  'invalid_request',
  'request_timeout',
  'request_too_large',
  'unsupported_media_type',
  'expectation_failed',
  'request_header_too_large',
  'internal_error',
  'service_unavailable',
];

const withKey: readonly ErrorCode[] = ['missing_api_key', 'invalid_api_key', 'expired_api_key', 'permission_denied', 'rate_limit_exceeded'];

/** What the check of whoever asks can answer. */
const ofSecurity: Readonly<Record<Security, readonly ErrorCode[]>> = {
  none: [],
  api_key: withKey,
  admin_token: [...withKey, 'invalid_session'],
  session: [...withKey, 'invalid_session'],
};

/** The headers that tell what to do about an error. */
const advice: Readonly<Record<number, readonly string[]>> = {
  402: ['retry-after', 'x-should-retry'],
  409: ['retry-after', 'x-should-retry'],
  429: ['retry-after'],
  503: ['retry-after'],
};

/** Statuses with which a request is refused before it is counted against limits and a provider is asked. */
const uncounted: ReadonlySet<number> = new Set([401, 408, 409, 415, 417, 431]);

interface Refusable {
  readonly security: Security;
  readonly parameters: boolean;
  readonly generates: boolean;
  /** Whether the errors have Anthropic's shape. */
  readonly anthropic: boolean;
}

/**
 * The error answers of an operation, one per status, with all codes that the status may come with.
 * @param thrown what the docstring of the handler says that it throws
 */
export function errorAnswers(thrown: readonly string[], { security, parameters, generates, anthropic }: Refusable): ApiResponseOptions[] {
  const told = thrown
    .flatMap((text) => text.match(/\b[a-z]+(?:_[a-z]+)*\b/g) ?? [])
    .filter((word) => Object.hasOwn(errorCodes, word)) as ErrorCode[];
  const codes = new Set<ErrorCode>([...told, ...always, ...ofSecurity[security], ...(parameters ? (['uri_too_long'] as const) : [])]);
  const byStatus = Map.groupBy(codes, (code) => errorCodes[code].status);
  return [...byStatus]
    .sort(([one], [other]) => one - other)
    .map(([status, ofStatus]) => {
      const counted = !uncounted.has(status);
      const ofLimits = counted && (generates || security === 'api_key') ? rateLimitHeaders : [];
      const ofProviders = counted && generates ? ['retry-after'] : [];
      const headers = [...(anthropic ? ['request-id'] : []), ...ofLimits, ...ofProviders, ...(advice[status] ?? [])];
      return answerOf(status, ofStatus.sort(), headers, anthropic ? anthropicError : ownError);
    });
}

function ownError(codes: readonly ErrorCode[]): object {
  const error = {
    type: 'object',
    properties: { code: { enum: codes }, type: { enum: [...new Set(codes.map((code) => errorCodes[code].type))] } },
  };
  return { allOf: [refTo('ErrorBody'), { type: 'object', properties: { error } }] };
}

function anthropicError(codes: readonly ErrorCode[]): object {
  const details = { type: 'object', properties: { error_code: { enum: codes } } };
  const error = { type: 'object', properties: { details } };
  return { allOf: [refTo('MessagesErrorBody'), { type: 'object', properties: { error } }] };
}

function answerOf(
  status: number,
  codes: readonly ErrorCode[],
  headers: readonly string[],
  schemaOf: (codes: readonly ErrorCode[]) => object,
): ApiResponseOptions {
  return {
    status,
    description: codes.map((code) => (codes.length === 1 ? errorConditions[code] : `- \`${code}\`: ${errorConditions[code]}`)).join('\n'),
    headers: answerHeaders(['x-request-id', ...headers]),
    content: { 'application/json': { schema: schemaOf(codes) } },
  };
}
