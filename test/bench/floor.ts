/**
 * A pass-through that collects both bodies, as a gateway has to, and does nothing else: what its parts take before any
 * of a gateway's work. Arguments: the provider's origin, `http` for node:http or `fastify`, each in front of undici.
 */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import fastify, { type FastifyReply } from 'fastify';
import { type Dispatcher, Pool } from 'undici';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

type Then = (error: Error | null, answer?: Answer) => void;

/** Gathers an answer. */
class Collector implements Dispatcher.DispatchHandler {
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  readonly #body: Buffer[] = [];
  readonly #then: Then;

  constructor(then: Then) {
    this.#then = then;
  }

  onRequestStart(): void {}

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#body.push(chunk);
  }

  onResponseEnd(): void {
    this.#then(null, { status: this.#status, headers: this.#headers, body: Buffer.concat(this.#body) });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#then(error);
  }
}

const [origin = '', kind = ''] = process.argv.slice(2);
const pool = new Pool(origin, { connections: 4096, headersTimeout: 0, bodyTimeout: 0 });

function pass(path: string, { authorization }: IncomingHttpHeaders, body: Buffer, then: Then): void {
  pool.dispatch({ path, method: 'POST', headers: { 'content-type': 'application/json', authorization }, body }, new Collector(then));
}

const listening = (port: number | string): void => void process.stdout.write(`${port}\n`);

if (kind === 'fastify') {
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
