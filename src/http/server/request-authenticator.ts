import type { FastifyRequest } from 'fastify';

/** Finds out from whom a request is. The guard of the API keys implements it. */
export abstract class RequestAuthenticator {
  /**
   * Puts the principal on the request.
   * @returns the id of the account
   * @throws ApiError 401 or 403
   */
  abstract authenticate(request: FastifyRequest): string;
}
