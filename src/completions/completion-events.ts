import type { AnswerEvents } from '../inference/answer-events.js';
import { type AnswerEnvelope, EventEnvelope } from '../inference/event-envelope.js';
import type { ByteText } from '../wire/byte-text.js';
import type { GenerationChunk } from '../wire/generation.js';
import { completionChoice } from './completion.mapping.js';

/** The events of one streamed text completion. */
export class CompletionEvents implements AnswerEvents {
  readonly #envelope: EventEnvelope;

  constructor(
    envelope: AnswerEnvelope,
    includeUsage: boolean,
    private readonly logprobs: boolean,
  ) {
    this.#envelope = new EventEnvelope(envelope, 'text_completion', includeUsage);
  }

  next(chunk: GenerationChunk, emit: (event: ByteText) => void): void {
    if (chunk.choices.length === 0) {
      const event = chunk.usage && this.#envelope.usageEvent(chunk.usage);
      if (event) emit(event);
    } else if (chunk.run) emit(this.#envelope.runEvents(chunk.run));
    else if (chunk.raw !== undefined) emit(this.#envelope.rawEvent(chunk.raw));
    else emit(this.#envelope.event(chunk.choices.map((choice) => completionChoice(choice, this.logprobs))));
  }
}
