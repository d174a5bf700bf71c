import type { CompletionEnvelope } from '../inference/chunks/completion-envelope.js';
import { EventSerializer } from '../inference/chunks/event-serializer.js';
import { splitRun } from '../inference/chunks/split-run.js';
import type { StreamEvents } from '../inference/chunks/stream-events.js';
import type { ClientDelta, Delta } from '../wire/chat-completion.js';
import { asByteText, concatBytes } from '../wire/byte-text.js';
import type { GenerationChoice, GenerationChunk, TextRun } from '../wire/generation.js';
import type { StreamEvent } from '../wire/stream-event.js';
import type { ClientCalls } from './client-calls.js';

/**
 * The events of one streamed chat completion. The first delta of a choice has the role, and its last event has an empty
 * delta and the finish_reason (specification, Streaming), whatever the provider sends. The events between are passed on
 * in the provider's own JSON text where the chunk has it.
 */
export class ChatEvents implements StreamEvents {
  readonly #serializer: EventSerializer;
  readonly #begun: boolean[] = [];

  /** @param calls tells calls as the client reads them; absent: as the provider does */
  constructor(
    envelope: CompletionEnvelope,
    includeUsage: boolean,
    private readonly calls?: ClientCalls,
  ) {
    this.#serializer = new EventSerializer(envelope, 'chat.completion.chunk', includeUsage);
  }

  next(chunk: GenerationChunk, emit: (event: StreamEvent) => void): void {
    if (chunk.choices.length === 0) {
      const event = chunk.usage && this.#serializer.usageEvent(chunk.usage);
      if (event) emit(event);
    } else if (chunk.run && this.#isBetween(chunk)) {
      const reasons = chunk.choices[0]!.delta?.reasoning_content !== undefined;
      emit(this.#serializer.run(reasons ? withBothNames(chunk.run) : chunk.run));
    } else for (const { choices, extra } of splitRun(chunk)) this.#serialise(choices, extra, emit);
  }

  /** Whether no choice begins or ends with this chunk, and nothing of it is to be translated. */
  #isBetween({ choices }: GenerationChunk): boolean {
    for (const { index, delta, finish_reason } of choices)
      if (!this.#begun[index] || finish_reason !== null || (this.calls && delta?.tool_calls)) return false;
    return true;
  }

  #serialise(choices: readonly GenerationChoice[], extra: GenerationChunk['extra'], emit: (event: StreamEvent) => void): void {
    const deltas: object[] = [];
    const lefts: object[] = [];
    const endings: object[] = [];
    for (const { index, delta: given = {}, logprobs, finish_reason } of choices) {
      const first = !this.#begun[index];
      this.#begun[index] = true;
      const delta = this.#told(index, given);
      if (first || logprobs || (delta && (!finish_reason || hasContent(delta)))) {
        deltas.push({
          index,
          delta: first ? { role: 'assistant', ...delta } : (delta ?? {}),
          logprobs: logprobs ?? null,
          finish_reason: null,
        });
      }
      if (!finish_reason) continue;
      const left = this.calls?.end(index);
      if (left) lefts.push({ index, delta: left, logprobs: null, finish_reason: null });
      endings.push({ index, delta: {}, logprobs: null, finish_reason: this.calls ? this.calls.reason(finish_reason) : finish_reason });
    }
    const more = deltas.length > 0 ? undefined : extra;
    if (deltas.length > 0) emit(this.#serializer.event(deltas, extra));
    if (lefts.length > 0) emit(this.#serializer.event(lefts));
    if (endings.length > 0) emit(this.#serializer.event(endings, more));
  }

  /** @returns undefined where the client is told nothing of it */
  #told(index: number, { hosted_items: _parts, ...delta }: Delta): ClientDelta | undefined {
    const told = this.calls ? this.calls.delta(index, delta) : delta;
    return told?.reasoning_content === undefined ? told : { ...told, reasoning: told.reasoning_content };
  }
}

const OTHER_NAME = asByteText('","reasoning":"');

/** Reasoning has two names: clients read one or the other. */
function withBothNames(run: TextRun): TextRun {
  return { ...run, literals: run.literals.map((literal) => concatBytes(literal, OTHER_NAME, literal)) };
}

function hasContent({ role: _role, ...delta }: ClientDelta): boolean {
  return Object.values(delta).some((value) =>
    Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== '',
  );
}
