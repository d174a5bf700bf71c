import type { UpstreamRequest } from '../upstream-request.js';

/** Longer than anything takes that is not to run into them. */
export const timeouts = { connect: 20_000, first_byte: 20_000, idle: 20_000, total: 60_000 };

export function requestTo(origin: string, overrides: Partial<UpstreamRequest> = {}): UpstreamRequest {
  return {
    method: 'POST',
    origin,
    path: '/v1/x?y=1',
    headers: { authorization: 'Bearer k' },
    body: '{"é":1}',
    timeouts,
    signal: new AbortController().signal,
    ...overrides,
  };
}
