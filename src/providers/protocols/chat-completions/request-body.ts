import type { GenerationRequest } from '../../../wire/generation.js';

/** What is asked of a vendor: the request itself with the vendor's model name, without what only we need. */
export function requestBody(request: GenerationRequest, upstreamModel: string): Record<string, unknown> {
  const { extra, operation: _, n, stream, echo, ...rest } = { echo: undefined, ...request };
  const body: Record<string, unknown> = { ...extra, ...rest, model: upstreamModel };
  if (n > 1) body['n'] = n;
  if (echo) body['echo'] = true;
  if (stream) {
    body['stream'] = true;
    body['stream_options'] = { include_usage: true };
  }
  return body;
}
