import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';

/** Nest on Fastify. */
export class GatewayAdapter extends FastifyAdapter {
  /** Express's middleware is loaded where a module asks for one (`createMiddlewareFactory`), and not for each request to find none. */
  override async init(): Promise<void> {}

  /** Nest answers after every handler; an answer that the answer interceptor has written must not be answered again. */
  override reply(...args: Parameters<FastifyAdapter['reply']>): ReturnType<FastifyAdapter['reply']> {
    const response = args[0] as Partial<FastifyReply>;
    return response.sent ? (response as FastifyReply) : super.reply(...args);
  }
}
