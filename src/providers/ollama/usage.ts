import type { GenerationChunk } from '../../wire/generation.js';
import { readUsage } from '../protocols/read-usage.js';
import { tokenCount } from '../protocols/token-count.js';
import type { OllamaResponse } from './wire.js';

/**
 * The counts of a response that is done. The vendor leaves out a count of 0: no answer has a prompt of 0, so that a
 * prompt without a count was not counted (by old servers, where all of it was cached), and output that was
 * written was not 0 either. What is missing then the gateway counts.
 * @param wrote whether the response has output
 */
export function usageFrom(response: OllamaResponse, wrote: boolean): Pick<GenerationChunk, 'usage' | 'usageSoFar'> {
  const prompt = tokenCount(response.prompt_eval_count) || undefined;
  const completion = tokenCount(response.eval_count) || (wrote ? undefined : 0);
  const cached = tokenCount(response.prompt_eval_cached_count);
  const usage = readUsage({ prompt, completion, ...(cached !== undefined && { promptParts: { cached_tokens: cached } }) });
  if (usage) return { usage };
  if (prompt === undefined && !completion) return {};
  return {
    usageSoFar: {
      ...(prompt !== undefined && { prompt_tokens: prompt }),
      ...(completion !== undefined && { completion_tokens: completion }),
    },
  };
}
