import { Observable, of, Subject } from 'rxjs';
import type { GenerationChunk } from '../../wire/generation.js';
import type { StreamEvent } from '../../wire/stream-event.js';
import { toEvents } from './stream-events.js';
import { asByteText } from '../../wire/byte-text.js';

const chunk = (text: string): GenerationChunk => ({ choices: [{ index: 0, text, finish_reason: null }] });

function seenOf(chunks: Observable<GenerationChunk>): (StreamEvent | string)[] {
  const seen: (StreamEvent | string)[] = [];
  const events = {
    next({ choices: [choice] }: GenerationChunk, emit: (event: StreamEvent) => void): void {
      if (choice!.text === 'bad') throw new Error('unsayable');
      for (const letter of choice!.text!) emit(asByteText(letter));
    },
  };
  chunks.pipe(toEvents(events)).subscribe({
    next: (event) => seen.push(event),
    error: (error: unknown) => seen.push((error as Error).message),
    complete: () => seen.push('end'),
  });
  return seen;
}

describe('toEvents', () => {
  it('emits the events of each chunk, and completes', () => {
    expect(seenOf(of(chunk('ab'), chunk(''), chunk('c')))).toEqual(['a', 'b', 'c', 'end']);
  });

  it('fails with what the events throw, and unsubscribes from the source', () => {
    const chunks = new Subject<GenerationChunk>();
    const seen = seenOf(chunks);
    for (const text of ['a', 'bad']) chunks.next(chunk(text));
    expect(chunks.observed).toBe(false);
    expect(seen).toEqual(['a', 'unsayable']);
  });

  it('emits nothing after a failure, even from a synchronous source', () => {
    let left = false;
    const all = new Observable<GenerationChunk>((subscriber) => {
      for (const text of ['a', 'bad', 'b']) subscriber.next(chunk(text));
      subscriber.complete();
      return () => void (left = true);
    });
    expect(seenOf(all)).toEqual(['a', 'unsayable']);
    expect(left).toBe(true);
  });
});
