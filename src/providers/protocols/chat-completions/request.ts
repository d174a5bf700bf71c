import type { GenerationRequest } from '../../../wire/generation.js';

/** What is asked of a vendor: the request itself with the vendor's model name, without what only we need. */
export function chatCompletionsRequest(request: GenerationRequest, upstreamModel: string): Record<string, unknown> {
  const body: Record<string, unknown> = { ...request.extra };
  for (const name in request) {
    const value: unknown = request[name as keyof GenerationRequest];
    if (value !== undefined && !ours.has(name)) body[name] = value;
  }
  body['model'] = upstreamModel;
  if (request.n > 1) body['n'] = request.n;
  if (request.operation === 'completion' && request.echo) body['echo'] = true;
  if (request.stream) {
    body['stream'] = true;
    body['stream_options'] = { include_usage: true };
  }
  return body;
}

/** Fields of a request that a vendor is told in another way, or not at all. */
const ours = new Set(['extra', 'operation', 'n', 'stream', 'echo', 'model']);
