import { ProviderError } from '../provider-error.js';
import type { HttpTransport } from '../transport/http-transport.js';
import type { UpstreamResponse } from '../transport/upstream-response.js';
import { type Endpoint, pathOf } from './endpoint.js';
import { MAX_ERROR_BYTES, type UpstreamFailure } from './upstream-error.js';

/** Milliseconds that a page of a list may take. */
const PAGE_TIME = 10_000;

const MAX_PAGE_BYTES = 16 * 1024 * 1024;

interface ListRequest {
  readonly operation: string;
  /** Without its question mark. */
  readonly query: string;
  readonly signal: AbortSignal;
  /** Makes the error of a response whose status is not 200. */
  readonly failed: (failure: UpstreamFailure) => ProviderError;
}

/**
 * Fetches a provider's list of models, or a page of it.
 * @returns the parsed JSON
 * @throws ProviderError
 */
export async function fetchList(transport: HttpTransport, endpoint: Endpoint, request: ListRequest): Promise<unknown> {
  const response = await ask(transport, endpoint, request);
  try {
    return JSON.parse(await response.text(MAX_PAGE_BYTES));
  } catch (cause) {
    throw new ProviderError('bad_response', 'The provider’s list of models cannot be read', { status: response.status, cause });
  }
}

/**
 * Asks whether the provider would list its models; the list is not read to its end. This costs nothing at any vendor.
 * @throws ProviderError
 */
export async function probeList(transport: HttpTransport, endpoint: Endpoint, request: ListRequest): Promise<void> {
  const response = await ask(transport, endpoint, request);
  await response.excerpt(MAX_ERROR_BYTES);
}

async function ask(
  transport: HttpTransport,
  endpoint: Endpoint,
  { operation, query, signal, failed }: ListRequest,
): Promise<UpstreamResponse> {
  const { timeouts, headers, origin, reach, secrets } = endpoint;
  const response = await transport.send({
    method: 'GET',
    origin,
    path: `${pathOf(endpoint, operation)}${endpoint.query ? '&' : '?'}${query}`,
    headers,
    timeouts: { ...timeouts, total: Math.min(timeouts.total, PAGE_TIME) },
    signal,
    reach,
  });
  const { status, retryAfterMs } = response;
  if (status !== 200) throw failed({ status, retryAfterMs, body: await response.excerpt(MAX_ERROR_BYTES), secrets });
  return response;
}
