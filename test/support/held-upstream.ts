import { LoopbackUpstream, type Reply } from '../../src/providers/testing/loopback-upstream.js';
import { until } from './until.js';

/** A provider of completions that answers a prompt when it is told to, and counts what it is told. */
export class HeldUpstream {
  /** What answers those that wait, by prompt. */
  readonly #held = new Map<string, (body: string) => void>();

  private constructor(private readonly upstream: LoopbackUpstream) {
    upstream.replies(({ method, body }) => {
      if (method !== 'POST') return { status: 404 };
      const { promise, resolve } = Promise.withResolvers<void>();
      const reply: Reply = { headers: { 'content-type': 'application/json' }, when: promise };
      this.#held.set((JSON.parse(body) as { prompt: string }).prompt, (answer) => {
        reply.body = answer;
        resolve();
      });
      return reply;
    });
  }

  static async start(): Promise<HeldUpstream> {
    return new HeldUpstream(await LoopbackUpstream.start());
  }

  get origin(): string {
    return this.upstream.origin;
  }

  /** Resolves when the prompt waits for its answer. */
  async has(prompt: string): Promise<void> {
    await until(() => this.#held.has(prompt), `${prompt} at the provider`);
  }

  /** Answers with one word, for which it counts so many completion tokens, and nothing for the prompt. */
  answer(prompt: string, completion_tokens: number): void {
    const choices = [{ index: 0, text: 'yes', logprobs: null, finish_reason: 'length' }];
    const usage = { prompt_tokens: 0, completion_tokens, total_tokens: completion_tokens };
    this.#held.get(prompt)!(JSON.stringify({ choices, usage }));
    this.#held.delete(prompt);
  }

  stop(): Promise<void> {
    return this.upstream.stop();
  }
}
