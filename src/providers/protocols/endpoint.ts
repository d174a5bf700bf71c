import type { ProviderConfig } from '../../config/config.schema.js';
import type { Reach, Timeouts } from '../transport/upstream-request.js';

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
  { base_url, api_key, headers, timeouts, allow_link_local, proxy }: ProviderConfig,
  credentials: (apiKey: string) => Readonly<Record<string, string>>,
  always: Readonly<Record<string, string>> = {},
): Endpoint {
  const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return endpointOf({
    baseUrl: base_url,
    headers: { ...always, ...(api_key !== undefined && credentials(api_key)), ...own },
    timeouts,
    secrets: api_key === undefined ? secretsIn(own) : [api_key, ...secretsIn(own)],
    reach: { allowLinkLocal: allow_link_local, proxy: proxy === 'none' ? undefined : proxy },
  });
}

function secretsIn(headers: Readonly<Record<string, string>>): string[] {
  const named = Object.entries(headers).filter(([name]) => /auth|key|token|secret|cookie/i.test(name));
  return named.map(([, value]) => value.replace(/^(bearer|basic) /i, ''));
}

export function pathOf(endpoint: Endpoint, operation: string): string {
  return `${endpoint.basePath}/${operation}${endpoint.query}`;
}
