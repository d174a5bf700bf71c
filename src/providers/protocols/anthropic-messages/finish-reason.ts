import type { FinishReason } from '../../../wire/chat-completion.js';

const reasons: ReadonlyMap<string, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['pause_turn', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
  ['refusal', 'content_filter'],
]);

/**
 * Translates the vendor's stop reason. Words that it adds later mean `stop`.
 * @param called whether the response has tool calls, which the word may contradict
 */
export function finishReasonFrom(word: string, called: boolean): FinishReason {
  const reason = reasons.get(word) ?? 'stop';
  if (reason === 'stop' && called) return 'tool_calls';
  return reason === 'tool_calls' && !called ? 'stop' : reason;
}
