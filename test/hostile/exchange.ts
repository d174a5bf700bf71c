import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { costOf } from './prices.ts';

/** The provider's tokenizer: bytes a token, of what it receives and of what it says. */
export const TOKEN_BYTES = 4;

/** A prompt by which the provider's record of a request and the client's can be laid side by side. */
export const marked = (mark: number, prompt: string): string => `[#${mark}] ${prompt}`;

export interface Counts {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly completion_tokens_details?: { readonly reasoning_tokens: number };
}

/** One request as the provider got it, and what it has answered and counted so far. */
export class Exchange {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly raw: Buffer;
  /** Tokens that the provider bills: what it has received, what it has said, and what it has thought without a word. */
  prompt: number;
  said = 0;
  thought = 0;
  /** Milliseconds on the clock of `performance.now()` at which the gateway has closed the connection. */
  closedAt: number | undefined;
  /** Nano-credits of what has a price of its own. */
  besides = 0n;
  readonly cameAt = performance.now();
  readonly closed: Promise<void>;
  readonly response: ServerResponse;
  #parsed: Record<string, unknown> | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, raw: Buffer) {
    this.path = request.url ?? '';
    this.headers = request.headers;
    this.raw = raw;
    this.prompt = Math.ceil(raw.length / TOKEN_BYTES);
    this.response = response;
    this.closed = new Promise((resolve) => {
      response.once('close', () => {
        if (!response.writableFinished) this.closedAt = performance.now();
        resolve();
      });
    });
  }

  get body(): Record<string, unknown> {
    return (this.#parsed ??= JSON.parse(this.raw.toString()) as Record<string, unknown>);
  }

  /** Which of the attacker's requests it is, where the prompt says so (see `marked`). */
  get mark(): number {
    const from = this.raw.indexOf('[#');
    return from < 0 ? Number.NaN : Number.parseInt(this.raw.toString('latin1', from + 2, from + 12), 10);
  }

  get stream(): boolean {
    return this.raw.includes('"stream":true');
  }

  /** Nano-credits of everything that the provider has counted so far. */
  get due(): bigint {
    return costOf(this.prompt, this.said + this.thought) + this.besides;
  }

  get counts(): Counts {
    return {
      prompt_tokens: this.prompt,
      completion_tokens: this.said + this.thought,
      ...(this.thought > 0 && { completion_tokens_details: { reasoning_tokens: this.thought } }),
    };
  }

  get left(): boolean {
    return this.closedAt !== undefined || this.response.destroyed;
  }

  /** Sends bytes as they are; resolves when there is room for more, or nobody to read it. */
  async write(bytes: string | Buffer): Promise<void> {
    if (this.left) return;
    if (!this.response.headersSent)
      this.response.writeHead(200, { 'content-type': this.stream ? 'text/event-stream' : 'application/json' });
    if (!this.response.write(bytes)) await Promise.race([once(this.response, 'drain').catch(() => undefined), this.closed]);
  }

  event(payload: object): Promise<void> {
    return this.write(`data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', ...payload })}\n\n`);
  }

  delta(delta: object, finish_reason: string | null = null): Promise<void> {
    return this.event({ choices: [{ index: 0, delta, finish_reason }] });
  }

  /** Says a piece of text. Counted as soon as it is written. @param tokens those that the provider counts for it */
  async say(content: string, tokens = Math.ceil(Buffer.byteLength(content) / TOKEN_BYTES)): Promise<void> {
    if (this.left) return;
    this.said += tokens;
    await this.delta({ content });
  }

  think(tokens: number): void {
    if (!this.left) this.thought += tokens;
  }

  finish(reason = 'stop'): Promise<void> {
    return this.delta({}, reason);
  }

  usage(counts: object = this.counts): Promise<void> {
    return this.event({ choices: [], usage: { total_tokens: 0, ...counts } });
  }

  end(): void {
    if (!this.left) this.response.end(this.stream ? 'data: [DONE]\n\n' : undefined);
  }

  /** Ends a stream as an honest provider does. */
  async done(): Promise<void> {
    await this.finish();
    await this.usage();
    this.end();
  }

  /** Answers as a whole. @param usage null: without a count */
  whole(content: string, usage: object | null = this.counts, message: object = {}): void {
    this.json(200, {
      id: 'x',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, message: { role: 'assistant', content, ...message }, finish_reason: 'stop' }],
      ...(usage && { usage: { total_tokens: 0, ...usage } }),
    });
  }

  json(status: number, payload: object): void {
    if (this.left) return;
    this.response.writeHead(status, { 'content-type': 'application/json' });
    this.response.end(JSON.stringify(payload));
  }

  refuse(status: number, message: string, headers: Record<string, string> = {}): void {
    if (this.left) return;
    this.response.writeHead(status, { 'content-type': 'application/json', ...headers });
    this.response.end(JSON.stringify({ error: { message, type: 'invalid_request_error', code: null } }));
  }

  /** Says and counts one answer, streamed or not as it was asked for. */
  async answer(content: string, tokens?: number): Promise<void> {
    if (this.stream) {
      await this.say(content, tokens);
      return this.done();
    }
    this.said += tokens ?? Math.ceil(Buffer.byteLength(content) / TOKEN_BYTES);
    this.whole(content);
  }
}
