import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';

/** The adapter of Nest to Fastify. */
export class GatewayAdapter extends FastifyAdapter {
  /** Nest replies after every handler; a response that the answer interceptor has written must not be sent again. */
  override reply(...args: Parameters<FastifyAdapter['reply']>): ReturnType<FastifyAdapter['reply']> {
    const response = args[0] as Partial<FastifyReply>;
    return response.sent ? (response as FastifyReply) : super.reply(...args);
  }
}
