const headers = {
  'x-request-id': { description: 'The id of the request, for questions about it.', schema: { type: 'string' } },
  'x-switchyard-served-by': { description: 'The provider and its name for the model that answered.', schema: { type: 'string' } },
  'x-switchyard-cost': { description: 'What the request has cost, in credits. Not on a stream.', schema: { type: 'string' } },
  'x-switchyard-dropped-parameters': { description: 'Parameters that the provider could not take.', schema: { type: 'string' } },
  'idempotent-replayed': { description: '`true` where the answer is that of an earlier request.', schema: { type: 'string' } },
  'retry-after': { description: 'Seconds after which the request may be sent again.', schema: { type: 'integer', minimum: 0 } },
  'x-should-retry': { description: '`false` where the same request would fail again.', schema: { type: 'string' } },
  etag: { description: 'Names this version. Send it as If-None-Match.', schema: { type: 'string' } },
} as const;

export type HeaderName = keyof typeof headers;

export const generationHeaders: readonly HeaderName[] = [
  'x-switchyard-served-by',
  'x-switchyard-cost',
  'x-switchyard-dropped-parameters',
  'idempotent-replayed',
];

/** All headers, as components of the document. */
export const headerComponents: Readonly<Record<string, object>> = headers;

export function answerHeaders(names: readonly HeaderName[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
