import type { IncomingMessage } from 'node:http';
import { errorCodes, type FastifyRequest } from 'fastify';
import { ApiError } from '../../common/api-error.js';
import { type BodyBudget, ByteClaim } from '../../common/limits/byte-budget.js';
import { GatheredBytes } from '../../common/collections/gathered-bytes.js';
import { BufferList } from '../../json/buffer-list.js';
import type { ReceivedBody } from '../../json/json-body.js';
import { JsonScan } from '../../json/json-scan.js';
import { BodyTurns } from './body-turns.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The bytes of a large body, until the request has ended. */
    bytes?: BufferList;
    /** What it takes of the budget of all bodies, until the request has ended. */
    bodyClaim?: ByteClaim;
  }
}

/** Bytes of a body from which on its memory is released explicitly. */
const LARGE = 16 * 1024;

/** Bytes that the pieces of a body must have on average, after the first 10,000 of them. */
const LEAST_PIECE = 64;

/** Those of the process: it has one event loop. */
const turns = new BodyTurns();

/** Must be called when the request has ended. */
export function releaseBody({ bytes, bodyClaim }: FastifyRequest): void {
  bytes?.release();
  bodyClaim?.release();
}

/**
 * Reads the body into the buffers that it arrives in, and scans each of them as it comes; Fastify's own reader would
 * join them.
 * @param limit bytes
 * @param budget of all bodies together
 * @param done called once, from within an event of the stream
 */
export function collectBody(
  request: FastifyRequest,
  stream: IncomingMessage,
  limit: number,
  budget: BodyBudget,
  done: (error: Error | null, body?: ReceivedBody) => void,
): void {
  const bytes = new GatheredBytes();
  const declared = request.headers['content-length'];
  const scan = new JsonScan(declared === undefined ? limit : Number(declared));
  const end = (error: Error | null): void => {
    stream.off('data', onData).off('end', onEnd).off('error', onError);
    if (error) {
      request.bodyClaim?.release();
      return done(error);
    }
    const body = new BufferList(bytes.end());
    if (body.length >= LARGE) request.bytes = body;
    done(null, { bytes: body, scan });
  };
  const onData = (piece: Buffer): void => {
    try {
      if (bytes.length + piece.length > limit) throw new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE();
      bytes.add(piece);
      if (bytes.length > piece.length && !(request.bodyClaim ??= new ByteClaim(budget, request.account)).resize(bytes.length))
        throw noRoom(budget, request.account);
      if (bytes.crumbles(LEAST_PIECE)) throw tinyPieces();
      scan.feed(piece);
      if (bytes.length > piece.length) turns.took(stream, piece.length);
    } catch (error) {
      end(error as Error);
    }
  };
  const onEnd = (): void => {
    end(declared === undefined || Number(declared) === bytes.length ? null : new errorCodes.FST_ERR_CTP_INVALID_CONTENT_LENGTH());
  };
  const onError = (error: Error): void => end(Object.assign(error, { statusCode: 400 }));
  stream.on('data', onData).on('end', onEnd).on('error', onError);
}

function noRoom({ limit }: BodyBudget, account: string | undefined): ApiError {
  const whose = account === undefined ? '' : ', or those of this account more than half of them';
  const message = `The requests under way have more than ${limit} bytes together (server.body_budget)${whose}. Please retry.`;
  return new ApiError('service_unavailable', message, { retryAfter: 1 });
}

function tinyPieces(): ApiError {
  return new ApiError(
    'invalid_request',
    `The request body comes in pieces of less than ${LEAST_PIECE} bytes on average. Send it in larger chunks, or with content-length.`,
  );
}
