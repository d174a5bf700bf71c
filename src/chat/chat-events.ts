import type { CompletionEnvelope } from '../inference/chunks/completion-envelope.js';
import { EventSerializer } from '../inference/chunks/event-serializer.js';
import { splitRun } from '../inference/chunks/split-run.js';
import type { StreamEvents } from '../inference/chunks/stream-events.js';
import type { Delta } from '../wire/chat-completion.js';
import type { GenerationChoice, GenerationChunk } from '../wire/generation.js';
import type { StreamEvent } from '../wire/stream-event.js';

/**
 * The events of one streamed chat completion. The first delta of a choice has the role, and its last event has an empty
 * delta and the finish_reason (specification, Streaming), whatever the provider sends. The events between are passed on
 * in the provider's own JSON text where the chunk has it.
 */
export class ChatEvents implements StreamEvents {
  readonly #serializer: EventSerializer;
  readonly #begun: boolean[] = [];

  constructor(envelope: CompletionEnvelope, includeUsage: boolean) {
    this.#serializer = new EventSerializer(envelope, 'chat.completion.chunk', includeUsage);
  }

  next(chunk: GenerationChunk, emit: (event: StreamEvent) => void): void {
    if (chunk.choices.length === 0) {
      const event = chunk.usage && this.#serializer.usageEvent(chunk.usage);
      if (event) emit(event);
    } else if (chunk.run && this.#isBetween(chunk)) emit(this.#serializer.run(chunk.run));
    else for (const { choices } of splitRun(chunk)) this.#serialise(choices, emit);
  }

  /** Whether no choice begins or ends with this chunk. */
  #isBetween({ choices }: GenerationChunk): boolean {
    for (const { index, finish_reason } of choices) if (!this.#begun[index] || finish_reason !== null) return false;
    return true;
  }

  #serialise(choices: readonly GenerationChoice[], emit: (event: StreamEvent) => void): void {
    const deltas: object[] = [];
    const endings: object[] = [];
    for (const { index, delta = {}, logprobs, finish_reason } of choices) {
      const first = !this.#begun[index];
      this.#begun[index] = true;
      if (first || !finish_reason || hasContent(delta) || logprobs) {
        deltas.push({ index, delta: first ? { role: 'assistant', ...delta } : delta, logprobs: logprobs ?? null, finish_reason: null });
      }
      if (finish_reason) endings.push({ index, delta: {}, logprobs: null, finish_reason });
    }
    if (deltas.length > 0) emit(this.#serializer.event(deltas));
    if (endings.length > 0) emit(this.#serializer.event(endings));
  }
}

function hasContent({ role: _role, ...delta }: Delta): boolean {
  return Object.values(delta).some((value) =>
    Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== '',
  );
}
