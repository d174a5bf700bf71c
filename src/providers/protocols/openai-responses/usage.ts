import { isObject } from '../../../wire/json-object.js';
import type { Usage } from '../../../wire/usage.js';
import { usageFrom as usageOfCompletions } from '../chat-completions/usage.js';
import { isText } from '../is-text.js';
import type { Response } from './wire.js';

/** The counts of a response, which are those of chat completions by other names. @returns undefined where there are none */
export function usageFrom({ usage, service_tier }: Response): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const { input_tokens, input_tokens_details, output_tokens, output_tokens_details, total_tokens } = usage;
  const counted = usageOfCompletions({
    prompt_tokens: input_tokens,
    prompt_tokens_details: input_tokens_details,
    completion_tokens: output_tokens,
    completion_tokens_details: output_tokens_details,
    total_tokens,
  });
  return counted && isText(service_tier) ? { ...counted, service_tier } : counted;
}
