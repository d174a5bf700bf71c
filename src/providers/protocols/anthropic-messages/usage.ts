import { type PromptTokensDetails, type Usage, usageOf } from '../../../wire/usage.js';
import { isObject, type JsonObject } from '../../../wire/json-object.js';
import { isText } from '../is-text.js';
import { tokenCount } from '../token-count.js';

/**
 * Collects the vendor's counts, which are cumulative: the most that was told of each holds.
 */
export class UsageCount {
  #input: number | undefined;
  #output: number | undefined;
  #cacheRead = 0;
  #cacheCreation = 0;
  #short: number | undefined;
  #long: number | undefined;
  #thinking: number | undefined;
  #searches = 0;
  #serviceTier: string | undefined;

  see(usage: unknown): void {
    if (!isObject(usage)) return;
    this.#input = most(this.#input, usage['input_tokens']);
    this.#output = most(this.#output, usage['output_tokens']);
    this.#cacheRead = most(this.#cacheRead, usage['cache_read_input_tokens']);
    this.#cacheCreation = most(this.#cacheCreation, usage['cache_creation_input_tokens']);
    const written = inside(usage, 'cache_creation');
    this.#short = most(this.#short, written['ephemeral_5m_input_tokens']);
    this.#long = most(this.#long, written['ephemeral_1h_input_tokens']);
    this.#thinking = most(this.#thinking, inside(usage, 'output_tokens_details')['thinking_tokens']);
    if (isText(usage['service_tier'])) this.#serviceTier = usage['service_tier'];
    this.#searches = most(this.#searches, inside(usage, 'server_tool_use')['web_search_requests']);
  }

  /** The sum of all prompt tokens: `input_tokens` does not include what was read from the cache or written to it. */
  get promptTokens(): number | undefined {
    return this.#input === undefined ? undefined : this.#input + this.#cacheRead + this.#written;
  }

  /** Undefined where the vendor's counts are not complete. */
  get usage(): Usage | undefined {
    const prompt = this.promptTokens;
    if (prompt === undefined || this.#output === undefined) return undefined;
    const usage = usageOf(prompt, this.#output);
    const { promptDetails } = this;
    if (promptDetails) usage.prompt_tokens_details = promptDetails;
    if (this.#thinking !== undefined) usage.completion_tokens_details = { reasoning_tokens: this.#thinking };
    if (this.#serviceTier !== undefined) usage.service_tier = this.#serviceTier;
    if (this.#searches > 0) usage.server_tool_use = { web_search_requests: this.#searches };
    return usage;
  }

  get #written(): number {
    return Math.max(this.#cacheCreation, (this.#short ?? 0) + (this.#long ?? 0));
  }

  get serviceTier(): string | undefined {
    return this.#serviceTier;
  }

  /** Undefined where nothing was read from the cache, nor written to it. */
  get promptDetails(): PromptTokensDetails | undefined {
    if (this.#cacheRead === 0 && this.#written === 0) return undefined;
    const details: PromptTokensDetails = { cached_tokens: this.#cacheRead, cache_creation_tokens: this.#written };
    if (this.#short || this.#long)
      details.cache_creation_token_details = {
        ephemeral_5m_input_tokens: this.#short ?? 0,
        ephemeral_1h_input_tokens: this.#long ?? 0,
      };
    return details;
  }
}

function inside(usage: JsonObject, name: string): JsonObject {
  const inner = usage[name];
  return isObject(inner) ? inner : {};
}

/** An absent count changes nothing. */
function most<Before extends number | undefined>(before: Before, told: unknown): Before | number {
  const count = tokenCount(told);
  return count !== undefined && (before === undefined || count > before) ? count : before;
}
