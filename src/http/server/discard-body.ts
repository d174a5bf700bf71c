import type { IncomingMessage } from 'node:http';

/**
 * Lets a client that is still sending read its refusal: a connection that is closed at once resets what was already answered. What arrives is
 * dropped, at most `limit` bytes of it, and within the server's request timeout.
 */
export function discardBody(request: IncomingMessage, limit: number): void {
  if (request.complete || request.destroyed) return;
  let left = limit;
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) request.socket.destroy();
  });
}
