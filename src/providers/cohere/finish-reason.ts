import type { FinishReason } from '../../wire/chat-completion.js';
import type { ProviderErrorKind } from '../contract/provider-error.js';
import { ownOf } from '../../wire/own-members.js';

/** Words of v2/chat and of older operations (cohere-openapi.yaml: ChatFinishReason, FinishReason, ChatStreamEndEvent). */
const reasons: Readonly<Record<string, FinishReason>> = {
  COMPLETE: 'stop',
  STOP_SEQUENCE: 'stop',
  MAX_TOKENS: 'length',
  // "cut off because the model reached the maximum number of tokens for its context length"
  ERROR_LIMIT: 'length',
  TOOL_CALL: 'tool_calls',
};

const failures: Readonly<Record<string, ProviderErrorKind>> = {
  TIMEOUT: 'timeout',
  ERROR_TOXIC: 'content_filtered',
  USER_CANCEL: 'overloaded',
};

/**
 * Translates Cohere's word for the end of an answer. Words that it adds later mean `stop`.
 * @param called whether the answer has tool calls, which the word may contradict
 */
export function finishReasonFrom(word: string, called: boolean): FinishReason {
  const reason = ownOf(reasons, word) ?? 'stop';
  if (reason === 'stop' && called) return 'tool_calls';
  return reason === 'tool_calls' && !called ? 'stop' : reason;
}

/** The kind of failure that a word means; undefined where the answer is complete, or as long as it could be. */
export function failureOf(word: string): ProviderErrorKind | undefined {
  return ownOf(failures, word) ?? (word.startsWith('ERROR') && !ownOf(reasons, word) ? 'overloaded' : undefined);
}
