import type { Offer } from '../../catalogue/offer.js';
import { MAX_CALLS } from '../../common/prices/counted-parts.js';
import type { InputsRequest } from '../../wire/inputs-request.js';
import { type Usage, withinSums } from '../../wire/usage.js';

/** The most tokens that one upstream call can plausibly come to; completion tokens are of all choices together. */
export interface TokenCeiling {
  /** What the model's context holds. */
  readonly prompt: number;
  /** What it generates at most. More may be true, where hidden reasoning does not count against its limit. */
  readonly completion: number;
  /** What its context holds of them, so that more cannot be true. */
  readonly possibleCompletion: number;
}

export function ceilingOf({ contextLength, maxTokens }: Pick<Offer, 'contextLength' | 'maxTokens'>, choices: number): TokenCeiling {
  return { prompt: contextLength, completion: maxTokens * choices, possibleCompletion: contextLength * choices };
}

/** The same for a call over inputs, each of which has a context of its own. */
export function ceilingOfInputs({ contextLength }: Pick<Offer, 'contextLength'>, { input }: InputsRequest): TokenCeiling {
  return { prompt: contextLength * input.length, completion: 0, possibleCompletion: 0 };
}

/**
 * What a provider has reported so far, with no part above its sum. Completion tokens count up to what the model can
 * generate. An answer with searches or other calls of hosted tools is made in steps, one more than its calls, and each
 * step has a context of its own: sources and reasoning count up to that many contexts. With hosted tools the prompt
 * does too, because the vendor counts it in each step.
 * @param hosted calls of hosted tools, no more than were asked for
 * @returns calls alone, and no tokens, where a count is not possible: then the gateway's own holds
 */
export function believed(reported: Partial<Usage>, ceiling: TokenCeiling, hosted = 0): Partial<Usage> {
  const told = withinSums(reported);
  const { prompt_tokens, completion_tokens = 0, completion_tokens_details: details = {}, server_tool_use } = told;
  const { web_search_requests: searches = 0 } = server_tool_use ?? {};
  const prompt = prompt_tokens === undefined ? 0 : believedCount(prompt_tokens, ceiling.prompt * (1 + hosted));
  const steps = 1 + Math.min(Math.max(searches, hosted), MAX_CALLS);
  const { citation_tokens: read = 0, reasoning_tokens = 0 } = details;
  const reasoned = steps > 1 ? reasoning_tokens : 0;
  const sources = believedCount(read, ceiling.prompt * steps);
  const reasoning = believedCount(reasoned, ceiling.possibleCompletion * steps);
  const visible =
    completion_tokens < 0 ? undefined : believedCount(Math.max(0, completion_tokens - read - reasoned), ceiling.possibleCompletion);
  if (prompt === undefined || sources === undefined || reasoning === undefined || visible === undefined)
    return server_tool_use ? { server_tool_use } : {};
  const completion = Math.min(Math.ceil(completion_tokens), Math.min(visible, ceiling.completion) + sources + reasoning);
  const counts = { ...told };
  if (prompt_tokens !== undefined) counts.prompt_tokens = prompt;
  if (told.completion_tokens !== undefined) counts.completion_tokens = completion;
  return counts;
}

/** Whole tokens; undefined below zero, beyond the ceiling, and for what is no number. */
export function believedCount(reported: number, ceiling: number): number | undefined {
  return reported >= 0 && reported <= ceiling ? Math.ceil(reported) : undefined;
}
