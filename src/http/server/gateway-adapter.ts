import { FastifyAdapter } from '@nestjs/platform-fastify';
import { fastify, type FastifyInstance, type FastifyReply } from 'fastify';

/** Nest on Fastify, without what a request of ours would only pass through. */
export class GatewayAdapter extends FastifyAdapter {
  /**
   * Nest gives a server hooks for what applications may switch on later (CORS, versions, Express's hooks, and so on): six before each request, and one
   * after it, for which Fastify puts listeners on and takes them off. Nothing of it is switched on here.
   */
  constructor(server: FastifyInstance = fastify()) {
    super(Object.create(server, { addHook: { value: () => server } }) as FastifyInstance);
    this.setInstance(server);
  }

  /** Express's middleware is loaded where a module asks for one (`createMiddlewareFactory`), and not for each request to find none. */
  override async init(): Promise<void> {}

  /** Nest answers after every handler; an answer that was already written as a stream must not be answered again. */
  override reply(...args: Parameters<FastifyAdapter['reply']>): ReturnType<FastifyAdapter['reply']> {
    const response = args[0] as Partial<FastifyReply>;
    return response.sent ? (response as FastifyReply) : super.reply(...args);
  }
}
