import { ProviderError } from '../contract/provider-error.js';
import type { HttpTransport } from '../transport/http-transport.js';
import type { UpstreamResponse } from '../transport/upstream-response.js';
import { type Endpoint, requestTo } from './endpoint.js';
import { requireParsable } from '../translation/parsed-json.js';
import type { UpstreamFailure } from './upstream-error.js';

/** Milliseconds that a page of a list may take. */
const PAGE_TIME = 10_000;

const MAX_PAGE_BYTES = 16 * 1024 * 1024;

interface ListRequest {
  readonly operation: string;
  /** Without its question mark. */
  readonly query: string;
  /** JSON; absent: the list is asked for with GET. */
  readonly body?: string;
  readonly signal: AbortSignal;
  /** Makes the error of a response whose status is not 200. */
  readonly failed: (failure: UpstreamFailure) => ProviderError;
}

/**
 * Fetches a provider's list of models, or a page of it.
 * @returns the parsed JSON
 * @throws ProviderError
 */
export async function fetchList(transport: Pick<HttpTransport, 'send'>, endpoint: Endpoint, request: ListRequest): Promise<unknown> {
  const response = await ask(transport, endpoint, request);
  try {
    const text = await response.text(MAX_PAGE_BYTES);
    requireParsable(text);
    return JSON.parse(text);
  } catch (cause) {
    throw new ProviderError('bad_response', 'The provider’s list of models cannot be read', { status: response.status, cause });
  }
}

/**
 * Asks whether the provider would list its models; the list is not read to its end. This costs nothing at any vendor.
 * @throws ProviderError
 */
export async function probeList(transport: Pick<HttpTransport, 'send'>, endpoint: Endpoint, request: ListRequest): Promise<void> {
  const response = await ask(transport, endpoint, request);
  await response.excerpt();
}

/** The error of an answer of another shape. */
export const noModelList = (): ProviderError =>
  new ProviderError('bad_response', 'The provider’s answer to the request for its models is no list of models');

async function ask(
  transport: Pick<HttpTransport, 'send'>,
  endpoint: Endpoint,
  { operation, query, body, signal, failed }: ListRequest,
): Promise<UpstreamResponse> {
  const { timeouts, secrets } = endpoint;
  const headers = body === undefined ? undefined : { 'content-type': 'application/json' };
  const request = requestTo(endpoint, { operation, query, headers, body, signal });
  const response = await transport.send({ ...request, timeouts: { ...timeouts, total: Math.min(timeouts.total, PAGE_TIME) } });
  if (response.status !== 200) throw failed(await response.refusal(secrets));
  return response;
}
