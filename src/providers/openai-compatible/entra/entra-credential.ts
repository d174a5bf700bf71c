import type { TokenCredential, TokenCredentialOptions } from '@azure/identity';
import type { FetchedToken } from '../../credentials/access-token.js';
import type { CredentialRequests } from '../../transport/credential-requests.js';
import type { EntraOptions } from './entra.options.js';

type Library = typeof import('@azure/identity');
type HttpClient = NonNullable<TokenCredentialOptions['httpClient']>;

/** The tokens of one entry, as Microsoft's own client gets them. Nothing is read or asked before the first. */
export class EntraCredential {
  #credential: TokenCredential | undefined;

  constructor(
    private readonly library: Library,
    private readonly options: EntraOptions,
    private readonly requests: CredentialRequests,
  ) {}

  /** @throws Error (rejects) where there is no identity, or where it is refused */
  async token(): Promise<FetchedToken> {
    const got = await this.requests.during(async () => {
      try {
        const credential = (this.#credential ??= this.#make());
        return await credential.getToken(this.options.scope);
      } catch (error) {
        // None of the default identities is there; that one of them did not answer is no news.
        if (error instanceof this.library.AggregateAuthenticationError) return error;
        throw error;
      }
    });
    if (got instanceof Error) throw got;
    if (!got) throw new Error('Microsoft Entra has given no token');
    return { token: got.token, expiresAt: got.expiresOnTimestamp };
  }

  #make(): TokenCredential {
    const { entra, tenant_id: tenantId = '', client_id: clientId = '', client_secret = '', certificate_file = '' } = this.options;
    // Requests are tried again by the gateway itself.
    const options = { httpClient: this.#client, retryOptions: { maxRetries: 0 } };
    const named = { ...options, ...(tenantId && { tenantId }), ...(clientId && { clientId }) };
    switch (entra) {
      case 'client_secret':
        return new this.library.ClientSecretCredential(tenantId, clientId, client_secret, options);
      case 'client_certificate': {
        const certificate = { certificatePath: certificate_file, certificatePassword: this.options.certificate_password };
        return new this.library.ClientCertificateCredential(tenantId, clientId, certificate, options);
      }
      case 'managed_identity':
        return new this.library.ManagedIdentityCredential({ ...options, ...(clientId && { clientId }) });
      case 'workload_identity':
        return new this.library.WorkloadIdentityCredential(named);
      default: {
        const ids = clientId && { managedIdentityClientId: clientId, workloadIdentityClientId: clientId };
        return new this.library.DefaultAzureCredential({ ...options, ...(tenantId && { tenantId }), ...ids });
      }
    }
  }

  /** Sends what the vendor's client asks over the gateway's own connections. */
  readonly #client: HttpClient = {
    sendRequest: async (request) => {
      const { url, method, body, timeout, abortSignal } = request;
      const signals = [abortSignal as AbortSignal | undefined, timeout > 0 ? AbortSignal.timeout(timeout) : undefined];
      const response = await this.requests.send({
        url,
        method,
        headers: request.headers.toJSON(),
        body: typeof body === 'string' ? body : undefined,
        signal: AbortSignal.any(signals.filter((signal) => signal !== undefined)),
      });
      const headers = new ResponseHeaders();
      for (const [name, value] of Object.entries(response.headers)) headers.set(name, String(value));
      return { request, status: response.status, headers, bodyAsText: response.text };
    },
  };
}

/** Headers as the vendor's client reads them: by names in any case. */
class ResponseHeaders extends Map<string, string> {
  override get(name: string): string | undefined {
    return super.get(name.toLowerCase());
  }

  override has(name: string): boolean {
    return super.has(name.toLowerCase());
  }

  toJSON(): Record<string, string> {
    return Object.fromEntries(this);
  }
}
