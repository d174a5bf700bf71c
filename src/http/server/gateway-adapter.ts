import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** The adapter of Nest to Fastify. */
export class GatewayAdapter extends FastifyAdapter {
  /** @param adminServer what serves on the port of the administration; absent where that is the port of all */
  constructor(
    fastify?: FastifyInstance,
    readonly adminServer?: Server,
  ) {
    super(fastify as never);
  }

  /** Where it listens: the port of the API, of which the system may have chosen the number. */
  get port(): number {
    return (this.getHttpServer().address() as AddressInfo).port;
  }

  /** Nest replies after every handler; a response that the answer interceptor has written must not be sent again. */
  override reply(...args: Parameters<FastifyAdapter['reply']>): ReturnType<FastifyAdapter['reply']> {
    const response = args[0] as Partial<FastifyReply>;
    return response.sent ? (response as FastifyReply) : super.reply(...args);
  }
}
