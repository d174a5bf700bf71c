import type { StreamEvent } from '../../../wire/stream-event.js';

/** The JSON of each event in a run, or of the one event. */
export function payloadsOf(event: StreamEvent): string[] {
  return typeof event === 'string' ? [event] : event.literals.map((literal) => event.head + literal + event.tail);
}
