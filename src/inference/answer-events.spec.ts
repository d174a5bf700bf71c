import { of, Subject } from 'rxjs';
import type { Source } from '../common/source.js';
import type { GenerationChunk } from '../wire/generation.js';
import { EventedAnswer } from './answer-events.js';

const chunk = (text: string): GenerationChunk => ({ choices: [{ index: 0, text, finish_reason: null }] });

function seenOf(chunks: Source<GenerationChunk>): string[] {
  const seen: string[] = [];
  const events = {
    next({ choices: [choice] }: GenerationChunk, emit: (event: string) => void): void {
      if (choice!.text === 'bad') throw new Error('unsayable');
      for (const letter of choice!.text!) emit(letter);
    },
  };
  new EventedAnswer(chunks, events).subscribe({
    next: (event) => seen.push(event),
    error: (error: unknown) => seen.push((error as Error).message),
    complete: () => seen.push('end'),
  });
  return seen;
}

describe('EventedAnswer', () => {
  it('emits the events of each chunk, and its end', () => {
    expect(seenOf(of(chunk('ab'), chunk(''), chunk('c')))).toEqual(['a', 'b', 'c', 'end']);
  });

  it('ends with what cannot be told, and leaves its source', () => {
    const chunks = new Subject<GenerationChunk>();
    const seen = seenOf(chunks);
    for (const text of ['a', 'bad']) chunks.next(chunk(text));
    expect(chunks.observed).toBe(false);
    expect(seen).toEqual(['a', 'unsayable']);
  });

  it('tells nothing after a failure from a source that comes all at once', () => {
    let left = false;
    const all: Source<GenerationChunk> = {
      subscribe(taker) {
        for (const text of ['a', 'bad', 'b']) taker.next(chunk(text));
        taker.complete();
        return { unsubscribe: () => void (left = true) };
      },
    };
    expect(seenOf(all)).toEqual(['a', 'unsayable']);
    expect(left).toBe(true);
  });
});
