import type { StreamEvent } from '../wire/stream-event.js';
import { type AnswerEnvelope, EventEnvelope } from '../inference/chunks/event-serializer.js';
import type { StreamEvents } from '../inference/chunks/stream-events.js';
import type { GenerationChunk } from '../wire/generation.js';
import { completionChoice } from './completion.mapping.js';

/** The events of one streamed text completion. */
export class CompletionEvents implements StreamEvents {
  readonly #envelope: EventEnvelope;

  constructor(
    envelope: AnswerEnvelope,
    includeUsage: boolean,
    private readonly logprobs: boolean,
  ) {
    this.#envelope = new EventEnvelope(envelope, 'text_completion', includeUsage);
  }

  next(chunk: GenerationChunk, emit: (event: StreamEvent) => void): void {
    if (chunk.choices.length === 0) {
      const event = chunk.usage && this.#envelope.usageEvent(chunk.usage);
      if (event) emit(event);
    } else if (chunk.run) emit(this.#envelope.run(chunk.run));
    else emit(this.#envelope.event(chunk.choices.map((choice) => completionChoice(choice, this.logprobs))));
  }
}
