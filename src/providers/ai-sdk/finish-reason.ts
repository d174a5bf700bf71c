import type { LanguageModelV3FinishReason, LanguageModelV4FinishReason } from '@ai-sdk/provider';
import type { FinishReason } from '../../wire/chat-completion.js';
import { finishReasonFrom as vendorsWord } from '../protocols/chat-completions/finish-reason.js';
import { ProviderError } from '../contract/provider-error.js';

/**
 * Translates a finish reason of the AI SDK. `other` has the vendor's own word in `raw`; without one a package says it
 * of a stream that broke off.
 * @param called whether the answer calls tools: some vendors then end with `stop`
 * @throws ProviderError bad_response where the answer is not whole
 */
export function finishReasonFrom(
  { unified, raw }: LanguageModelV4FinishReason | LanguageModelV3FinishReason,
  called: boolean,
): FinishReason {
  switch (unified) {
    case 'stop':
      return called ? 'tool_calls' : 'stop';
    case 'length':
      return 'length';
    case 'content-filter':
      return 'content_filter';
    case 'tool-calls':
      return 'tool_calls';
    case 'other':
      if (raw) return vendorsWord(raw);
      throw brokenOff('without a reason');
    case 'error':
    case 'interrupted':
      throw brokenOff(unified);
    default:
      throw brokenOff(String(unified satisfies never));
  }
}

function brokenOff(why: string): ProviderError {
  return new ProviderError('bad_response', `The provider broke its answer off (${why.slice(0, 100)})`);
}
