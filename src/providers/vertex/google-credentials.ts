import { readFile } from 'node:fs/promises';
import type { AuthClient } from 'google-auth-library';
import type { FetchedToken } from '../credentials/access-token.js';
import type { CredentialRequests } from '../transport/credential-requests.js';
import { isObject } from '../../wire/json-object.js';
import type { VertexOptions } from './vertex.options.js';

type Library = typeof import('google-auth-library');

const scopes = ['https://www.googleapis.com/auth/cloud-platform'];

/**
 * The credentials of one entry: a service account that it names, or application default credentials (a file that
 * GOOGLE_APPLICATION_CREDENTIALS names, gcloud's login, the metadata server). Nothing is read before the first token.
 */
export class GoogleCredentials {
  #client: AuthClient | undefined;

  constructor(
    private readonly library: Library,
    private readonly options: VertexOptions,
    private readonly requests: CredentialRequests,
  ) {}

  /** @throws Error (rejects) where there are no credentials, or where they are refused */
  token(): Promise<FetchedToken> {
    return this.requests.during(async () => {
      const client = (this.#client ??= await this.#load());
      const { token } = await client.getAccessToken();
      const { expiry_date: expiresAt } = client.credentials;
      if (!token || !expiresAt) throw new Error('Google has given no token with an end');
      const { quotaProjectId } = client;
      return { token, expiresAt, ...(quotaProjectId && { headers: { 'x-goog-user-project': quotaProjectId } }) };
    });
  }

  async #load(): Promise<AuthClient> {
    const { GoogleAuth, JWT } = this.library;
    const { project, service_account: text, service_account_file: file } = this.options;
    const transporterOptions = { fetchImplementation: this.#fetch };
    if (text === undefined && file === undefined) {
      const auth = new GoogleAuth({ scopes, projectId: project, clientOptions: { transporterOptions } });
      return auth.getClient();
    }
    const key = serviceAccount(text ?? (await readFile(file ?? '', 'utf8')));
    const client = new JWT({ scopes, transporterOptions });
    client.fromJSON(key);
    return client;
  }

  /** `fetch` for the vendor's client, over the gateway's own connections. */
  readonly #fetch: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const body = request.body ? await request.text() : undefined;
    const { url, method, signal } = request;
    const response = await this.requests.send({ url, method, headers: Object.fromEntries(request.headers), body, signal });
    const headers = new Headers();
    for (const [name, value = []] of Object.entries(response.headers)) for (const one of [value].flat()) headers.append(name, one);
    return new Response(response.status === 204 ? null : response.text, { status: response.status, headers });
  };
}

/** @throws Error that does not show the text */
function serviceAccount(text: string): { client_email: string; private_key: string } {
  let key: unknown;
  try {
    key = JSON.parse(text);
  } catch {
    throw new Error('The key of the service account is no JSON');
  }
  const { type, client_email, private_key } = isObject(key) ? key : {};
  if (type === 'service_account' && typeof client_email === 'string' && typeof private_key === 'string') {
    return { ...(key as object), client_email, private_key };
  }
  throw new Error('The key is none of a service account; GOOGLE_APPLICATION_CREDENTIALS takes all types that Google has');
}
