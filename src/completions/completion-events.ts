import type { CompletionEnvelope } from '../inference/chunks/completion-envelope.js';
import { EventSerializer } from '../inference/chunks/event-serializer.js';
import type { StreamEvents } from '../inference/chunks/stream-events.js';
import type { GenerationChunk } from '../wire/generation.js';
import type { StreamEvent } from '../wire/stream-event.js';
import { completionChoice } from './completion.mapping.js';

/** The events of one streamed completion. */
export class CompletionEvents implements StreamEvents {
  readonly #serializer: EventSerializer;

  constructor(
    envelope: CompletionEnvelope,
    includeUsage: boolean,
    private readonly logprobs: number | undefined,
  ) {
    this.#serializer = new EventSerializer(envelope, 'text_completion', includeUsage);
  }

  next(chunk: GenerationChunk, emit: (event: StreamEvent) => void): void {
    if (chunk.choices.length === 0) {
      const event = chunk.usage && this.#serializer.usageEvent(chunk.usage);
      if (event) emit(event);
    } else if (chunk.run) emit(this.#serializer.run(chunk.run));
    else
      emit(
        this.#serializer.event(
          chunk.choices.map((choice) => completionChoice(choice, this.logprobs)),
          chunk.extra,
        ),
      );
  }
}
