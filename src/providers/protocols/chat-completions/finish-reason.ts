import type { FinishReason } from '../../../wire/chat-completion.js';
import { ProviderError } from '../../contract/provider-error.js';

const known = new Map<string, FinishReason>(
  Object.entries({
    stop: 'stop',
    length: 'length',
    max_tokens: 'length',
    max_length: 'length',
    max_output_tokens: 'length',
    model_length: 'length',
    model_context_window_exceeded: 'length',
    tool_calls: 'tool_calls',
    tool_call: 'tool_calls',
    tool_use: 'tool_calls',
    function_call: 'tool_calls',
    content_filter: 'content_filter',
    content_filtered: 'content_filter',
    safety: 'content_filter',
    recitation: 'content_filter',
    prohibited_content: 'content_filter',
    blocklist: 'content_filter',
    spii: 'content_filter',
    sensitive: 'content_filter',
  } as const),
);

/** A vendor's words for a response that it broke off itself. */
const failures = /^(error|abort|aborted|cancelled|network_error|insufficient_system_resource|malformed_function_call)$/;

/**
 * Translates a vendor's word to those of the wire format. `eos`, `end_turn`, `stop_sequence` and every other unknown
 * word mean `stop`.
 * @throws ProviderError bad_response where the word says that the response was broken off
 */
export function finishReasonFrom(word: string): FinishReason {
  const usual = known.get(word);
  if (usual) return usual;
  const lower = word.toLowerCase();
  if (failures.test(lower)) throw new ProviderError('bad_response', `The provider broke its answer off (${lower})`);
  return known.get(lower) ?? 'stop';
}
