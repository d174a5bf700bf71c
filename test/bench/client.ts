import { connect, type Socket } from 'node:net';
import { type StreamShape, wordsOf } from './stream-shape.ts';

export interface Answer {
  readonly status: number;
  /** Milliseconds from the request's last byte to the answer's last. */
  readonly totalMs: number;
  readonly bytes: number;
}

const LAST_CHUNK = '\r\n0\r\n\r\n';

/** One keep-alive connection over a raw socket: the load must cost less than what it loads. */
export class Connection {
  /** Called with whatever comes in. */
  onData: ((data: Buffer) => void) | undefined;
  readonly #socket: Socket;
  #resolve: ((answer: Answer) => void) | undefined;
  #reject: ((error: Error) => void) | undefined;
  #started = 0;
  #bytes = 0;
  /** Bytes of the whole answer; -1 until its head is here, -2 where the length is not said. */
  #need = -1;
  #status = 0;
  #head = '';
  #tail = '';

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1');
    this.#socket.setNoDelay(true);
    this.#socket.on('data', (data) => this.#read(data));
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('close', () => this.#fail(new Error('connection closed')));
  }

  get closed(): boolean {
    return this.#socket.destroyed;
  }

  /** @throws Error where the connection ends before the answer */
  request(bytes: Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.closed) throw new Error('connection closed');
      this.#resolve = resolve;
      this.#reject = reject;
      this.#bytes = 0;
      this.#need = -1;
      this.#head = '';
      this.#tail = '';
      this.#started = performance.now();
      this.#socket.write(bytes);
    });
  }

  /** Leaves, whatever is under way. */
  close(): void {
    this.#fail(new Error('left'));
    this.#socket.destroy();
  }

  #fail(error: Error): void {
    const reject = this.#reject;
    this.#resolve = this.#reject = undefined;
    reject?.(error);
  }

  #read(data: Buffer): void {
    this.#bytes += data.length;
    if (this.#need === -1 && !this.#readHead(data)) return;
    this.onData?.(data);
    if (this.#need === -2) {
      this.#tail = (this.#tail + data.toString('latin1', Math.max(0, data.length - LAST_CHUNK.length))).slice(-LAST_CHUNK.length);
      if (this.#tail !== LAST_CHUNK) return;
    } else if (this.#bytes < this.#need) return;
    const resolve = this.#resolve;
    this.#resolve = this.#reject = undefined;
    resolve?.({ status: this.#status, totalMs: performance.now() - this.#started, bytes: this.#bytes });
  }

  #readHead(data: Buffer): boolean {
    this.#head += data.toString('latin1', 0, 8192);
    const end = this.#head.indexOf('\r\n\r\n');
    if (end < 0) return false;
    this.#status = Number(this.#head.slice(9, 12));
    const length = /content-length: (\d+)/i.exec(this.#head.slice(0, end));
    this.#need = length ? end + 4 + Number(length[1]) : -2;
    return true;
  }
}

export interface ChatOptions {
  readonly key: string;
  readonly model: string;
  /** Where to; the chat operation unless it says otherwise. */
  readonly path?: string;
  /** Bytes of the prompt's text. */
  readonly promptBytes: number;
  readonly stream?: StreamShape;
  /** Asks for embeddings of so many inputs, which have the bytes of the prompt together, instead. */
  readonly inputs?: number;
}

/** A request as the bytes that go over the wire: of a conversation of nine messages, or for embeddings. */
export function requestBytes(options: ChatOptions): Buffer {
  const { key, inputs, path = inputs === undefined ? '/v1/chat/completions' : '/v1/embeddings' } = options;
  const body = inputs === undefined ? conversationBody(options) : embeddingsBody(options, inputs);
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

function textOf(bytes: number): string {
  const text = 'The quick brown fox reads the timetable and waits for the train. ';
  return text.repeat(Math.ceil(bytes / text.length)).slice(0, bytes);
}

function embeddingsBody({ model, promptBytes }: ChatOptions, inputs: number): string {
  const input = Array.from({ length: inputs }, () => textOf(Math.ceil(promptBytes / inputs)));
  return JSON.stringify({ model, input, encoding_format: 'base64' });
}

function conversationBody({ model, promptBytes, stream, path }: ChatOptions): string {
  const content = textOf(Math.max(1, Math.ceil(promptBytes / 9)));
  const messages = Array.from({ length: 9 }, (_, i) => ({
    role: i % 2 === 0 ? 'user' : 'assistant',
    content: stream && i === 0 ? wordsOf(stream) + content : content,
  }));
  const limit = stream && { stream: true, [path === '/v1/responses' ? 'max_output_tokens' : 'max_tokens']: stream.pieces + 10 };
  return JSON.stringify({ model, [path === '/v1/responses' ? 'input' : 'messages']: messages, ...limit });
}
