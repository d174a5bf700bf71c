import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Adapter, type AdapterPayload, Provider } from 'oidc-provider';
import request from 'supertest';

/** What the issuer says of one who signs in there. */
export interface IssuerAccount {
  readonly email?: string;
  readonly email_verified?: unknown;
  readonly name?: string;
}

/** What an issuer keeps, in memory. */
class Memory implements Adapter {
  static readonly #kept = new Map<string, AdapterPayload>();

  constructor(private readonly kind: string) {}

  async upsert(id: string, payload: AdapterPayload): Promise<void> {
    Memory.#kept.set(`${this.kind} ${id}`, payload);
    if (payload.uid !== undefined) Memory.#kept.set(`${this.kind} uid ${payload.uid}`, payload);
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    return Memory.#kept.get(`${this.kind} ${id}`);
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return Memory.#kept.get(`${this.kind} uid ${uid}`);
  }

  async findByUserCode(): Promise<undefined> {
    return undefined;
  }

  async consume(id: string): Promise<void> {
    Memory.#kept.get(`${this.kind} ${id}`)!.consumed = Math.floor(Date.now() / 1_000);
  }

  async destroy(id: string): Promise<void> {
    Memory.#kept.delete(`${this.kind} ${id}`);
  }

  async revokeByGrantId(): Promise<void> {}
}

/** A real provider of OpenID Connect on the loopback, at which whoever is named, or chosen on its page, is signed in. */
export class OidcIssuer {
  readonly accounts = new Map<string, IssuerAccount>();
  readonly clientSecret = 'the secret of the client';
  /** How many connections it was sent, with and without TLS, which it does not speak. */
  connections = 0;

  private constructor(
    readonly url: string,
    private readonly server: Server,
  ) {
    server.on('connection', () => this.connections++);
  }

  static async start(): Promise<OidcIssuer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return new OidcIssuer(url, server);
  }

  /** Begins to answer, for the client of a gateway at this address. */
  serve(gateway: string): void {
    const { accounts, clientSecret } = this;
    const provider = new Provider(this.url, {
      clients: [
        {
          client_id: 'switchyard',
          client_secret: clientSecret,
          token_endpoint_auth_method: 'client_secret_post',
          redirect_uris: [`${gateway}/admin/v1/session/oidc/local/callback`],
        },
      ],
      pkce: { required: () => true },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      cookies: { keys: ['a key of cookies'] },
      // What it would warn of, were it left to its defaults.
      adapter: Memory,
      jwks: { keys: [generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })] },
      ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
      features: { devInteractions: { enabled: false } },
      findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, ...accounts.get(id) }) }),
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      loadExistingGrant: async (context) => {
        const grant = new context.oidc.provider.Grant({ accountId: context.oidc.session!.accountId!, clientId: 'switchyard' });
        grant.addOIDCScope('openid email profile');
        await grant.save();
        return grant;
      },
    });
    const handle = provider.callback();
    this.server.on('request', (incoming, response) => {
      const { pathname, searchParams } = new URL(incoming.url ?? '', this.url);
      const asked = pathname.startsWith('/interaction/');
      const as = asked ? searchParams.get('as') : null;
      if (asked && as === null) response.setHeader('content-type', 'text/html; charset=utf-8').end(this.#page());
      else if (as === null) void handle(incoming, response);
      else {
        const result = as === '' ? { error: 'access_denied', error_description: 'cancelled' } : { login: { accountId: as } };
        void provider.interactionFinished(incoming, response, result, { mergeWithLastSubmission: false });
      }
    });
  }

  /** Who may be chosen in a browser. */
  #page(): string {
    const choices = [...this.accounts.keys(), ''].map((as) => `<p><a href="?as=${encodeURIComponent(as)}">${as || 'Cancel'}</a></p>`);
    return `<!doctype html><title>Issuer</title>${choices.join('')}`;
  }

  /**
   * Goes through the issuer as a browser does.
   * @param address of its authorization endpoint, as the gateway has told it
   * @param as the account there; empty: the person cancels
   * @returns the address that it sends the browser back to
   */
  async visit(address: string, as: string): Promise<string> {
    const cookies = new Map<string, string>();
    let next = address;
    for (let hop = 0; hop < 10; hop++) {
      if (!next.startsWith(this.url)) return next;
      const path = next.slice(this.url.length);
      const shown = path.startsWith('/interaction/') ? `${path}?as=${encodeURIComponent(as)}` : path;
      const answer = await request(this.url)
        .get(shown)
        .redirects(0)
        .set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '));
      for (const line of (answer.headers['set-cookie'] as unknown as string[] | undefined) ?? []) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        cookies.set(name, value);
      }
      const location = answer.headers['location'];
      if (location === undefined) throw new Error(`the issuer answered ${answer.status}: ${answer.text}`);
      next = new URL(location, this.url).href;
    }
    throw new Error('the issuer redirects for ever');
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
