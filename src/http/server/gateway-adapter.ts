import type { Server } from 'node:http';
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

  /** Nest replies after every handler; a response that the answer interceptor has written must not be sent again. */
  override reply(...args: Parameters<FastifyAdapter['reply']>): ReturnType<FastifyAdapter['reply']> {
    const response = args[0] as Partial<FastifyReply>;
    return response.sent ? (response as FastifyReply) : super.reply(...args);
  }
}
