import { EVENT_BREAK } from '../http/answers/event-stream.js';
import { type ByteText, byteText, flat, textOf } from '../wire/byte-text.js';
import type { GenerationChoice, GenerationChunk, TextRun } from '../wire/generation.js';
import type { Usage } from '../wire/usage.js';

/** What the endpoint promises about an answer, whoever generates it. */
export interface AnswerEnvelope {
  readonly id: string;
  /** Unix timestamp in seconds. */
  readonly created: number;
  /** As the client named it. */
  readonly model: string;
}

/** @param requestId UUIDv7 of the request, so that an answer's id leads to its records */
export function answerEnvelope(prefix: 'chatcmpl' | 'cmpl', model: string, requestId: string): AnswerEnvelope {
  return { id: `${prefix}-${requestId}`, created: Math.floor(Date.now() / 1000), model };
}

const NO_USAGE = ',"usage":null}';

/**
 * The JSON of each event of one streamed answer. The envelope is the same in all of them, so it is made into text once; only `choices` is
 * serialised for each event, and not even they where the provider's own text can stand.
 */
export class EventEnvelope {
  readonly #head: ByteText;
  readonly #tail: string;

  /** @param includeUsage the client set `stream_options.include_usage`: a null in every event, the figures in one more at the end */
  constructor(
    envelope: AnswerEnvelope,
    object: 'chat.completion.chunk' | 'text_completion',
    private readonly includeUsage: boolean,
  ) {
    const { id, created, model } = envelope;
    this.#head = byteText(`${JSON.stringify({ id, object, created, model }).slice(0, -1)},`);
    this.#tail = includeUsage ? NO_USAGE : '}';
  }

  event(choices: readonly object[]): ByteText {
    return `${this.#head}"choices":${byteText(JSON.stringify(choices))}${this.#tail}`;
  }

  /** @param raw from the `"choices"` member to the end of the object, as GenerationChunk.raw */
  rawEvent(raw: string): ByteText {
    const bytes = byteText(raw);
    if (bytes.endsWith(NO_USAGE)) return this.#head + (this.includeUsage ? bytes : `${bytes.slice(0, -NO_USAGE.length)}}`);
    return this.#head + (this.includeUsage ? `${bytes.slice(0, -1)}${this.#tail}` : bytes);
  }

  /** The events of a run, each as `rawEvent` gives it. */
  runEvents({ head, tail, literals }: TextRun): ByteText {
    const before = this.#head + head;
    const behind = this.includeUsage ? tail.slice(0, -1) + NO_USAGE : tail;
    if (literals.length === 1) return before + literals[0] + behind;
    // Joined with its ends, it is one text and not a tree of three that would be copied once more.
    const pieces = literals.slice();
    pieces[0] = before + pieces[0];
    pieces[pieces.length - 1] += behind;
    return pieces.join(flat(behind + EVENT_BREAK + before));
  }

  /** Undefined when the client did not ask for it. */
  usageEvent(usage: Usage): ByteText | undefined {
    return this.includeUsage ? `${this.#head}"choices":[],"usage":${JSON.stringify(usage)}}` : undefined;
  }
}

/** The choices of a piece whose text the provider made. */
export function parseRaw(raw: string): readonly GenerationChoice[] {
  return (JSON.parse(`{${raw}`) as GenerationChunk).choices;
}

/** A chunk as events whose payload is to be changed: no longer the provider's own text, and a run piece by piece. */
export function unraw(chunk: GenerationChunk): readonly GenerationChunk[] {
  const { raw, run, tokens } = chunk;
  if (run) {
    return run.literals.map((literal, position) => ({
      choices: parseRaw(textOf(run.head + literal + run.tail)),
      // Which of them had how many is not known; they are counted once.
      ...(tokens !== undefined && { tokens: position === 0 ? tokens : 0 }),
    }));
  }
  return raw === undefined ? [chunk] : [{ ...chunk, raw: undefined, choices: parseRaw(raw) }];
}
