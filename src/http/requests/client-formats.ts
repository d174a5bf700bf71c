import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { ErrorBody } from '../../wire/error.js';

/** A request, with or without a route, whether or not its key is valid. */
export type LookedAt = Pick<FastifyRequest, 'url' | 'headers'>;

/** An error as it is about to be written. */
export interface WrittenError {
  readonly body: ErrorBody;
  readonly status: number;
  readonly requestId: string;
}

/**
 * What clients of another format than OpenAI's expect beside the answers of its operations. The room of the format
 * provides it. Nothing of it is called for a request that succeeds with a key in the header Authorization.
 */
export abstract class ClientFormat {
  /** Whether a request is one of such a client. */
  abstract speaks(request: LookedAt): boolean;

  /** A further header of its error responses, with the id of the request. */
  abstract readonly idHeader: string | undefined;

  /** The body of an error response, and of the error that ends a stream. */
  abstract error(error: WrittenError): object;

  /** What stands for the header Authorization where the client has sent none. */
  abstract authorization(request: LookedAt): string | undefined;
}

/** The formats beside the gateway's own. */
@Injectable()
export class ClientFormats {
  readonly #formats: ClientFormat[] = [];

  add(format: ClientFormat): void {
    this.#formats.push(format);
  }

  /** The body of an error: the gateway's envelope where no other format is spoken. */
  error(request: FastifyRequest, body: ErrorBody, status: number): object {
    return this.#of(request)?.error({ body, status, requestId: request.id }) ?? body;
  }

  idHeader(request: FastifyRequest): string | undefined {
    return this.#of(request)?.idHeader;
  }

  authorization(request: FastifyRequest): string | undefined {
    return request.headers.authorization ?? this.#of(request)?.authorization(request);
  }

  #of(request: FastifyRequest): ClientFormat | undefined {
    return this.#formats.find((format) => format.speaks(request));
  }
}
