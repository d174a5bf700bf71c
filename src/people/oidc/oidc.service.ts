import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { Configuration } from 'openid-client';
import { seal, unseal } from '../../auth/sealed-text.js';
import { DerivedSecrets } from '../../auth/derived-secrets.js';
import { ApiError } from '../../common/api-error.js';
import { Clock } from '../../common/time/clock.js';
import { messageOf, rootMessageOf } from '../../common/message-of.js';
import type { Config } from '../../config/config.schema.js';
import { ConfigService } from '../../config/config.service.js';
import { StartError } from '../../config/start-error.js';
import { vendorPackage } from '../../providers/kit/vendor-package.js';
import { DashboardAddress } from '../dashboard-address.js';
import { Cookies } from '../sessions/cookies.js';
import { SignInService } from '../sign-in/sign-in.service.js';
import type { Visit } from '../visit.js';
import { guardedFetch } from './guarded-fetch.js';
import { type OidcClaims, OidcIdentities } from './oidc-identities.js';

type OidcProvider = Config['dashboard']['oidc'][number];

const COOKIE = 'switchyard_oidc';
/** Seconds that a sign-in at the provider may take. */
const ATTEMPT_S = 600;
/** Milliseconds after which what an issuer says of itself is asked for again. */
const DISCOVERED_MS = 3_600_000;
/** Milliseconds for which an issuer that cannot be asked is not asked again. */
const FAILED_MS = 5_000;
/** Characters of a reason that the log gets. */
const MAX_REASON = 500;
const HOME = '/dashboard';
const ofDashboard = /^\/dashboard(\/[\w~%-][\w.~%-]*)*\/?(\?[\w=&.~%-]*)?$/;

/** What the browser keeps, encrypted, while somebody is at the provider. */
interface Attempt {
  readonly provider: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly next: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

const library = () => vendorPackage(['openid-client'], () => import('openid-client'));

/** Signs people in by OpenID Connect: authorization code with PKCE, state and nonce. */
@Injectable()
export class OidcService implements OnModuleInit {
  readonly #logger = new Logger('People');
  readonly #discovered = new Map<OidcProvider, { readonly at: number; readonly configuration: Promise<Configuration> }>();

  constructor(
    private readonly config: ConfigService,
    private readonly secrets: DerivedSecrets,
    private readonly cookies: Cookies,
    private readonly address: DashboardAddress,
    private readonly identities: OidcIdentities,
    private readonly signIn: SignInService,
    private readonly clock: Clock,
  ) {
    config.onChange(() => this.#discovered.clear());
  }

  async onModuleInit(): Promise<void> {
    if (this.providers.length === 0) return;
    await library().catch((error: unknown) => {
      throw new StartError(`dashboard.oidc: ${messageOf(error)}`);
    });
  }

  get providers(): readonly OidcProvider[] {
    return this.config.current.dashboard.oidc;
  }

  /**
   * Begins a sign-in.
   * @param next where the browser goes afterwards: an address of the dashboard; others are not heeded
   * @throws ApiError 404 not_found, 502 upstream_error
   */
  async start({ request, reply }: Visit, id: string, next: string | undefined): Promise<void> {
    const provider = this.#provider(id);
    const client = await library();
    const configuration = await this.#configuration(provider);
    const verifier = client.randomPKCECodeVerifier();
    const attempt: Attempt = {
      provider: id,
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier,
      next: next !== undefined && ofDashboard.test(next) ? next : HOME,
      until: this.clock.now() + ATTEMPT_S * 1_000,
    };
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: this.address.oidcCallback(request, id),
      scope: provider.scopes,
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    this.cookies.write(request, reply, COOKIE, this.#sealed(attempt), ATTEMPT_S);
    goTo(reply, url.href);
  }

  /** Ends a sign-in: the browser goes where it wanted to, or to the page of sign-in with the reason why not. */
  async callback(visit: Visit, id: string): Promise<void> {
    goTo(visit.reply, await this.#end(visit, id));
  }

  async #end(visit: Visit, id: string): Promise<string> {
    const { request, reply } = visit;
    const attempt = this.#opened(this.cookies.read(request, COOKIE));
    this.cookies.write(request, reply, COOKIE, '', 0);
    try {
      const provider = this.#provider(id);
      if (!attempt || attempt.provider !== id) return refused('expired');
      const claims = await this.#claims(visit, provider, attempt);
      const signedIn = await this.signIn.open(visit, async (trx, version) => {
        const personId = await this.identities.personOf(visit, trx, version, claims);
        return personId === undefined ? undefined : { personId, openedBy: 'oidc' };
      });
      return signedIn ? attempt.next : refused(claims.emailVerified ? 'not_invited' : 'not_verified', attempt);
    } catch (error) {
      // What the provider has answered, such as invalid_client.
      const { error: code, error_description: description } = error as { error?: unknown; error_description?: unknown };
      if (code === 'access_denied') return refused(code, attempt);
      const reasons = [rootMessageOf(error), code, description].filter((text) => typeof text === 'string');
      this.#logger.warn(`A sign-in by ${id.slice(0, 64)} has failed: ${reasons.join(': ').slice(0, MAX_REASON)}`);
      return refused('failed', attempt);
    }
  }

  async #claims({ request }: Visit, provider: OidcProvider, { state, nonce, verifier }: Attempt): Promise<OidcClaims> {
    const client = await library();
    const configuration = await this.#configuration(provider);
    const url = new URL(this.address.oidcCallback(request, provider.id));
    url.search = /\?.*$/s.exec(request.url)?.[0] ?? '';
    const tokens = await client.authorizationCodeGrant(configuration, url, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    const { iss, sub, ...own } = tokens.claims()!;
    // Some providers tell the address there alone.
    const more = own['email'] === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined;
    const claims = more ? await client.fetchUserInfo(configuration, tokens.access_token, sub) : own;
    const { email, email_verified, name } = claims;
    return {
      issuer: iss,
      subject: sub,
      email: typeof email === 'string' ? email : undefined,
      // Nothing but the boolean: a text such as "false" would be true.
      emailVerified: email_verified === true,
      name: typeof name === 'string' ? name : undefined,
    };
  }

  #configuration(provider: OidcProvider): Promise<Configuration> {
    const known = this.#discovered.get(provider);
    if (known && this.clock.now() - known.at < DISCOVERED_MS) return known.configuration;
    const configuration = this.#discover(provider);
    this.#discovered.set(provider, { at: this.clock.now(), configuration });
    configuration.catch(() => this.clock.setTimeout(() => this.#discovered.delete(provider), FAILED_MS).unref());
    return configuration;
  }

  async #discover({ id, issuer, client_id, client_secret }: OidcProvider): Promise<Configuration> {
    const client = await library();
    const { dashboard } = this.config.current;
    const authentication = client_secret === undefined ? client.None() : client.ClientSecretPost(client_secret);
    try {
      if (!dashboard.allow_private_addresses && new URL(issuer).protocol === 'http:')
        throw new Error('an issuer’s address begins with https://');
      return await client.discovery(new URL(issuer), client_id, undefined, authentication, {
        [client.customFetch]: guardedFetch(dashboard, this.clock),
        // Its signature is checked also where TLS already says who has sent the token.
        execute: [client.enableNonRepudiationChecks, ...(new URL(issuer).protocol === 'http:' ? [client.allowInsecureRequests] : [])],
      });
    } catch (cause) {
      this.#logger.warn(`The issuer of ${id} cannot be asked: ${rootMessageOf(cause)}`);
      throw new ApiError('upstream_error', 'The provider of identities cannot be reached now.', {}, { cause });
    }
  }

  #provider(id: string): OidcProvider {
    const provider = this.providers.find((one) => one.id === id);
    if (!provider) throw new ApiError('not_found', 'There is no such provider of identities.');
    return provider;
  }

  #sealed(attempt: Attempt): string {
    return seal(JSON.stringify(attempt), this.secrets.derive('oidc'), COOKIE).toString('base64url');
  }

  #opened(cookie: string | undefined): Attempt | undefined {
    if (cookie === undefined) return undefined;
    try {
      const attempt = JSON.parse(unseal(Buffer.from(cookie, 'base64url'), this.secrets.derive('oidc'), COOKIE)) as Attempt;
      return attempt.until > this.clock.now() ? attempt : undefined;
    } catch {
      return undefined;
    }
  }
}

/** A browser follows it; the address of what it leaves, which may have a code, is not told there. */
function goTo(reply: Visit['reply'], address: string): void {
  void reply.header('location', address).header('referrer-policy', 'no-referrer').header('cache-control', 'no-store');
}

/** The page of sign-in, from which whoever tries again still comes to where they wanted to go. */
function refused(reason: string, { next }: Pick<Attempt, 'next'> = { next: HOME }): string {
  const wanted = next.slice(HOME.length);
  return `${HOME}/sign-in?error=${reason}${wanted === '' ? '' : `&next=${encodeURIComponent(wanted)}`}`;
}
