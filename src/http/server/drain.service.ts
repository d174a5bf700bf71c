import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { type BeforeApplicationShutdown, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Clock } from '../../common/time/clock.js';
import { type Indexed, IndexedSet } from '../../common/collections/indexed-set.js';
import { Shutdown } from '../../common/shutdown.js';
import { ConfigService } from '../../config/config.service.js';
import type { GatewayAdapter } from './gateway-adapter.js';
import { OpenRequests } from './open-requests.js';

/** Milliseconds after which connections that have not sent a whole request head are closed. */
const FIRST_REQUEST_TIMEOUT = 1000;

/** Milliseconds from the deadline to the end of all connections, in which open streams write their error event. */
const ERROR_EVENT_TIME = 250;

interface OpenConnection extends Indexed {
  readonly socket: Socket;
}

/**
 * Ends the server without cutting off open requests: it accepts no new connections, each response closes its
 * connection, and idle connections are closed. Nest closes the server after its hooks have run, which alone waits for
 * every keep-alive connection (80 s and more), so all of this happens in an earlier hook.
 */
@Injectable()
export class DrainService implements OnModuleInit, OnModuleDestroy, BeforeApplicationShutdown {
  readonly #connections = new IndexedSet<OpenConnection>();

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly config: ConfigService,
    private readonly shutdown: Shutdown,
    private readonly openRequests: OpenRequests,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    for (const server of this.#servers())
      server.on('connection', (socket: Socket) => {
        const connection = { socket, index: -1 };
        this.#connections.add(connection);
        socket.once('close', () => this.#connections.delete(connection));
      });
  }

  /** The first hook of a shutdown: from here on readiness fails. */
  onModuleDestroy(): void {
    this.shutdown.begin();
  }

  async beforeApplicationShutdown(): Promise<void> {
    const servers = this.#servers().filter(({ listening }) => listening);
    if (servers.length === 0) return;
    const { drain_delay: wait, drain_timeout: limit } = this.config.current.server;
    const { replaced, hurried } = this.shutdown;
    const { clock } = this;
    if (wait > 0 && !replaced) await clock.delay(wait);
    const closed = Promise.all(servers.map((server) => close(server, replaced)));
    this.openRequests.closeConnections();
    // The signal may have come while hooks before this one ran.
    const hurry = hurried.aborted ? Promise.resolve() : once(hurried, 'abort');
    // A client that sends a request on an idle connection is answered and asked to open a new connection.
    if (replaced) await Promise.race([closed, hurry, clock.delay(limit, { ref: false })]);
    const idle = clock.setInterval(() => servers.forEach((server) => server.closeIdleConnections()), 50);
    // For Node, only a connection with an earlier request can be idle.
    const unused = clock.setTimeout(() => this.#closeUnused(), FIRST_REQUEST_TIMEOUT);
    if (replaced) await Promise.race([closed, hurry]);
    const deadline = clock.setTimeout(() => this.shutdown.reachDeadline(), limit);
    const end = clock.setTimeout(() => servers.forEach((server) => server.closeAllConnections()), limit + ERROR_EVENT_TIME);
    await closed;
    for (const timer of [idle, unused, deadline, end]) clock.clear(timer);
  }

  /** The server of all, and that of the administration where it has a port of its own. */
  #servers(): Server[] {
    const { adminServer } = this.host.httpAdapter as unknown as Partial<GatewayAdapter>;
    return [this.host.httpAdapter.getHttpServer() as Server, ...(adminServer ? [adminServer] : [])];
  }

  #closeUnused(): void {
    const used = this.openRequests.sockets();
    for (const { socket } of this.#connections) if (!used.has(socket)) socket.destroy();
  }
}

function close(server: Server, replaced: boolean): Promise<void> {
  return new Promise((resolve) => {
    // The close of Node's HTTP server also ends idle connections, on which a client may be sending its next request.
    if (replaced) NetServer.prototype.close.call(server, () => resolve());
    else server.close(() => resolve());
  });
}
