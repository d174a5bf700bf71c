import type { JsonSchema } from './json-schema.js';

interface Header {
  readonly description: string;
  readonly schema: JsonSchema;
}

const limited = (kind: 'requests' | 'tokens', leftMeans: string) => ({
  [`x-ratelimit-limit-${kind}`]: {
    description: `The limit of ${kind} per minute, where there is one.`,
    schema: { type: 'integer', minimum: 1 },
  },
  [`x-ratelimit-remaining-${kind}`]: { description: leftMeans, schema: { type: 'integer', minimum: 0 } },
  [`x-ratelimit-reset-${kind}`]: {
    description: `After how long all ${kind} are there again: \`12ms\`, \`1.5s\`, \`6m0s\`.`,
    schema: { type: 'string', pattern: '^([0-9]+h)?([0-9]+m)?[0-9]+([.][0-9]+)?m?s$' },
  },
});

const rateLimits: Readonly<Record<string, Header>> = {
  ...limited('requests', 'How many requests may come at once now.'),
  ...limited('tokens', 'How many tokens the next request may need.'),
};

/** All headers, as components of the document. */
export const headerComponents: Readonly<Record<string, Header>> = {
  'x-request-id': { description: 'The id of the request, for questions about it.', schema: { type: 'string', format: 'uuid' } },
  'request-id': { description: 'The same, where clients of Anthropic read it.', schema: { type: 'string', format: 'uuid' } },
  'x-switchyard-served-by': {
    description: 'The provider and its name for the model that answered. A comment on a stream that begins before its answer.',
    schema: { type: 'string', pattern: '/' },
  },
  'x-switchyard-cost': {
    description: 'What the request has cost, in credits. Not on a stream.',
    schema: { type: 'string', pattern: '^[0-9]+([.][0-9]+)?$' },
  },
  'x-switchyard-dropped-parameters': {
    description:
      'Parameters that the provider could not take, and what was left out of what a client carries back. A comment on a stream that begins before its answer.',
    schema: { type: 'string', minLength: 1 },
  },
  'idempotent-replayed': { description: 'The answer is that of an earlier request.', schema: { type: 'string', const: 'true' } },
  ...rateLimits,
  'retry-after': { description: 'Seconds after which the request may be sent again.', schema: { type: 'integer', minimum: 1 } },
  'x-should-retry': {
    description: '`false` where the same request would fail again.',
    schema: { type: 'string', enum: ['true', 'false'] },
  },
  'x-switchyard-rows': { description: 'How many requests the file has.', schema: { type: 'integer', minimum: 0 } },
  'content-disposition': { description: 'The name of the file.', schema: { type: 'string' } },
  etag: { description: 'Names this version.', schema: { type: 'string', pattern: '^"[^"]+"$' } },
  location: { description: 'Where the browser is sent.', schema: { type: 'string' } },
  'set-cookie': { description: 'The cookie of the session.', schema: { type: 'string' } },
  'cache-control': { description: 'Whether the answer may be kept.', schema: { type: 'string' } },
  'x-accel-buffering': { description: 'On a stream: proxies are to hand on each event at once.', schema: { type: 'string', const: 'no' } },
};

export const rateLimitHeaders: readonly string[] = Object.keys(rateLimits);

export function answerHeaders(names: readonly string[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
