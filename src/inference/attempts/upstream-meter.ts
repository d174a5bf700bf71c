import { ProviderError } from '../../providers/provider-error.js';
import type { FinishReason } from '../../wire/chat-completion.js';
import type { GenerationChunk, GenerationRequest } from '../../wire/generation.js';
import { type Usage, usageOf } from '../../wire/usage.js';
import { estimateTokens, generatedBytes } from '../planning/token-counter.js';

/** Counts one upstream call: what was generated so far, and the usage that the provider reports at the end. */
export class UpstreamMeter {
  readonly #finished = new Map<number, FinishReason>();
  #usage: Usage | undefined;
  #promptTokens: number | undefined;
  #tokens = 0;
  #exact = true;
  #bytes = 0;
  /** Number of events with generated text. */
  #events = 0;
  #firstTokenAt: number | undefined;
  #lacksLogprobs = false;

  /** @param promptBytes UTF-8 bytes of the prompt's text, for an estimate where the provider gives no count */
  constructor(
    private readonly request: GenerationRequest,
    private readonly promptBytes: number,
  ) {}

  see(chunk: GenerationChunk): void {
    for (const choice of chunk.choices) {
      if (choice.finish_reason) this.#finished.set(choice.index, choice.finish_reason);
      const bytes = generatedBytes(choice);
      if (bytes === 0) continue;
      this.#firstTokenAt ??= performance.now();
      this.#events += chunk.run?.literals.length ?? 1;
      this.#bytes += bytes;
      if (chunk.tokens === undefined) this.#exact = false;
      if (this.#needsLogprobs && !choice.logprobs) this.#lacksLogprobs = true;
    }
    if (chunk.tokens !== undefined) this.#tokens += count(chunk.tokens);
    if (chunk.promptTokens !== undefined) this.#promptTokens = count(chunk.promptTokens);
    if (chunk.usage) this.#usage = counted(chunk.usage);
  }

  /**
   * Checks that the response is complete: a truncated one must not look complete, and best_of ranks by log
   * probabilities.
   * @throws ProviderError bad_response where a choice has not ended, or lacks log probabilities that were asked for
   */
  requireFinished(): void {
    if (this.#lacksLogprobs) throw new ProviderError('bad_response', 'the answer lacks the log probabilities that were asked for');
    if (this.#finished.size < this.request.n)
      throw new ProviderError('bad_response', 'the answer ended without a finish_reason for every choice');
  }

  /**
   * Only for completions that are not streamed: in a stream, log probabilities may come in another chunk than their
   * text.
   */
  get #needsLogprobs(): boolean {
    return this.request.operation === 'completion' && this.request.logprobs !== undefined && !this.request.stream;
  }

  /** Those of the choices that have ended, in the order of the choices. */
  get finishReasons(): readonly FinishReason[] {
    if (this.#finished.size < 2) return [...this.#finished.values()];
    return [...this.#finished].sort(([a], [b]) => a - b).map(([, reason]) => reason);
  }

  /** True where the provider gave no usage. */
  get estimated(): boolean {
    return this.#usage === undefined;
  }

  /** On the clock of `performance.now()`. */
  get firstTokenAt(): number | undefined {
    return this.#firstTokenAt;
  }

  get empty(): boolean {
    return this.#events === 0;
  }

  /** Completion tokens so far; never more than were generated. */
  get completionTokens(): number {
    if (this.#exact) return this.#tokens;
    return Math.max(this.#events, estimateTokens(this.#bytes));
  }

  /** The provider's count, or an estimate. */
  get promptTokens(): number {
    return this.#promptTokens ?? estimateTokens(this.promptBytes);
  }

  /** Usage of a complete response: what the provider reports, or otherwise the tokens counted here. */
  get usage(): Usage {
    return this.#usage ?? this.delivered;
  }

  /** Usage of a response that is not complete: the prompt and what was generated so far. */
  get delivered(): Usage {
    return usageOf(this.promptTokens, this.completionTokens);
  }
}

function counted({ prompt_tokens, completion_tokens, total_tokens: _total, ...details }: Usage): Usage {
  return { ...usageOf(count(prompt_tokens), count(completion_tokens)), ...details };
}

/** Converts a provider's number into a count: negative, fractional or absurd values must not be charged. */
function count(value: number): number {
  return Number.isSafeInteger(value) && value > 0 ? value : 0;
}
