import type { IncomingMessage } from 'node:http';
import { errorCodes, type FastifyRequest } from 'fastify';
import { BufferList } from '../../json/buffer-list.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The bytes of a large body, until the request has ended. */
    bytes?: BufferList;
  }
}

/** Bytes of a body from which on its memory is released explicitly. */
const LARGE = 16 * 1024;

/** Must be called when the request has ended. */
export function releaseBody({ bytes }: FastifyRequest): void {
  bytes?.release();
}

/**
 * Reads the body into the buffers that it arrives in; Fastify's own reader would join them.
 * @param limit bytes
 * @param done called once, from within an event of the stream
 */
export function collectBody(
  request: FastifyRequest,
  stream: IncomingMessage,
  limit: number,
  done: (error: Error | null, body?: BufferList) => void,
): void {
  const buffers: Buffer[] = [];
  let length = 0;
  const end = (error: Error | null): void => {
    stream.off('data', onData).off('end', onEnd).off('error', onError);
    if (error) return done(error);
    const body = new BufferList(buffers);
    if (length >= LARGE) request.bytes = body;
    done(null, body);
  };
  const onData = (buffer: Buffer): void => {
    length += buffer.length;
    if (length > limit) end(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE());
    else buffers.push(buffer);
  };
  const onEnd = (): void => {
    const declared = request.headers['content-length'];
    end(declared === undefined || Number(declared) === length ? null : new errorCodes.FST_ERR_CTP_INVALID_CONTENT_LENGTH());
  };
  const onError = (error: Error): void => end(Object.assign(error, { statusCode: 400 }));
  stream.on('data', onData).on('end', onEnd).on('error', onError);
}
