import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';

/** What is between the blank lines of a whole event stream, comments aside. */
export function blocksOf(text: string): string[] {
  if (!text.endsWith('\n\n')) throw new Error(`the stream does not end with a blank line: ${JSON.stringify(text.slice(-80))}`);
  const blocks = text.slice(0, -2).split('\n\n');
  return blocks.filter((block) => !block.startsWith(':'));
}

/** The payloads of a whole event stream, the mark of its end included. Anything but `data: ...` lines is an error. */
export function payloadsOf(text: string): string[] {
  return blocksOf(text).map((block) => {
    if (!block.startsWith('data: ') || block.includes('\n') || block.includes('\r'))
      throw new Error(`not an event: ${JSON.stringify(block)}`);
    return block.slice('data: '.length);
  });
}

/** The events of a complete answer. @throws Error when [DONE] is missing or not last. */
export function eventsOf<T>(text: string): T[] {
  const payloads = payloadsOf(text);
  if (payloads.indexOf('[DONE]') !== payloads.length - 1) throw new Error(`[DONE] is not the end: ${payloads.slice(-2).join(' | ')}`);
  return payloads.slice(0, -1).map((payload) => JSON.parse(payload) as T);
}

/** A streamed answer as it comes in. */
export class OpenStream {
  #text = '';
  #read = 0;
  #ended = false;
  #wake: () => void = () => undefined;

  constructor(
    private readonly outgoing: ClientRequest,
    private readonly response: IncomingMessage,
  ) {
    response.setEncoding('utf8');
    response.on('data', (text: string) => {
      this.#text += text;
      this.#wake();
    });
    response.on('close', () => {
      this.#ended = true;
      this.#wake();
    });
    response.on('error', () => undefined);
  }

  get status(): number {
    return this.response.statusCode!;
  }

  get headers(): IncomingHttpHeaders {
    return this.response.headers;
  }

  /** False where the connection broke before the response's own end. */
  get complete(): boolean {
    return this.response.complete;
  }

  /** The next event, or undefined at the end. */
  async next<T>(): Promise<T | undefined> {
    for (;;) {
      const end = this.#text.indexOf('\n\n', this.#read);
      if (end >= 0) {
        const [payload] = payloadsOf(this.#text.slice(this.#read, end + 2));
        this.#read = end + 2;
        if (payload === '[DONE]') return undefined;
        if (payload !== undefined) return JSON.parse(payload) as T;
      } else if (this.#ended) return undefined;
      else await this.#more();
    }
  }

  /** What has come so far. */
  get received(): string {
    return this.#text;
  }

  /** All of it, as soon as the response has ended. */
  async text(): Promise<string> {
    while (!this.#ended) await this.#more();
    return this.#text;
  }

  /** Closes the connection, as a client that goes away. */
  leave(): void {
    this.outgoing.destroy();
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

export interface StreamOptions {
  readonly url: string;
  readonly key: string;
  readonly body: object;
  /** Beside those that every request has. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Closes the connection, also before there is an answer. */
  readonly signal?: AbortSignal;
}

/** Resolves with the response's head. */
export function openStream({ url, key, body, headers: more, signal }: StreamOptions): Promise<OpenStream> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...more };
    const outgoing = request(url, { method: 'POST', agent: false, headers, signal }, (response) =>
      resolve(new OpenStream(outgoing, response)),
    );
    outgoing.on('error', reject);
    outgoing.end(JSON.stringify(body));
  });
}
