/**
 * The loopback provider: canned bytes over raw sockets, so that it is never the bottleneck. Not streamed: one answer of about 1 KB. Streamed:
 * `max_tokens` chunks of about 200 bytes; `seed` is the pace, 0 all at once, otherwise milliseconds between chunks; `temperature` 2 holds the stream open.
 */
import { createServer, type Socket } from 'node:net';

const chunk = (content: string, finish: string | null) =>
  `data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1700000000,"model":"bench","choices":[{"index":0,"delta":${
    finish ? '{}' : `{"content":${JSON.stringify(content)}}`
  },"logprobs":null,"finish_reason":${finish ? `"${finish}"` : 'null'}}]}\n\n`;

const first =
  'data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1700000000,"model":"bench","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\n';
const piece = chunk(' token and some more text in one piece', null);
const ending = (pieces: number) =>
  `${chunk('', 'stop')}data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1700000000,"model":"bench","choices":[],"usage":{"prompt_tokens":200,"completion_tokens":${pieces},"total_tokens":${200 + pieces}}}\n\ndata: [DONE]\n\n`;

const answer = JSON.stringify({
  id: 'chatcmpl-bench',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: 'bench',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'An answer of some length. '.repeat(28), refusal: null },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage: { prompt_tokens: 200, completion_tokens: 150, total_tokens: 350 },
});
const plain = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(answer)}\r\n\r\n${answer}`;
const models = JSON.stringify({ object: 'list', data: [{ id: 'bench', object: 'model', created: 1_700_000_000, owned_by: 'bench' }] });

const framed = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const streamHead = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';

function respond(socket: Socket, request: string, body: string): void {
  if (request.startsWith('GET')) {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${models.length}\r\n\r\n${models}`);
    return;
  }
  if (!/"stream":\s*true/.test(body)) {
    socket.write(plain);
    return;
  }
  const pieces = Number(/"max_tokens":\s*(\d+)/.exec(body)?.[1] ?? 100);
  const pace = Number(/"seed":\s*(\d+)/.exec(body)?.[1] ?? 0);
  if (/"temperature":\s*2/.test(body)) {
    socket.write(streamHead + framed(first) + framed(piece));
    return;
  }
  if (pace === 0) {
    // As a fast provider's kernel hands it over: many events to a read.
    socket.write(streamHead + framed(first + piece.repeat(pieces) + ending(pieces)) + '0\r\n\r\n');
    return;
  }
  socket.write(streamHead + framed(first));
  let sent = 0;
  const timer = setInterval(() => {
    if (socket.destroyed) return clearInterval(timer);
    if (sent++ < pieces) return void socket.write(framed(piece));
    clearInterval(timer);
    socket.write(`${framed(ending(pieces))}0\r\n\r\n`);
  }, pace);
}

const server = createServer((socket) => {
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  let pending: Buffer[] = [];
  let size = 0;
  let need = -1;
  let head = '';
  socket.on('data', (data: Buffer) => {
    pending.push(data);
    size += data.length;
    if (need < 0) {
      const bytes = pending.length === 1 ? data : Buffer.concat(pending);
      const end = bytes.indexOf('\r\n\r\n');
      if (end < 0) return;
      head = bytes.toString('latin1', 0, end);
      const length = Number(/content-length:\s*(\d+)/i.exec(head)?.[1] ?? 0);
      const chunked = /transfer-encoding:\s*chunked/i.test(head);
      need = chunked ? Number.POSITIVE_INFINITY : end + 4 + length;
    }
    if (need === Number.POSITIVE_INFINITY) {
      const tail = data.toString('latin1', Math.max(0, data.length - 5));
      if (!tail.endsWith('0\r\n\r\n')) return;
      need = size;
    }
    if (size < need) return;
    // The fields that matter stand at the two ends of the body, however long the prompt is.
    const whole = pending.length === 1 ? data : Buffer.concat(pending);
    const body = whole.toString('latin1', Math.max(0, whole.length - 400)) + whole.toString('latin1', 0, 900);
    pending = [];
    size = 0;
    need = -1;
    respond(socket, head, body);
  });
});

server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' && address ? address.port : ''}\n`);
});
