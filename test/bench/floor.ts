/**
 * What a gateway's parts take before any of a gateway's work: a pass-through that collects both bodies, as a gateway has
 * to. Arguments: the provider's origin, and what stands in front of undici: `http` for node:http, `fastify`, or `nest`
 * for NestJS on Fastify with what a route of the gateway has that generates.
 */
import { createServer } from 'node:http';
import fastify, { type FastifyReply } from 'fastify';
import { passTo } from './floor-pass.ts';

const [origin = '', kind = ''] = process.argv.slice(2);
const pass = passTo(origin);

const listening = (port: number | string): void => void process.stdout.write(`${port}\n`);

if (kind === 'nest') {
  const { nestFloor } = await import('./floor-nest.ts');
  listening(await nestFloor(pass));
} else if (kind === 'fastify') {
  const app = fastify();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.post('/v1/chat/completions', (request, reply: FastifyReply) => {
    pass(request.url, request.headers, request.body as Buffer, (error, answer) => {
      if (error) void reply.code(502).send();
      else void reply.code(answer!.status).headers(answer!.headers).send(answer!.body);
    });
  });
  listening(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port);
} else {
  const server = createServer((request, response) => {
    const body: Buffer[] = [];
    request.on('data', (chunk: Buffer) => body.push(chunk));
    request.on('end', () =>
      pass(request.url!, request.headers, Buffer.concat(body), (error, answer) => {
        if (error) response.writeHead(502).end();
        else response.writeHead(answer!.status, answer!.headers).end(answer!.body);
      }),
    );
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    listening(typeof address === 'object' && address ? address.port : 0);
  });
}
