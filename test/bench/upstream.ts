/**
 * The loopback provider: canned bytes over raw sockets, so that it is never the bottleneck. The first word of the path
 * says the format. Not streamed: one answer of about 1 KB. Streamed: what the words `[[PIECES PACE MODE]]` in the
 * prompt say (see `StreamShape`). `GET /open` tells how many connections are open.
 */
import { createServer, type Socket } from 'node:net';
import { type Format, formats } from './events.ts';
import { isMode, type Mode, WORDS } from './stream-shape.ts';

const head = (contentType: string, length: number) =>
  `HTTP/1.1 200 OK\r\ncontent-type: ${contentType}\r\n${length < 0 ? 'transfer-encoding: chunked' : `content-length: ${length}`}\r\n\r\n`;
const framed = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const streamHead = head('text/event-stream', -1);
const whole = (text: string) => head('application/json', Buffer.byteLength(text)) + text;
const models = whole(
  JSON.stringify({ object: 'list', data: [{ id: 'bench', object: 'model', created: 1_700_000_000, owned_by: 'bench' }] }),
);

const plain = new Map(Object.values(formats).map((format) => [format, whole(format.whole)]));
/** As a fast provider's kernel hands it over: many events to a read. */
const flat = new Map<string, string>();

function stream(socket: Socket, name: string, format: Format, pieces: number, pace: number, mode: Mode): void {
  const { begin, piece, end } = format;
  if (mode === 'hold') return void socket.write(streamHead + framed(begin + piece(WORDS, 0)));
  if (mode === 'flat') {
    const key = `${name} ${pieces}`;
    let bytes = flat.get(key);
    if (bytes === undefined) {
      const body = begin + Array.from({ length: pieces }, (_, number) => piece(WORDS, number)).join('') + end(pieces);
      flat.set(key, (bytes = `${streamHead}${framed(body)}0\r\n\r\n`));
    }
    socket.write(bytes);
    return;
  }
  const textOf = mode === 'timed' ? () => ` <${process.hrtime.bigint()}>${WORDS}` : () => WORDS;
  let sent = 0;
  const next = (): void => {
    if (socket.destroyed) return clearInterval(timer);
    if (sent < pieces)
      return void socket.write((sent === 0 ? streamHead : '') + framed((sent === 0 ? begin : '') + piece(textOf(), sent++)));
    clearInterval(timer);
    socket.write(`${framed(end(pieces))}0\r\n\r\n`);
  };
  const timer = setInterval(next, pace);
  next();
}

let open = 0;

function respond(socket: Socket, request: string, body: string): void {
  const path = request.slice(request.indexOf('/') + 1, request.indexOf(' HTTP'));
  if (path === 'open') return void socket.write(whole(String(open)));
  if (request.startsWith('GET')) return void socket.write(models);
  const name = path.slice(0, path.indexOf('/'));
  const format = formats[name] ?? formats['v1']!;
  const [, pieces, pace, mode] = /\[\[(\d+) (\d+) (\w+)\]\]/.exec(body) ?? [];
  if (isMode(mode)) stream(socket, name, format, Number(pieces), Number(pace), mode);
  else socket.write(plain.get(format)!);
}

const server = createServer((socket) => {
  open++;
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('close', () => open--);
  let pending: Buffer[] = [];
  let size = 0;
  let need = -1;
  let request = '';
  socket.on('data', (data: Buffer) => {
    pending.push(data);
    size += data.length;
    if (need < 0) {
      const bytes = pending.length === 1 ? data : Buffer.concat(pending);
      const end = bytes.indexOf('\r\n\r\n');
      if (end < 0) return;
      request = bytes.toString('latin1', 0, end);
      const length = Number(/content-length:\s*(\d+)/i.exec(request)?.[1] ?? 0);
      const chunked = /transfer-encoding:\s*chunked/i.test(request);
      need = chunked ? Number.POSITIVE_INFINITY : end + 4 + length;
    }
    if (need === Number.POSITIVE_INFINITY) {
      const tail = data.toString('latin1', Math.max(0, data.length - 5));
      if (!tail.endsWith('0\r\n\r\n')) return;
      need = size;
    }
    if (size < need) return;
    // A prompt that says how to stream is a short one.
    const body = size > 8192 ? '' : (pending.length === 1 ? data : Buffer.concat(pending)).toString('latin1');
    pending = [];
    size = 0;
    need = -1;
    respond(socket, request, body);
  });
});

server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', 4096, () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' && address ? address.port : ''}\n`);
});
