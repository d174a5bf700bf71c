import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';

/** Nest answers after every handler; an answer that was already written as a stream must not be answered again. */
export class GatewayAdapter extends FastifyAdapter {
  override reply(...args: Parameters<FastifyAdapter['reply']>): ReturnType<FastifyAdapter['reply']> {
    const response = args[0] as Partial<FastifyReply>;
    return response.sent ? (response as FastifyReply) : super.reply(...args);
  }
}
