import { isObject } from '../../wire/json-object.js';
import type { Usage } from '../../wire/usage.js';
import { readUsage } from '../protocols/read-usage.js';
import { tokenCount } from '../protocols/token-count.js';
import type { ChatUsage } from './wire.js';

/**
 * The tokens that Cohere bills. Its own instructions (for tools, safety, grounding) are read by the model, and are not
 * billed; where an address counts no billed tokens, all count. Cached tokens are told of all that was read. How many of
 * them were billed is not told: as few as can be, because what is not billed comes first in the prompt.
 * @returns undefined where the counts are not complete
 */
export function usageFrom(told: unknown): Usage | undefined {
  const { tokens, billed_units: billed, cached_tokens }: ChatUsage = isObject(told) ? told : {};
  const read = tokenCount(tokens?.input_tokens);
  const input = tokenCount(billed?.input_tokens) ?? read;
  const output = tokenCount(billed?.output_tokens) ?? tokenCount(tokens?.output_tokens);
  if (input === undefined || output === undefined) return undefined;
  const unbilled = Math.max(0, (read ?? input) - input);
  const reasoning_tokens = tokenCount(tokens?.reasoning_tokens);
  const cached = Math.max(0, (tokenCount(cached_tokens) ?? 0) - unbilled);
  return readUsage({
    prompt: input,
    completion: output,
    total: input + output,
    ...(cached > 0 && { promptParts: { cached_tokens: cached } }),
    ...(reasoning_tokens !== undefined && { completionParts: { reasoning_tokens } }),
  });
}
