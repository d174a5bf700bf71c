import { copyOf } from '../../wire/members.js';
import { placedBlocks } from '../../providers/translation/signed-thinking.js';
import type { RequestRules } from '../../providers/contract/request-rules.js';
import type { Message } from '../../wire/chat-completion.js';
import type { ChatGenerationRequest } from '../../wire/generation.js';
import { isObject } from '../../wire/json-object.js';

/** How deeply a model thinks that decides itself, where nobody says it. */
const OWN_EFFORT = 'high';

/**
 * The members that say how a model thinks, as it takes them in this conversation.
 * @returns those that change
 */
export function fitThinking(
  { messages, extra, reasoning_effort: effort }: ChatGenerationRequest,
  kind: NonNullable<RequestRules['thinking']>,
  dropped: (parameter: string) => void,
): Pick<Partial<ChatGenerationRequest>, 'extra' | 'reasoning_effort'> {
  const own = extra?.['thinking'];
  const type = isObject(own) ? own['type'] : undefined;
  if (type === undefined ? (effort ?? 'none') === 'none' : type !== 'enabled' && type !== 'adaptive') return {};
  const takesBudget = kind !== 'adaptive' && leadsWithThinking(messages);
  if (type === 'enabled' ? takesBudget : kind !== 'budget' || (type === undefined && takesBudget)) return {};
  dropped(type === undefined ? 'reasoning_effort' : 'thinking');
  const changes = { reasoning_effort: kind !== 'budget' || takesBudget ? (effort ?? OWN_EFFORT) : undefined };
  if (type === undefined) return changes;
  const others: Record<string, unknown> = copyOf(extra!);
  delete others['thinking'];
  return { ...changes, extra: others };
}

/** Whether the calls that the last results answer, or a last message of the assistant, begin with signed thinking. */
function leadsWithThinking(messages: readonly Message[]): boolean {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  if (last < 0 || (last < messages.length - 1 && !messages.slice(last).some(({ role }) => role === 'tool'))) return true;
  let first = last;
  while (messages[first - 1]?.role === 'assistant') first--;
  const [block] = placedBlocks(messages[first]!);
  return block?.content === 0 && block.toolCalls === 0;
}
