import type { FinishReason } from '../../wire/chat-completion.js';
import type { ProviderErrorKind } from '../provider-error.js';
import { ownOf } from '../../wire/own-members.js';

const reasons: Readonly<Record<string, FinishReason>> = {
  COMPLETE: 'stop',
  STOP_SEQUENCE: 'stop',
  MAX_TOKENS: 'length',
  TOOL_CALL: 'tool_calls',
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

/** The kind of failure that a word means; undefined where the answer is complete. */
export function failureOf(word: string): ProviderErrorKind | undefined {
  if (word === 'TIMEOUT') return 'timeout';
  if (word === 'ERROR_TOXIC') return 'content_filtered';
  return word.startsWith('ERROR') ? 'overloaded' : undefined;
}
