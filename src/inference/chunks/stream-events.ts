import { Observable, type OperatorFunction } from 'rxjs';
import type { StreamEvent } from '../../wire/stream-event.js';
import type { GenerationChunk } from '../../wire/generation.js';

/** What an operation makes of the chunks of one streamed answer: none, one or two events of each. */
export interface StreamEvents {
  next(chunk: GenerationChunk, emit: (event: StreamEvent) => void): void;
}

/** Chunks as the events of their operation. What `events` throws is the answer's error. */
export function toEvents(events: StreamEvents): OperatorFunction<GenerationChunk, StreamEvent> {
  return (chunks) =>
    new Observable((client) => {
      const emit = (event: StreamEvent): void => client.next(event);
      return chunks.subscribe({
        next: (chunk) => {
          if (client.closed) return;
          try {
            events.next(chunk, emit);
          } catch (error) {
            client.error(error);
          }
        },
        error: (error) => client.error(error),
        complete: () => client.complete(),
      });
    });
}
