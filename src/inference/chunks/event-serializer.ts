import type { AnswerMembers } from '../../wire/answer-members.js';
import { asByteText, concatBytes, type ByteText, byteText } from '../../wire/byte-text.js';
import type { TextRun } from '../../wire/generation.js';
import { EventRun, type StreamEvent } from '../../wire/stream-event.js';
import type { Usage } from '../../wire/usage.js';
import type { CompletionEnvelope } from './completion-envelope.js';

const NO_USAGE = ',"usage":null}';

/**
 * Makes the JSON of each event of one streamed completion. The envelope is the same in all events, so it is serialised
 * once; only `choices` is serialised for each event, and not even these where the provider's own text can be used.
 */
export class EventSerializer {
  readonly #head: ByteText;
  readonly #tail: string;

  /**
   * @param includeUsage the client set `stream_options.include_usage`: each event then has a null usage, and one more
   * at the end has the figures
   */
  constructor(
    envelope: CompletionEnvelope,
    object: 'chat.completion.chunk' | 'text_completion',
    private readonly includeUsage: boolean,
  ) {
    const { id, created, model } = envelope;
    this.#head = byteText(`${JSON.stringify({ id, object, created, model }).slice(0, -1)},`);
    this.#tail = includeUsage ? NO_USAGE : '}';
  }

  /** @param extra members of the event beside its choices */
  event(choices: readonly object[], extra?: Readonly<AnswerMembers>): ByteText {
    const more = extra ? `,${byteText(JSON.stringify(extra).slice(1, -1))}` : '';
    return asByteText(`${this.#head}"choices":${byteText(JSON.stringify(choices))}${more}${this.#tail}`);
  }

  /** The events of a run, each in the provider's own text. */
  run({ head, literals, tail }: TextRun): StreamEvent {
    const before = concatBytes(this.#head, head);
    const behind = this.includeUsage ? asByteText(tail.slice(0, -1) + NO_USAGE) : tail;
    return literals.length === 1 ? concatBytes(before, literals[0]!, behind) : new EventRun(before, literals, behind);
  }

  /** The event with the figures; undefined where the client did not ask for it. */
  usageEvent(usage: Usage): ByteText | undefined {
    return this.includeUsage ? asByteText(`${this.#head}"choices":[],"usage":${byteText(JSON.stringify(usage))}}`) : undefined;
  }
}
