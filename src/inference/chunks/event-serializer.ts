import { EventRun, type StreamEvent } from '../../wire/stream-event.js';
import { type ByteText, byteText, textOf } from '../../wire/byte-text.js';
import type { GenerationChoice, GenerationChunk, TextRun } from '../../wire/generation.js';
import type { Usage } from '../../wire/usage.js';

/** What the endpoint promises about an answer, whoever generates it. */
export interface CompletionEnvelope {
  readonly id: string;
  /** Unix timestamp in seconds. */
  readonly created: number;
  /** As the client named it. */
  readonly model: string;
}

/** @param requestId UUIDv7 of the request, so that an answer's id leads to its records */
export function completionEnvelope(prefix: 'chatcmpl' | 'cmpl', model: string, requestId: string): CompletionEnvelope {
  return { id: `${prefix}-${requestId}`, created: Math.floor(Date.now() / 1000), model };
}

const NO_USAGE = ',"usage":null}';

/**
 * The JSON of each event of one streamed answer. The envelope is the same in all of them, so it is made into text once; only `choices` is
 * serialised for each event, and not even they where the provider's own text can stand.
 */
export class EventSerializer {
  readonly #head: ByteText;
  readonly #tail: string;

  /** @param includeUsage the client set `stream_options.include_usage`: a null in every event, the figures in one more at the end */
  constructor(
    envelope: CompletionEnvelope,
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

  /** The events of a run, each with the provider's own text. */
  run({ head, literals, tail }: TextRun): StreamEvent {
    const before = this.#head + head;
    const behind = this.includeUsage ? tail.slice(0, -1) + NO_USAGE : tail;
    return literals.length === 1 ? before + literals[0]! + behind : new EventRun(before, literals, behind);
  }

  /** Undefined when the client did not ask for it. */
  usageEvent(usage: Usage): ByteText | undefined {
    return this.includeUsage ? `${this.#head}"choices":[],"usage":${JSON.stringify(usage)}}` : undefined;
  }
}

/** A run as one chunk for each of its events, with choices that can be changed; any other chunk as it is. */
export function splitRun(chunk: GenerationChunk): readonly GenerationChunk[] {
  const { run, tokens } = chunk;
  if (!run) return [chunk];
  return run.literals.map((literal, position) => ({
    choices: choicesOf(textOf(run.head + literal + run.tail)),
    // How many tokens each of them has is not known; they are counted once.
    ...(tokens !== undefined && { tokens: position === 0 ? tokens : 0 }),
  }));
}

/** @param payload from its `"choices"` member on */
function choicesOf(payload: string): readonly GenerationChoice[] {
  return (JSON.parse(`{${payload}`) as GenerationChunk).choices;
}
