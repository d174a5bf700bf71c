import type { ByteText } from './byte-text.js';
import type { TextRun } from './generation.js';

/**
 * Several events that came at the same moment and differ in one text alone. The payload of event i is
 * `head + literals[i] + tail`.
 */
export class EventRun implements TextRun {
  constructor(
    readonly head: ByteText,
    readonly literals: readonly ByteText[],
    readonly tail: ByteText,
  ) {}
}

/**
 * What the Observable of a streamed response emits: the JSON of one event, without line breaks, or of several events. A
 * format of an operation's own may put several into one text, with what its framing has between two.
 */
export type StreamEvent = ByteText | EventRun;
