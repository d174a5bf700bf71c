import { Writable } from 'node:stream';
import { fastify, type FastifyReply } from 'fastify';
import { GatewayAdapter } from './gateway-adapter.js';

describe('GatewayAdapter', () => {
  it('leaves an answer alone that was written past Fastify', async () => {
    const warnings: string[] = [];
    const stream = new Writable({
      write(line: Buffer, _encoding, done) {
        warnings.push(line.toString());
        done();
      },
    });
    const server = fastify({ logger: { level: 'warn', stream } });
    const adapter = new GatewayAdapter(server);
    server.get('/written', (_request, reply: FastifyReply) => {
      reply.hijack();
      reply.raw.end('by hand');
      adapter.reply(reply, { another: 'answer' }, 500);
    });
    const { statusCode, body } = await server.inject('/written');
    expect({ statusCode, body, warnings }).toEqual({ statusCode: 200, body: 'by hand', warnings: [] });
    await server.close();
  });
});
