import type { Delta } from '../../../wire/chat-completion.js';

/** Adds a later delta of a response to `whole`, which is changed. Tool calls come in order. */
export function mergeDelta(whole: Delta, later: Delta | undefined): void {
  if (!later) return;
  const { content, reasoning_content, thinking_blocks, hosted_items, tool_calls = [] } = later;
  if (content) whole.content = (whole.content ?? '') + content;
  if (reasoning_content) whole.reasoning_content = (whole.reasoning_content ?? '') + reasoning_content;
  if (thinking_blocks) (whole.thinking_blocks ??= []).push(...thinking_blocks);
  if (hosted_items) (whole.hosted_items ??= []).push(...hosted_items);
  for (const call of tool_calls) {
    const known = whole.tool_calls?.[call.index]?.function;
    if (known) known.arguments = (known.arguments ?? '') + (call.function?.arguments ?? '');
    else (whole.tool_calls ??= []).push(call);
  }
}
