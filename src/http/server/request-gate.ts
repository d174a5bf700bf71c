import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { ApiError } from '../../common/api-error.js';
import { BodyBudget } from '../../common/limits/byte-budget.js';
import { Clock } from '../../common/time/clock.js';
import { FairPlaces } from '../../common/limits/fair-places.js';
import { Shutdown } from '../../common/shutdown.js';
import type { Config } from '../../config/config.schema.js';
import { ConfigService } from '../../config/config.service.js';
import { operationOf } from '../requests/operation.decorator.js';
import { ClientFormats } from '../requests/client-formats.js';
import '../requests/public.decorator.js';
import { AskersTurns } from './askers-turns.js';
import { BrowserOrigins, isPreflight } from './browser-origins.js';
import { discardBody } from './discard-body.js';
import { OpenRequests } from './open-requests.js';
import { isAdminAddress, Ports } from './ports.js';
import { AdminAuthenticator, RequestAuthenticator } from './request-authenticator.js';
import { RouteTable } from './route-table.js';
import { unsupportedBody } from './unsupported-body.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The id of the account, which has given this request a place among the open ones. */
    account?: string;
    /** The address of a client who needs neither token nor session, and has a place among those. */
    stranger?: string;
    /** Who asks of the administration API, and has taken a turn of theirs. */
    asker?: string;
    /** Bytes that its body may have; absent: `server.body_limit`. */
    bodyLimit?: number;
    /** It is one to the administration API, whether or not its token is valid. */
    administration?: true;
  }
}

/** Bytes of the body of a request to the administration API that generates nothing. */
const ADMIN_BODY_LIMIT = 256 * 1024;

/** The same for a route that needs neither token nor session, and how many requests to such routes may be open. */
const STRANGERS_BODY_LIMIT = 16 * 1024;
const STRANGERS_PLACES = 256;

/**
 * Checks every request before its body is read: key, route, method, number of open requests and kind of body, in this
 * order. Nest's guards run after the body has been parsed; the gate asks the guard of the API keys before, so that no
 * body without a valid key is parsed.
 */
@Injectable()
export class RequestGate {
  readonly #routes = new RouteTable();
  readonly #limits: Pick<Config['server'], 'body_limit'>;
  readonly #places: FairPlaces;
  /** For those who are not known yet, by their address. */
  readonly #strangers = new FairPlaces(STRANGERS_PLACES);
  readonly #turns: AskersTurns;
  readonly #ports: Ports;
  readonly #browsers: BrowserOrigins;

  constructor(
    config: ConfigService,
    private readonly authenticator: RequestAuthenticator,
    private readonly adminAuthenticator: AdminAuthenticator,
    private readonly openRequests: OpenRequests,
    private readonly shutdown: Shutdown,
    readonly bodies: BodyBudget,
    readonly formats: ClientFormats,
    clock: Clock,
  ) {
    this.#limits = config.current.server;
    this.#ports = new Ports(config.current.server);
    this.#browsers = new BrowserOrigins(config);
    this.#places = new FairPlaces(config.current.server.max_open_requests);
    this.#turns = new AskersTurns(() => config.current.limits, clock);
    openRequests.onEnd(({ request: { account, stranger, asker } }) => {
      if (account !== undefined) this.#places.give(account);
      if (stranger !== undefined) this.#strangers.give(stranger);
      if (asker !== undefined) this.#turns.give(asker);
    });
  }

  /** Adds a route, so that a wrong method can be distinguished from a wrong address. */
  addRoute(route: RouteOptions): void {
    this.#routes.add(route);
  }

  /** @returns the error with which the request is refused; undefined where it is accepted, or has been answered */
  enter(request: FastifyRequest, reply: FastifyReply): Error | undefined {
    this.#open(request, reply);
    if (this.#admitBrowser(request, reply) && isPreflight(request)) return this.#answerPreflight(request, reply);
    const { url, config } = request.routeOptions;
    const route = hasRoute(request) && this.#ports.answers(request.raw, url!) ? url : undefined;
    // A public route needs no key, and is answered however many requests are open: health checks must be.
    if (route !== undefined && config.public && !isAdminAddress(route)) return this.#refusedBody(request, reply);
    try {
      if (route !== undefined && config.public) return this.#welcome(request, reply);
      if (this.#ports.isAdministration(request.raw, route ?? pathOf(request.url))) return this.#enterAdministration(request, reply, route);
      const account = this.authenticator.authenticate(request);
      return this.#refusal(request, account, route) ?? this.#refusedBody(request, reply);
    } catch (error) {
      return error as Error;
    }
  }

  /**
   * Enters a request whose address the router cannot read.
   * @returns the router's error, or where the key is not valid the error of the key
   */
  refuse(error: Error, request: FastifyRequest, reply: FastifyReply): Error {
    this.#open(request, reply);
    this.#admitBrowser(request, reply);
    try {
      const admin = this.#ports.isAdministration(request.raw, pathOf(request.url));
      if (admin) ofAdministration(request, reply);
      (admin ? this.adminAuthenticator : this.authenticator).authenticate(request);
      return error;
    } catch (refusal) {
      return refusal as Error;
    }
  }

  /** @throws ApiError 403 */
  #welcome(request: FastifyRequest, reply: FastifyReply): Error | undefined {
    ofAdministration(request, reply);
    const address = this.adminAuthenticator.welcome(request);
    if (!this.#strangers.take(address))
      return new ApiError('service_unavailable', 'Too many requests are open. Please retry.', { retryAfter: 1 });
    request.stranger = address;
    request.bodyLimit = STRANGERS_BODY_LIMIT;
    return this.#refusedBody(request, reply);
  }

  /** @throws ApiError 401, 403, 404 or 429 */
  #enterAdministration(request: FastifyRequest, reply: FastifyReply, route: string | undefined): Error | undefined {
    ofAdministration(request, reply);
    const account = this.adminAuthenticator.authenticate(request);
    const refusal = this.#refusal(request, account, route);
    if (refusal) return refusal;
    this.adminAuthenticator.authorize(request);
    // What generates takes what customers may send, and is counted as theirs.
    if (operationOf(request) !== undefined) return this.#refusedBody(request, reply);
    request.bodyLimit = ADMIN_BODY_LIMIT;
    const asker = this.adminAuthenticator.whoAsks(request);
    this.#turns.take(asker);
    request.asker = asker;
    return this.#refusedBody(request, reply);
  }

  #open(request: FastifyRequest, reply: FastifyReply): void {
    // This is for what Fastify sends; responses of the generation routes have the header from their context. Set on the
    // raw response it would double the time to write each head.
    void reply.header('x-request-id', request.id);
    if (this.shutdown.draining) reply.raw.setHeader('connection', 'close');
    this.openRequests.enter(request, reply);
  }

  /** @returns whether a page of another origin may read the answer */
  #admitBrowser(request: FastifyRequest, reply: FastifyReply): boolean {
    if (!this.#browsers.any) return false;
    const path = pathOf(request.url);
    return path.startsWith('/v1/') && !this.#ports.isAdministration(request.raw, path) && this.#browsers.admit(request, reply);
  }

  #answerPreflight(request: FastifyRequest, reply: FastifyReply): undefined {
    discardBody(request.raw, 2 * this.#limits.body_limit);
    this.#browsers.answerPreflight(request, reply, this.#routes.methodsOf(pathOf(request.url)));
  }

  #refusal(request: FastifyRequest, account: string, route: string | undefined): Error | undefined {
    if (route === undefined) return this.#noRoute(request);
    if (!this.#places.take(account)) return this.#noPlace(account);
    request.account = account;
    return undefined;
  }

  #noPlace(account: string): Error {
    const { free, limit } = this.#places;
    if (free === 0) return new ApiError('service_unavailable', 'Too many requests are open. Please retry.', { retryAfter: 1 });
    const message = `Too many requests of this account are open: ${this.#places.heldBy(account)} of ${limit} that are shared by all accounts.`;
    return new ApiError('rate_limit_exceeded', `${message} Please retry when some have ended.`, { retryAfter: 1 });
  }

  #refusedBody(request: FastifyRequest, reply: FastifyReply): Error | undefined {
    const limit = request.bodyLimit ?? this.#limits.body_limit;
    if (Number(request.headers['content-length']) > limit)
      return new ApiError('request_too_large', `The request body is larger than ${limit} bytes.`);
    const unsupported = unsupportedBody(request);
    // A client of HTTP/1.0 would take "100 Continue" for the response (RFC 9110, section 10.1.1).
    if (!unsupported && request.headers.expect !== undefined && request.raw.httpVersion === '1.1') reply.raw.writeContinue();
    return unsupported;
  }

  #noRoute({ method, url, raw }: FastifyRequest): ApiError {
    const path = pathOf(url);
    const methods = this.#ports.answers(raw, path) ? this.#routes.methodsOf(path) : [];
    if (methods.length > 0) {
      return new ApiError('method_not_allowed', `${path} answers ${methods.join(', ')}, not ${method}.`, { allow: methods });
    }
    const nothing = `There is no operation ${method} ${path.slice(0, 200)}.`;
    if (this.#ports.isAdministration(raw, path)) return new ApiError('not_found', nothing);
    return new ApiError('not_found', `${nothing} The operations are ${this.#routes.operations('/v1/').join(', ')}.`);
  }
}

/** Its answers are for whoever has asked alone: nothing keeps them, and no browser guesses what they are. */
function ofAdministration(request: FastifyRequest, reply: FastifyReply): void {
  request.administration = true;
  void reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff');
}

/** The router reads a `*` at the beginning of an address as a slash. */
function hasRoute({ is404, url }: FastifyRequest): boolean {
  return !is404 && !url.startsWith('*');
}

/** The path of a request target in origin-form or absolute-form (RFC 9112, section 3.2). */
function pathOf(target: string): string {
  return target.replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '') || '/';
}
