import type { IncomingMessage } from 'node:http';

/**
 * Lets a client that is still sending read its refusal: if the connection were closed at once, the client would lose
 * the response too. The rest of the body is dropped, up to `limit` bytes and within the server's request timeout.
 */
export function discardBody(request: IncomingMessage, limit: number): void {
  if (request.complete || request.destroyed) return;
  let remaining = limit;
  request.on('data', (chunk: Buffer) => {
    remaining -= chunk.length;
    if (remaining < 0) request.socket.destroy();
  });
}
