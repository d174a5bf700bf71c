import { errorCodes, type FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { Pieces } from './pieces.js';

/**
 * The body in the pieces that it comes in; Fastify's own reader would join them.
 * @param limit bytes
 * @param done called once, from within an event of the stream
 */
export function collectBody(
  { headers }: FastifyRequest,
  stream: IncomingMessage,
  limit: number,
  done: (error: Error | null, body?: Pieces) => void,
): void {
  const pieces: Buffer[] = [];
  let length = 0;
  const end = (error: Error | null): void => {
    stream.off('data', onData).off('end', onEnd).off('error', onError);
    done(error, error ? undefined : new Pieces(pieces));
  };
  const onData = (piece: Buffer): void => {
    length += piece.length;
    if (length > limit) end(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE());
    else pieces.push(piece);
  };
  const onEnd = (): void => {
    const said = headers['content-length'];
    end(said === undefined || Number(said) === length ? null : new errorCodes.FST_ERR_CTP_INVALID_CONTENT_LENGTH());
  };
  const onError = (error: Error): void => end(Object.assign(error, { statusCode: 400 }));
  stream.on('data', onData).on('end', onEnd).on('error', onError);
}
