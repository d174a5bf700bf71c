/** The baseline: a bare pass-through that does none of the gateway's work. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Pool } from 'undici';

const pool = new Pool(process.argv[2]!, { connections: 4096, headersTimeout: 0, bodyTimeout: 0 });

async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const abort = new AbortController();
  response.on('close', () => abort.abort());
  try {
    const { statusCode, headers, body } = await pool.request({
      path: request.url!,
      method: request.method as 'POST',
      headers: { 'content-type': 'application/json', authorization: request.headers.authorization },
      body: request,
      signal: abort.signal,
    });
    response.writeHead(statusCode, headers);
    body.on('error', () => response.destroy()).pipe(response);
  } catch {
    response.destroy();
  }
}

const server = createServer((request, response) => void pass(request, response));

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' && address ? address.port : ''}\n`);
});
