import type { FastifyRequest } from 'fastify';
import type { Administrator } from './administrator.js';

/** Knows people by the cookie of their session. The room of people implements it. */
export abstract class SessionAuthenticator {
  /**
   * @returns who asks, in the role that counts for the account in the address; undefined where there is no cookie
   * @throws ApiError 401 invalid_session; 403 permission_denied for a change without the session's token, or that comes
   * from a page of another origin
   */
  abstract authenticate(request: FastifyRequest): Administrator | undefined;

  /** @throws ApiError 403 permission_denied for what comes from a page of another origin and may change something */
  abstract requireOwnOrigin(request: FastifyRequest): void;
}
