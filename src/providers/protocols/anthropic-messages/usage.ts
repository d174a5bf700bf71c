import { type Usage, usageOf } from '../../../wire/usage.js';
import { isObject } from '../../../wire/json-object.js';

/**
 * Collects the vendor's counts, which are cumulative: a later count replaces an earlier one, null or an absent count
 * replaces nothing.
 */
export class UsageCount {
  #input: number | undefined;
  #output: number | undefined;
  #cacheRead = 0;
  #cacheCreation = 0;
  #thinking: number | undefined;

  see(usage: unknown): void {
    if (!isObject(usage)) return;
    this.#input = tokens(usage['input_tokens']) ?? this.#input;
    this.#output = tokens(usage['output_tokens']) ?? this.#output;
    this.#cacheRead = tokens(usage['cache_read_input_tokens']) ?? this.#cacheRead;
    this.#cacheCreation = tokens(usage['cache_creation_input_tokens']) ?? this.#cacheCreation;
    const details = usage['output_tokens_details'];
    if (isObject(details)) this.#thinking = tokens(details['thinking_tokens']) ?? this.#thinking;
  }

  /** The sum of all prompt tokens: `input_tokens` does not include what was read from the cache or written to it. */
  get promptTokens(): number | undefined {
    return this.#input === undefined ? undefined : this.#input + this.#cacheRead + this.#cacheCreation;
  }

  /** Undefined where the vendor's counts are not complete. */
  get usage(): Usage | undefined {
    const prompt = this.promptTokens;
    if (prompt === undefined || this.#output === undefined) return undefined;
    const usage = usageOf(prompt, this.#output);
    if (this.#cacheRead > 0 || this.#cacheCreation > 0) {
      usage.prompt_tokens_details = { cached_tokens: this.#cacheRead, cache_creation_tokens: this.#cacheCreation };
    }
    if (this.#thinking !== undefined) usage.completion_tokens_details = { reasoning_tokens: this.#thinking };
    return usage;
  }
}

function tokens(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
}
