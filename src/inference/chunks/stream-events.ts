import { Observable, type OperatorFunction } from 'rxjs';
import type { GenerationChunk } from '../../wire/generation.js';
import type { StreamEvent } from '../../wire/stream-event.js';

/** Makes the events of one streamed completion from its chunks: none, one or two of each chunk. */
export interface StreamEvents {
  next(chunk: GenerationChunk, emit: (event: StreamEvent) => void): void;
}

/** An operator that maps chunks to the events of their operation. What `events` throws is emitted as the error. */
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
