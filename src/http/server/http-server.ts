import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Config } from '../../config/config.schema.js';
import { refuseUnsupportedRequests } from './client-errors.js';

/**
 * The server with its limits. Made here because Fastify would make further ones for the other addresses of `localhost`, without our exits.
 */
export function createHttpServer(handler: RequestListener, config: Config['server']): Server {
  const server = createServer(
    {
      // Given here, it bounds headersTimeout too; set later, a body would not be held to it. It is looked at only so often.
      requestTimeout: config.request_timeout,
      connectionsCheckingInterval: Math.min(Math.max(config.request_timeout / 4, 50), 5000),
      keepAliveTimeout: config.keep_alive_timeout,
      // Node would answer its absence without a body.
      requireHostHeader: false,
      noDelay: true,
    },
    handler,
  );
  endStalled(server, config.stall_timeout);
  // Each open request of a pipelining client listens to the socket's end.
  server.on('connection', (socket) => socket.setMaxListeners(0));
  // Without a listener Node invites the body before anyone has looked at the key.
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
  refuseUnsupportedRequests(server);
  return server;
}

/**
 * Cuts off who does not read an answer. Node's own reaction to a socket on which nothing moves is to destroy it, also when its request is merely
 * taking long; with a listener the end of idle connections is ours too. One that has sent nothing yet is left to the request timeout.
 */
function endStalled(server: Server, timeout: number): void {
  server.setTimeout(timeout, (socket: Socket & { _httpMessage?: unknown }) => {
    const idle = socket._httpMessage == null && socket.bytesWritten > 0;
    if (idle || socket.writableLength > 0) socket.destroy();
  });
}
