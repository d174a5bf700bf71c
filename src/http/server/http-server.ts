import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Config } from '../../config/config.schema.js';
import { refuseAmbiguousRequests, refuseUnsupportedRequests } from './client-errors.js';

/**
 * The HTTP server with its limits. It is not made by Fastify, which would make further servers for the other addresses
 * of `localhost`, without these listeners.
 */
export function createHttpServer(handler: RequestListener, config: Config['server']): Server {
  const server = createServer(
    {
      // As an option, requestTimeout bounds headersTimeout too; set later, it would not apply to bodies. Node checks it
      // once in each connectionsCheckingInterval.
      requestTimeout: config.request_timeout,
      connectionsCheckingInterval: Math.min(Math.max(config.request_timeout / 4, 50), 5000),
      keepAliveTimeout: config.keep_alive_timeout,
      // Node would answer a request without Host with an empty body.
      requireHostHeader: false,
      noDelay: true,
    },
    refuseAmbiguousRequests(handler, 2 * config.body_limit),
  );
  endStalled(server, config.stall_timeout);
  // Each open request of a pipelining client adds a listener to the socket.
  server.on('connection', (socket) => socket.setMaxListeners(0));
  refuseUnsupportedRequests(server);
  return server;
}

/**
 * Closes the connection of a client that does not read the response. By default Node destroys every socket without
 * traffic, even if its request is only taking long. Because a listener replaces this default, it closes idle
 * connections too. A connection on which nothing has been answered yet is subject to the request timeout.
 */
function endStalled(server: Server, timeout: number): void {
  server.setTimeout(timeout, (socket: Socket & { _httpMessage?: unknown }) => {
    const idle = socket._httpMessage == null && socket.bytesWritten > 0;
    if (idle || socket.writableLength > 0) socket.destroy();
  });
}
