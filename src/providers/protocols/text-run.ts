import { asByteText } from '../../wire/byte-text.js';
import type { TextRun } from '../../wire/generation.js';

/** Of a chat choice's delta, or `text` of a completion's choice. */
export type TextField = 'content' | 'reasoning_content' | 'text';

/** What stands around the pieces of a run, as TextRun has it. */
export type RunEnds = Pick<TextRun, 'head' | 'tail'>;

/** Of a choice's text. */
export function textEnds(index: number, field: TextField): RunEnds {
  if (field === 'text') return ends(`"choices":[{"index":${index},"text":"`, '","logprobs":null,"finish_reason":null}]}');
  return ends(`"choices":[{"index":${index},"delta":{"${field}":"`, '"},"logprobs":null,"finish_reason":null}]}');
}

/** Of the arguments of a call that has begun. @param call its index among the choice's */
export function argumentsEnds(index: number, call: number): RunEnds {
  return ends(
    `"choices":[{"index":${index},"delta":{"tool_calls":[{"index":${call},"function":{"arguments":"`,
    '"}}]},"logprobs":null,"finish_reason":null}]}',
  );
}

/** Both are ASCII. */
function ends(head: string, tail: string): RunEnds {
  return { head: asByteText(head), tail: asByteText(tail) };
}
