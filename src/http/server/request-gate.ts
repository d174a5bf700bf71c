import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config/config.schema.js';
import { ApiError } from '../../common/api-error.js';
import { foreignBody } from '../../json/json-body.js';
import type { OpenRequests } from './open-requests.js';
import { isPublic } from '../requests/public.decorator.js';
import { RouteTable } from './route-table.js';
import type { Shutdown } from '../../common/shutdown.js';

export interface GateKeeper {
  readonly openRequests: OpenRequests;
  readonly shutdown: Shutdown;
  /** Puts the principal on the request. @throws ApiError 401 */
  authenticate(request: FastifyRequest): void;
}

/**
 * What every request passes before its body is read: key, route, method, room, kind of body, in this order.
 */
export class RequestGate {
  readonly #routes = new RouteTable();
  #keeper: GateKeeper;

  constructor(private readonly limits: Pick<Config['server'], 'max_open_requests' | 'body_limit'>) {}

  /** Before the server listens. */
  open(keeper: GateKeeper): void {
    this.#keeper = keeper;
  }

  addHooks(server: FastifyInstance): void {
    server.addHook('onRoute', (route) => this.#routes.add(route));
    server.addHook('onRequest', (request, reply, done) => {
      this.#enter(request, reply);
      if (hasRoute(request) && isPublic(request)) done();
      else done(this.#stranger(request) ?? this.#refusal(request, reply));
    });
  }

  /** For a request that the router cannot read, which passes no hook: its refusal, but to a stranger the lack of a key. */
  refuse(error: Error, request: FastifyRequest, reply: FastifyReply): Error {
    this.#enter(request, reply);
    return this.#stranger(request) ?? error;
  }

  #enter(request: FastifyRequest, reply: FastifyReply): void {
    // Of what Fastify sends; an answer written past it has it from its exchange. Set on the raw response, it would cost each head twice its time.
    void reply.header('x-request-id', request.id);
    if (this.#keeper.shutdown.draining) reply.raw.setHeader('connection', 'close');
    this.#keeper.openRequests.enter(request, reply);
  }

  #stranger(request: FastifyRequest): Error | undefined {
    try {
      this.#keeper.authenticate(request);
      return undefined;
    } catch (error) {
      return error as Error;
    }
  }

  #refusal(request: FastifyRequest, reply: FastifyReply): Error | undefined {
    if (!hasRoute(request)) return this.#noRoute(request);
    if (this.#keeper.openRequests.size > this.limits.max_open_requests)
      return new ApiError('service_unavailable', 'Too many requests are open. Please retry.', { 'retry-after': '1' });
    if (Number(request.headers['content-length']) > this.limits.body_limit)
      return new ApiError('request_too_large', `The request body is larger than ${this.limits.body_limit} bytes.`);
    const foreign = foreignBody(request);
    // HTTP/1.0 has no invitation: a client of it would take this for the answer (RFC 9110, section 10.1.1).
    if (!foreign && request.headers.expect !== undefined && request.raw.httpVersion === '1.1') reply.raw.writeContinue();
    return foreign;
  }

  #noRoute({ method, url }: FastifyRequest): ApiError {
    const path = pathOf(url);
    const methods = this.#routes.methodsOf(path);
    if (methods.length > 0) {
      const allow = methods.join(', ');
      return new ApiError('method_not_allowed', `${path} answers ${allow}, not ${method}.`, { allow });
    }
    const operations = this.#routes.operations('/v1/').join(', ');
    return new ApiError('not_found', `There is no operation ${method} ${path.slice(0, 200)}. The operations are ${operations}.`);
  }
}

/** The router takes a `*` where an address begins for a slash. */
function hasRoute({ is404, url }: FastifyRequest): boolean {
  return !is404 && !url.startsWith('*');
}

/** Of a request target in origin-form or absolute-form (RFC 9112, section 3.2). */
function pathOf(target: string): string {
  return target.replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '') || '/';
}
