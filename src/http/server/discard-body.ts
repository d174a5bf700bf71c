import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Bytes that each piece of a body counts as at least, because a piece costs time however small it is. */
const LEAST = 1_024;

/** Milliseconds of silence after which a client that was refused is not waited for any longer. */
const QUIET = 2_000;

/**
 * Lets a client that is still sending read its refusal: if the connection were closed at once, the client would lose
 * the response too. The rest of the body is dropped, up to `limit` bytes, within the server's request timeout, and not
 * beyond a silence on a connection that is not kept.
 */
export function discardBody(request: IncomingMessage, limit: number): void {
  if (request.complete || request.destroyed) return;
  const { socket } = request;
  lingerOnClose(socket, limit);
  let remaining = limit;
  request.on('data', (chunk: Buffer) => {
    remaining -= Math.max(chunk.length, LEAST);
    // Not here, where Node's parser is at work.
    if (remaining < 0) process.nextTick(linger, socket, limit);
  });
  request.once('end', () => Reflect.deleteProperty(socket, 'destroySoon'));
}

/** Has Node read on where it would close the connection because a response has been written. */
export function lingerOnClose(socket: Socket, limit: number): void {
  socket.destroySoon = () => linger(socket, limit);
}

/**
 * Ends the connection behind what has been written, and drops what still comes until the client has ended too. Nothing
 * of it reaches the parser, whatever it is.
 */
function linger(socket: Socket, limit: number): void {
  if (socket.writableEnded || socket.destroyed) return;
  let remaining = limit;
  socket.removeAllListeners('data');
  socket.on('data', (bytes: Buffer) => {
    remaining -= bytes.length;
    if (remaining < 0) socket.destroy();
  });
  socket.once('end', () => socket.destroy());
  // The server closes connections on which nothing happens.
  socket.setTimeout(QUIET);
  socket.end();
  socket.resume();
}
