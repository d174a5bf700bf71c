import type { Delta, ToolCallDelta } from '../../wire/chat-completion.js';
import type { GenerationChunk } from '../../wire/generation.js';
import type { PartTranslator } from './translator.js';
import type { Content, StreamPart, WholeResult } from './wire.js';

/**
 * Translates an answer that is not streamed: as the parts that it would have been streamed as, in one chunk.
 * @throws ProviderError
 */
export function wholeAnswer(result: WholeResult, translator: PartTranslator): GenerationChunk {
  const { content, warnings, finishReason, usage, providerMetadata } = result;
  const said: Delta = { role: 'assistant', content: null };
  translator.chunk({ type: 'stream-start', warnings });
  for (const [place, item] of content.entries()) {
    for (const part of partsOf(item, String(place))) {
      for (const { delta } of translator.chunk(part)?.choices ?? []) if (delta) join(said, delta);
    }
  }
  const last = translator.chunk({ type: 'finish', finishReason, usage, providerMetadata })!;
  for (const { delta } of last.choices) if (delta) join(said, delta);
  return { ...last, choices: last.choices.map((choice) => ({ ...choice, delta: said })) };
}

function partsOf(item: Content, id: string): StreamPart[] {
  switch (item.type) {
    case 'text':
      return [
        { type: 'text-start', id },
        { type: 'text-delta', id, delta: item.text },
        { type: 'text-end', id, ...('citations' in item && { citations: item.citations }) },
      ];
    case 'reasoning':
      return [
        { type: 'reasoning-start', id },
        { type: 'reasoning-delta', id, delta: item.text },
        { type: 'reasoning-end', id, providerMetadata: item.providerMetadata },
      ];
    case 'tool-call':
    case 'tool-result':
    case 'tool-approval-request':
    case 'source':
    case 'file':
    case 'reasoning-file':
    case 'custom':
      return [item];
    default:
      return [item satisfies never];
  }
}

function join(said: Delta, { content, reasoning_content, tool_calls = [], annotations, extra_content }: Delta): void {
  if (content) said.content = (said.content ?? '') + content;
  if (reasoning_content) said.reasoning_content = (said.reasoning_content ?? '') + reasoning_content;
  // An item of the answer has a call as a whole.
  if (tool_calls.length > 0) (said.tool_calls ??= []).push(...(tool_calls satisfies ToolCallDelta[]));
  if (extra_content !== undefined) said['extra_content'] = extra_content;
  if (Array.isArray(annotations)) for (const one of annotations as unknown[]) ((said['annotations'] ??= []) as unknown[]).push(one);
}
