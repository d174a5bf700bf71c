import { payloadsOf } from '../../http/answers/testing/payloads-of.js';
import { usageOf } from '../../wire/usage.js';
import { EventSerializer } from './event-serializer.js';
import { splitRun } from './split-run.js';
import { asByteText } from '../../wire/byte-text.js';
import { Observable, of, Subject } from 'rxjs';
import type { GenerationChunk } from '../../wire/generation.js';
import type { StreamEvent } from '../../wire/stream-event.js';
import { toEvents } from './stream-events.js';
import { completionEnvelope } from './completion-envelope.js';

const envelope = { id: 'cmpl-1', created: 7, model: 'a "quoted" model' };
const choices = [{ index: 0, text: 'x' }];

describe('EventSerializer', () => {
  const plain = new EventSerializer(envelope, 'text_completion', false);
  const counting = new EventSerializer(envelope, 'text_completion', true);
  const expected = { ...envelope, object: 'text_completion', choices };

  it('puts the envelope before the choices', () => {
    expect(JSON.parse(plain.event(choices))).toEqual(expected);
    expect(plain.event(choices)).toMatch(/^\{"id":"cmpl-1","object":"text_completion","created":7,"model":/);
  });

  it('sends usage only where it was asked for: null in each event, the figures in an event of its own', () => {
    expect(JSON.parse(counting.event(choices))).toEqual({ ...expected, usage: null });
    expect(JSON.parse(counting.usageEvent(usageOf(1, 2))!)).toEqual({ ...expected, choices: [], usage: usageOf(1, 2) });
    expect(plain.usageEvent(usageOf(1, 2))).toBeUndefined();
  });

  it('writes what a vendor calls its service tier as UTF-8, whatever it is', () => {
    const usage = { ...usageOf(1, 2), service_tier: 'Ģ,"x":"žlutý 💥' };
    const written = Buffer.from(counting.usageEvent(usage)!, 'latin1').toString();
    expect(JSON.parse(written)).toMatchObject({ usage });
  });
});

it('gives each event of a run the provider’s own text, with a null usage where usage was asked for', () => {
  const run = {
    head: asByteText('"choices":[{"index":0,"text":"'),
    tail: asByteText('"}]}'),
    literals: ['a', '\\u00e9', 'c'].map(asByteText),
  };
  for (const includeUsage of [false, true]) {
    const events = new EventSerializer(envelope, 'text_completion', includeUsage);
    const expected = ['a', 'é', 'c'].map((text) => ({
      ...envelope,
      object: 'text_completion',
      choices: [{ index: 0, text }],
      ...(includeUsage && { usage: null }),
    }));
    expect(payloadsOf(events.run(run)).map((payload) => JSON.parse(payload) as object)).toEqual(expected);
    expect(events.run({ ...run, literals: [asByteText('a')] })).toBe(payloadsOf(events.run(run))[0]);
  }
  expect(splitRun({ choices: [{ index: 0, text: 'aéc', finish_reason: null }], run }).map(({ choices: [choice] }) => choice!.text)).toEqual(
    ['a', 'é', 'c'],
  );
});

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

describe('splitRun', () => {
  it('counts the tokens of a run once where it is split', () => {
    const run = { head: asByteText('"choices":[{"index":0,"text":"'), tail: asByteText('"}]}'), literals: ['a', 'b', 'c'].map(asByteText) };
    const whole = { choices: [{ index: 0, text: 'abc', finish_reason: null }], run };
    expect(splitRun({ ...whole, tokens: 5 }).map(({ tokens }) => tokens)).toEqual([5, 0, 0]);
    expect(splitRun(whole).some((part) => 'tokens' in part)).toBe(false);
  });
});

describe('completionEnvelope', () => {
  it('has the request’s id and the time in seconds', () => {
    const before = Math.floor(Date.now() / 1000);
    const made = completionEnvelope('chatcmpl', 'm', '0190');
    expect(made).toMatchObject({ id: 'chatcmpl-0190', model: 'm' });
    expect(made.created).toBeGreaterThanOrEqual(before);
    expect(made.created).toBeLessThanOrEqual(Date.now() / 1000);
  });
});
