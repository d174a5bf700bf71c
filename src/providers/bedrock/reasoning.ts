import type { ChatGenerationRequest } from '../../wire/generation.js';
import { setThinking } from '../protocols/anthropic-messages/reasoning.js';
import type { MessagesBody } from '../protocols/anthropic-messages/wire.js';
import type { BedrockTraits } from './model-traits.js';
import { ownOf } from '../../wire/own-members.js';

/**
 * Nova refuses an output limit beside its `high`, and the gateway names a limit in every request: deeper words become
 * `medium`, and are reported as dropped.
 */
const novaEfforts: Readonly<Record<string, string>> = { minimal: 'low', low: 'low', medium: 'medium', high: 'medium' };

const ossEfforts: Readonly<Record<string, string>> = { minimal: 'low', low: 'low', medium: 'medium', high: 'high', xhigh: 'high' };

/**
 * The fields of the model's own format that set the depth of thinking from `reasoning_effort`, or Claude's own
 * `thinking` as the client wrote it.
 * @param draft the request in the words of Anthropic's Messages, of which the output limit and the tool choice are read
 */
export function reasoningFields(
  request: ChatGenerationRequest,
  draft: MessagesBody,
  traits: BedrockTraits,
  dropped: (parameter: string) => void,
): Record<string, unknown> {
  const { reasoning_effort: effort } = request;
  if (traits.family === 'claude') {
    const forced = draft.tool_choice?.type === 'any' || draft.tool_choice?.type === 'tool';
    setThinking(draft, request, traits, forced, dropped);
    const depth = draft.output_config?.effort;
    return { ...(draft.thinking && { thinking: draft.thinking }), ...(depth && { output_config: { effort: depth } }) };
  }
  if (effort === undefined) return {};
  if (traits.family === 'nova' && traits.thinking !== 'none') {
    if (effort === 'none') return { reasoningConfig: { type: 'disabled' } };
    const word = ownOf(novaEfforts, effort) ?? 'medium';
    if (!/^(minimal|low|medium)$/.test(effort)) dropped('reasoning_effort');
    return { reasoningConfig: { type: 'enabled', maxReasoningEffort: word } };
  }
  const word = traits.family === 'gpt-oss' ? ownOf(ossEfforts, effort) : undefined;
  if (word) return { reasoning_effort: word };
  dropped('reasoning_effort');
  return {};
}
