import type { ProviderConfig } from '../../config/config.schema.js';
import { secretsOfProvider } from '../../config/secrets.js';
import type { Reach, Sign, Timeouts, UpstreamRequest } from '../transport/upstream-request.js';

/** The address and the credentials that a protocol uses. Made once, together with its provider. */
export interface Endpoint {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Put before each operation's path, without a slash at its end. */
  readonly basePath: string;
  /** Put behind each operation's path; empty or beginning with a question mark. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeouts: Timeouts;
  /** Texts that must never appear in an error, even if a vendor echoes them. */
  readonly secrets: readonly string[];
  readonly reach: Reach;
  /** Signs every request: for an answer, for the list of models and for a probe. */
  readonly sign?: Sign;
}

interface EndpointOptions {
  baseUrl: string;
  headers?: Readonly<Record<string, string>>;
  timeouts: Timeouts;
  secrets?: readonly string[];
  reach?: Reach;
}

/** @throws TypeError when `baseUrl` is no URL. */
export function endpointOf({ baseUrl, headers = {}, timeouts, secrets = [], reach = {} }: EndpointOptions): Endpoint {
  const { origin, pathname, search } = new URL(baseUrl);
  return { origin, basePath: pathname.replace(/\/+$/, ''), query: search, headers, timeouts, secrets, reach };
}

/**
 * The endpoint that an entry of the configuration describes. The entry's own headers win over the vendor's.
 * @param credentials headers that carry the key, in lower case.
 * @param always headers that the vendor wants in any case, in lower case.
 */
export function configuredEndpoint(
  config: ProviderConfig,
  credentials: (apiKey: string) => Readonly<Record<string, string>>,
  always: Readonly<Record<string, string>> = {},
): Endpoint {
  const { base_url, api_key, headers, timeouts, allow_link_local, allow_private_addresses, proxy } = config;
  const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return endpointOf({
    baseUrl: base_url,
    headers: { ...always, ...(api_key !== undefined && credentials(api_key)), ...own },
    timeouts,
    secrets: secretsOfProvider(config),
    reach: { allowLinkLocal: allow_link_local, publicOnly: !allow_private_addresses, proxy: proxy === 'none' ? undefined : proxy },
  });
}

/** What one request has of its own; the rest is the endpoint's. */
export interface RequestParts extends Pick<UpstreamRequest, 'body' | 'signal'> {
  /** Absent: POST where there is a body, otherwise GET. */
  readonly method?: UpstreamRequest['method'];
  /** The path behind the endpoint's own, without a slash at its beginning. */
  readonly operation: string;
  /** Without its question mark; it goes behind the endpoint's own. */
  readonly query?: string;
  /** In lower case; they win over the endpoint's own. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request to the endpoint: with its headers, its timeouts, the way that it is reached, and its signature. */
export function requestTo(endpoint: Endpoint, { operation, query, headers, ...parts }: RequestParts): UpstreamRequest {
  const { origin, headers: own, timeouts, reach, sign } = endpoint;
  const path = pathOf(endpoint, operation);
  return {
    method: parts.body === undefined ? 'GET' : 'POST',
    ...parts,
    origin,
    path: query ? `${path}${endpoint.query ? '&' : '?'}${query}` : path,
    headers: { ...own, ...headers },
    timeouts,
    reach,
    sign,
  };
}

export function pathOf(endpoint: Endpoint, operation: string): string {
  return `${endpoint.basePath}/${operation}${endpoint.query}`;
}
