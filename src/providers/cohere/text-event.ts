import type { Delta } from '../../wire/chat-completion.js';
import type { GenerationChunk } from '../../wire/generation.js';
import type { Hole } from '../protocols/event-template.js';
import { argumentsEnds, type RunEnds, textEnds } from '../protocols/text-run.js';
import type { ChatEvent } from './wire.js';

/** An event that is one delta of one text, so that the same event with another text is the next delta. */
export interface TextEvent {
  readonly holes: readonly Hole[];
  readonly ends: RunEnds;
  /** The delta of a text. */
  readonly deltaOf: (text: string) => Delta;
}

const content: Hole = { kind: 'text', path: ['delta', 'message', 'content', 'text'] };
const thinking: Hole = { kind: 'text', path: ['delta', 'message', 'content', 'thinking'] };
const called: Hole = { kind: 'text', path: ['delta', 'message', 'tool_calls', 'function', 'arguments'] };

/** @param chunk what `event` was translated to */
export function textEventOf({ type }: ChatEvent, { choices }: GenerationChunk): TextEvent | undefined {
  const delta = choices[0]?.delta;
  const [name, ...others] = Object.keys(delta ?? {});
  if (!delta || others.length > 0) return undefined;
  if (type === 'content-delta') {
    if (name === 'content') return { holes: [content], ends: textEnds(0, name), deltaOf: (text) => ({ content: text }) };
    if (name !== 'reasoning_content') return undefined;
    return { holes: [thinking], ends: textEnds(0, name), deltaOf: (text) => ({ reasoning_content: text }) };
  }
  if (type !== 'tool-call-delta' || name !== 'tool_calls') return undefined;
  const { index } = delta.tool_calls![0]!;
  const deltaOf = (text: string): Delta => ({ tool_calls: [{ index, function: { arguments: text } }] });
  return { holes: [called], ends: argumentsEnds(0, index), deltaOf };
}
