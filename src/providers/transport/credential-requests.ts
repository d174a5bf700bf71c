import type { IncomingHttpHeaders } from 'node:http';
import type { ProviderConfig } from '../../config/provider.schema.js';
import { ProviderError } from '../contract/provider-error.js';
import type { HttpTransport } from './http-transport.js';

/** Milliseconds for one request of a vendor's client, and bytes of its response, which has a token. */
const TOTAL = 30_000;
const MAX_BYTES = 1024 * 1024;

interface CredentialRequest {
  readonly url: string | URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface CredentialResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/**
 * The requests by which a vendor's client gets tokens for one entry, over the gateway's connections. They go through
 * the entry's proxy, and reach link-local addresses where the entry allows it. What has no TLS is a service of this
 * machine or its cloud (a metadata service, a managed identity) and is asked directly.
 */
export class CredentialRequests {
  /** Why the last request says nothing about the credential: it had no answer, or one that asks to come again. */
  #failure: ProviderError | undefined;

  constructor(
    private readonly transport: Pick<HttpTransport, 'send'>,
    private readonly config: Pick<ProviderConfig, 'timeouts' | 'proxy' | 'allow_link_local' | 'allow_private_addresses'>,
  ) {}

  /** @throws ProviderError (rejects) where no answer comes */
  async send({ url, method, headers, body, signal }: CredentialRequest): Promise<CredentialResponse> {
    this.#failure = undefined;
    const { origin, pathname, search, protocol } = new URL(url);
    const { timeouts, allow_link_local: allowLinkLocal, allow_private_addresses, proxy } = this.config;
    const publicOnly = !allow_private_addresses;
    try {
      const response = await this.transport.send({
        method: method === 'GET' ? 'GET' : 'POST',
        origin,
        path: pathname + search,
        headers,
        body,
        signal,
        timeouts: { ...timeouts, total: Math.min(timeouts.total, TOTAL) },
        reach:
          protocol === 'http:'
            ? { allowLinkLocal: true, publicOnly }
            : { allowLinkLocal, publicOnly, proxy: proxy === 'none' ? undefined : proxy },
      });
      const { status } = response;
      if (status === 429 || status >= 500)
        this.#failure = new ProviderError('overloaded', `The vendor gives no token now (status ${status})`, {
          retryAfterMs: response.retryAfterMs,
        });
      return { status, headers: response.headers, text: await response.text(MAX_BYTES) };
    } catch (error) {
      this.#failure = error as ProviderError;
      throw error;
    }
  }

  /**
   * Runs `load`, which asks through this. Vendors' clients lose what has gone wrong on the way, and may ask nobody for
   * some time after it: where no answer came to the last request, that is thrown.
   */
  async during<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
    try {
      return await load();
    } catch (error) {
      throw this.#failure ?? error;
    }
  }
}
