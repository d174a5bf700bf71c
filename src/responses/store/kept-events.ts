import { from, Observable, type OperatorFunction } from 'rxjs';
import type { GenerationChunk } from '../../wire/generation.js';
import type { ResponseObject } from '../../wire/response.js';
import type { StreamEvent } from '../../wire/stream-event.js';
import type { ResponseEvents } from '../response-events.js';

/**
 * As `toEvents`, for a response that is stored: its last event waits until it is, so that the client may ask for it at
 * once.
 * @param keep stores the response, and tells what became of it; never rejects
 */
export function toKeptEvents(
  events: ResponseEvents,
  keep: (response: ResponseObject) => Promise<ResponseObject>,
): OperatorFunction<GenerationChunk, StreamEvent> {
  return (chunks) =>
    new Observable((client) => {
      const emit = (event: StreamEvent): void => client.next(event);
      let kept: Promise<ResponseObject> | undefined;
      return chunks.subscribe({
        next: (chunk) => {
          if (client.closed) return;
          try {
            const response = events.untilLast(chunk, emit);
            if (response) kept = keep(response);
          } catch (error) {
            client.error(error);
          }
        },
        error: (error) => client.error(error),
        complete: () => {
          if (!kept) return client.complete();
          from(kept).subscribe({
            next: (response) => events.last(response, emit),
            error: (error) => client.error(error),
            complete: () => client.complete(),
          });
        },
      });
    });
}
