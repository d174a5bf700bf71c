import type { ChatLogprobs, Delta } from '../../../wire/chat-completion.js';
import type { GenerationChoice } from '../../../wire/generation.js';

/** Adds a later delta of the translator's to a choice, which is changed. A call's first delta comes before its others. */
export function joinedDelta(whole: GenerationChoice, later: GenerationChoice): void {
  const { tool_calls = [], content, refusal, reasoning_content: thought, ...lists } = later.delta ?? {};
  const delta = (whole.delta ??= {});
  if (content) delta.content = (delta.content ?? '') + content;
  if (refusal) delta.refusal = (delta.refusal ?? '') + refusal;
  if (thought) delta.reasoning_content = (delta.reasoning_content ?? '') + thought;
  for (const call of tool_calls) {
    const known = delta.tool_calls?.[call.index]?.function;
    if (known) known.arguments = (known.arguments ?? '') + (call.function?.arguments ?? '');
    else (delta.tool_calls ??= []).push(call);
  }
  for (const name of Object.keys(lists)) addTo(delta, name, lists[name]);
  const tokens = (later.logprobs as ChatLogprobs | undefined)?.content;
  if (tokens) {
    const before = (whole.logprobs as ChatLogprobs | undefined)?.content ?? [];
    whole.logprobs = { content: [...before, ...tokens], refusal: null };
  }
  whole.finish_reason ??= later.finish_reason;
}

function addTo(delta: Delta, name: string, value: unknown): void {
  const before = delta[name];
  delta[name] = Array.isArray(before) && Array.isArray(value) ? [...(before as unknown[]), ...(value as unknown[])] : value;
}
