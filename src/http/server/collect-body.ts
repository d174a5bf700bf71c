import { errorCodes, type FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { BufferList } from '../../json/buffer-list.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The bytes of the body, until the request has ended. */
    bytes?: BufferList;
  }
}

/** Bytes of a body from which on its memory is worth being given back by hand. */
const LARGE = 16 * 1024;

/** To be called when the request has ended. */
export function releaseBody({ bytes }: FastifyRequest): void {
  bytes?.release();
}

/**
 * The body in the pieces that it comes in; Fastify's own reader would join them.
 * @param limit bytes
 * @param done called once, from within an event of the stream
 */
export function collectBody(
  request: FastifyRequest,
  stream: IncomingMessage,
  limit: number,
  done: (error: Error | null, body?: BufferList) => void,
): void {
  const pieces: Buffer[] = [];
  let length = 0;
  const end = (error: Error | null): void => {
    stream.off('data', onData).off('end', onEnd).off('error', onError);
    if (error) return done(error);
    const body = new BufferList(pieces);
    if (length >= LARGE) request.bytes = body;
    done(null, body);
  };
  const onData = (piece: Buffer): void => {
    length += piece.length;
    if (length > limit) end(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE());
    else pieces.push(piece);
  };
  const onEnd = (): void => {
    const said = request.headers['content-length'];
    end(said === undefined || Number(said) === length ? null : new errorCodes.FST_ERR_CTP_INVALID_CONTENT_LENGTH());
  };
  const onError = (error: Error): void => end(Object.assign(error, { statusCode: 400 }));
  stream.on('data', onData).on('end', onEnd).on('error', onError);
}
