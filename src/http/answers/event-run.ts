import type { ByteText } from '../../wire/byte-text.js';
import type { TextRun } from '../../wire/generation.js';

/** Several events that came at the same moment and differ in one text alone. The payload of event i is `head + literals[i] + tail`. */
export class EventRun implements TextRun {
  constructor(
    readonly head: ByteText,
    readonly literals: readonly ByteText[],
    readonly tail: ByteText,
  ) {}
}
