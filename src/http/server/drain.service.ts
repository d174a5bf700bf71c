import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { type BeforeApplicationShutdown, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { setTimeout as delay } from 'node:timers/promises';
import { ConfigService } from '../../config/config.service.js';
import { OpenRequests } from './open-requests.js';
import { type Indexed, IndexedSet } from '../../common/indexed-set.js';
import { Shutdown } from '../../common/shutdown.js';

/** Milliseconds after which a connection that has not brought a whole request head is no longer waited for. */
const FIRST_WORDS = 1000;

/** Milliseconds between the deadline and the end of all connections: open streams write their error event in it. */
const LAST_WORDS = 250;

interface OpenConnection extends Indexed {
  readonly socket: Socket;
}

/**
 * Ends the server without cutting off what is open: no new connections, answers close theirs, idle ones end. Nest closes the server only after its
 * hooks have run, and alone that waits for every keep-alive connection (80 s and more), so all of it happens here before.
 */
@Injectable()
export class DrainService implements OnModuleInit, OnModuleDestroy, BeforeApplicationShutdown {
  readonly #connections = new IndexedSet<OpenConnection>();

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly config: ConfigService,
    private readonly shutdown: Shutdown,
    private readonly openRequests: OpenRequests,
  ) {}

  onModuleInit(): void {
    const server = this.host.httpAdapter.getHttpServer() as Server;
    server.on('connection', (socket: Socket) => {
      const connection = { socket, index: -1 };
      this.#connections.add(connection);
      socket.once('close', () => this.#connections.delete(connection));
    });
  }

  /** The first hook of the end: readiness fails. */
  onModuleDestroy(): void {
    this.shutdown.begin();
  }

  async beforeApplicationShutdown(): Promise<void> {
    const server = this.host.httpAdapter.getHttpServer() as Server;
    if (!server.listening) return;
    const { drain_delay: wait, drain_timeout: limit } = this.config.current.server;
    const { replaced, hurried } = this.shutdown;
    if (wait > 0 && !replaced) await delay(wait);
    const closed = new Promise<void>((resolve) => {
      // Node's own http close also ends idle connections, on which a client may be sending its next request.
      if (replaced) NetServer.prototype.close.call(server, () => resolve());
      else server.close(() => resolve());
    });
    this.openRequests.closeConnections();
    const hurry = new Promise<void>((resolve) => hurried.addEventListener('abort', () => resolve(), { once: true }));
    // Whoever sends a request on a connection that has been idle is answered, and told to open a new one.
    if (replaced) await Promise.race([closed, hurry, delay(limit, undefined, { ref: false })]);
    const idle = setInterval(() => server.closeIdleConnections(), 50);
    // Node's "idle" is only who has been answered before.
    const unused = setTimeout(() => this.#closeUnused(), FIRST_WORDS);
    if (replaced) await Promise.race([closed, hurry]);
    const deadline = setTimeout(() => this.shutdown.reachDeadline(), limit);
    const end = setTimeout(() => server.closeAllConnections(), limit + LAST_WORDS);
    await closed;
    clearInterval(idle);
    clearTimeout(unused);
    clearTimeout(deadline);
    clearTimeout(end);
  }

  #closeUnused(): void {
    const used = this.openRequests.sockets();
    for (const { socket } of this.#connections) if (!used.has(socket)) socket.destroy();
  }
}
