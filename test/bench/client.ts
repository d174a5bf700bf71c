import { connect, type Socket } from 'node:net';

export interface Answer {
  readonly status: number;
  /** Milliseconds from the request's last byte to the answer's first and last. */
  readonly firstByteMs: number;
  readonly totalMs: number;
  readonly bytes: number;
}

/** One keep-alive connection over a raw socket: the load must cost less than what it loads. */
export class Connection {
  readonly #socket: Socket;
  #resolve: ((answer: Answer) => void) | undefined;
  #reject: ((error: Error) => void) | undefined;
  #started = 0;
  #firstByte = 0;
  #bytes = 0;
  #need = -1;
  #status = 0;
  #tail = '';
  #onData: (() => void) | undefined;

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1');
    this.#socket.setNoDelay(true);
    this.#socket.on('data', (data) => this.#read(data));
    this.#socket.on('error', (error) => this.#reject?.(error));
    this.#socket.on('close', () => this.#reject?.(new Error('connection closed')));
  }

  request(bytes: Buffer, onData?: () => void): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#onData = onData;
      this.#bytes = 0;
      this.#need = -1;
      this.#tail = '';
      this.#started = performance.now();
      this.#socket.write(bytes);
    });
  }

  close(): void {
    this.#reject = undefined;
    this.#socket.destroy();
  }

  #read(data: Buffer): void {
    if (this.#bytes === 0) this.#firstByte = performance.now();
    this.#bytes += data.length;
    if (this.#need === -1) {
      const head = data.toString('latin1', 0, Math.min(data.length, 4096));
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) throw new Error('head of the answer in pieces');
      this.#status = Number(head.slice(9, 12));
      const length = /content-length: (\d+)/i.exec(head);
      this.#need = length ? end + 4 + Number(length[1]) : -2;
    }
    this.#onData?.();
    if (this.#need === -2) {
      this.#tail = (this.#tail + data.toString('latin1', Math.max(0, data.length - 7))).slice(-7);
      if (!this.#tail.endsWith('\r\n0\r\n\r\n')) return;
    } else if (this.#bytes < this.#need) return;
    const now = performance.now();
    const resolve = this.#resolve!;
    this.#resolve = undefined;
    this.#reject = undefined;
    resolve({ status: this.#status, firstByteMs: this.#firstByte - this.#started, totalMs: now - this.#started, bytes: this.#bytes });
  }
}

export interface ChatOptions {
  readonly key: string;
  readonly model: string;
  /** Bytes of the prompt's text. */
  readonly promptBytes: number;
  readonly stream?: { readonly pieces: number; readonly paceMs: number; readonly hold?: boolean };
}

/** A chat request of ten messages as the bytes that go over the wire. */
export function chatRequest({ key, model, promptBytes, stream }: ChatOptions): Buffer {
  const text = 'The quick brown fox reads the timetable and waits for the train. ';
  const each = Math.max(1, Math.ceil(promptBytes / 10));
  const content = text.repeat(Math.ceil(each / text.length)).slice(0, each);
  const messages = Array.from({ length: 10 }, (_, i) => ({ role: i % 2 === 0 ? 'user' : 'assistant', content }));
  const body = JSON.stringify({
    model,
    messages,
    ...(stream ? { stream: true, max_tokens: stream.pieces, seed: stream.paceMs, ...(stream.hold ? { temperature: 2 } : {}) } : {}),
  });
  return Buffer.from(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
