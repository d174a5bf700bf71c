import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { until } from './until.js';

/** A provider of completions that answers a prompt when it is told to, and counts what it is told. */
export class HeldUpstream {
  /** By prompt, those that wait for their answers. */
  readonly #held = new Map<string, ServerResponse>();
  readonly #server = createServer((request, response) => {
    if (request.method === 'POST')
      void text(request).then((body) => this.#held.set((JSON.parse(body) as { prompt: string }).prompt, response));
    else response.writeHead(404).end();
  });

  static async start(): Promise<HeldUpstream> {
    const upstream = new HeldUpstream();
    await once(upstream.#server.listen(0, '127.0.0.1'), 'listening');
    return upstream;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves when the prompt waits for its answer. */
  async has(prompt: string): Promise<void> {
    await until(() => this.#held.has(prompt), `${prompt} at the provider`);
  }

  /** Answers with one word, for which it counts so many completion tokens, and nothing for the prompt. */
  answer(prompt: string, completion_tokens: number): void {
    const choices = [{ index: 0, text: 'yes', logprobs: null, finish_reason: 'length' }];
    const usage = { prompt_tokens: 0, completion_tokens, total_tokens: completion_tokens };
    this.#held.get(prompt)!.setHeader('content-type', 'application/json').end(JSON.stringify({ choices, usage }));
    this.#held.delete(prompt);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
