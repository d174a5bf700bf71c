import type { Delta } from '../../../wire/chat-completion.js';
import type { GenerationChunk } from '../../../wire/generation.js';
import type { Hole } from '../event-template.js';
import { argumentsEnds, type RunEnds, textEnds } from '../text-run.js';
import type { MessageEvent } from './wire.js';

/**
 * An event that is one delta of one block's text, so that the same event with another text is the block's next delta.
 */
export interface TextEvent {
  readonly event: MessageEvent;
  readonly holes: readonly Hole[];
  /** The member of the event's delta that holds the text. */
  readonly field: TextField;
  readonly ends: RunEnds;
}

type TextField = 'text' | 'thinking' | 'partial_json';

/** The member that holds the text, by the type of the delta. */
const fields: ReadonlyMap<string, TextField> = new Map([
  ['text_delta', 'text'],
  ['thinking_delta', 'thinking'],
  ['input_json_delta', 'partial_json'],
]);

/** @param chunk what `event` was translated to */
export function textEventOf(event: MessageEvent, { choices }: GenerationChunk): TextEvent | undefined {
  const field = fields.get(event.delta?.type as string);
  const ends = event.type === 'content_block_delta' && choices[0]?.delta && endsOf(choices[0].delta);
  return field && ends ? { event, holes: [{ kind: 'text', path: ['delta', field] }], field, ends } : undefined;
}

/** @returns undefined for a delta that says more than one text */
function endsOf(delta: Delta): RunEnds | undefined {
  const [name, ...others] = Object.keys(delta);
  if (others.length > 0) return undefined;
  if (name === 'content' || name === 'reasoning_content') return textEnds(0, name);
  return name === 'tool_calls' ? argumentsEnds(0, delta.tool_calls![0]!.index) : undefined;
}
