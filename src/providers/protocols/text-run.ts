import { asByteText } from '../../wire/byte-text.js';
import type { TextRun } from '../../wire/generation.js';

/** The member that holds the text: of a chat choice's delta, or `text` of a completion's choice. */
export type TextField = 'content' | 'reasoning_content' | 'text';

/** The constant parts of the events of a run. */
export type RunEnds = Pick<TextRun, 'head' | 'tail'>;

/** The ends of a run of a choice's text. */
export function textEnds(index: number, field: TextField): RunEnds {
  if (field === 'text') return ends(`"choices":[{"index":${index},"text":"`, '","logprobs":null,"finish_reason":null}]}');
  return ends(`"choices":[{"index":${index},"delta":{"${field}":"`, '"},"logprobs":null,"finish_reason":null}]}');
}

/**
 * The ends of a run of the arguments of a tool call that has begun.
 * @param call index of the call among those of the choice
 */
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
