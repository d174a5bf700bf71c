import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ConfigService } from '../../config/config.service.js';

/** What pages may read of a response, beside the few headers that they always may. */
const EXPOSED = [
  'x-request-id',
  'request-id',
  'x-switchyard-served-by',
  'x-switchyard-cost',
  'x-switchyard-dropped-parameters',
  'idempotent-replayed',
  'x-ratelimit-limit-requests',
  'x-ratelimit-limit-tokens',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-remaining-tokens',
  'x-ratelimit-reset-requests',
  'x-ratelimit-reset-tokens',
  'retry-after',
  'x-should-retry',
].join(', ');

/** Seconds for which a browser need not ask again. */
const MAX_AGE = '600';

/**
 * Lets pages of the origins in `server.cors_origins` call the operations from browsers (CORS of the Fetch standard).
 * Never with credentials: whoever calls needs a key, and a cookie is none.
 */
export class BrowserOrigins {
  #origins: ReadonlySet<string>;

  constructor(config: ConfigService) {
    this.#origins = new Set(config.current.server.cors_origins);
    config.onChange(({ server }) => (this.#origins = new Set(server.cors_origins)));
  }

  /** Whether there are any; most gateways have none. */
  get any(): boolean {
    return this.#origins.size > 0;
  }

  /**
   * Says in the response, whatever it will be, whether the page that asks may read it.
   * @returns whether it may
   */
  admit({ headers: { origin } }: FastifyRequest, reply: FastifyReply): boolean {
    void reply.header('vary', 'origin');
    if (origin === undefined || !this.#origins.has(origin)) return false;
    void reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', EXPOSED);
    return true;
  }

  /**
   * Answers a browser that asks, before the request itself, whether a page may send it. It has no key then.
   * @param methods those of the address
   */
  answerPreflight({ headers }: FastifyRequest, reply: FastifyReply, methods: readonly string[]): void {
    const asked = headers['access-control-request-headers'];
    const answer: OutgoingHttpHeaders = {
      ...(reply.getHeaders() as OutgoingHttpHeaders),
      vary: 'origin, access-control-request-headers',
      ...(methods.length > 0 && { 'access-control-allow-methods': methods.join(', ') }),
      ...(asked !== undefined && { 'access-control-allow-headers': asked }),
      'access-control-max-age': MAX_AGE,
    };
    reply.hijack();
    reply.raw.writeHead(204, answer).end();
  }
}

export function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}
