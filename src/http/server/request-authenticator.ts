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

/** The same for the administration API, whose routes say who may use them. Its guard implements it. */
export abstract class AdminAuthenticator extends RequestAuthenticator {
  /** The token or the person that asks, once it is known. */
  abstract whoAsks(request: FastifyRequest): string;

  /** @throws ApiError 403, or 404 where whoever asks must not know what there is */
  abstract authorize(request: FastifyRequest): void;

  /**
   * Looks at a request to a public route of the administration, such as that which signs people in.
   * @returns the address of the client; empty where it is not known
   * @throws ApiError 403
   */
  abstract welcome(request: FastifyRequest): string;
}
