import fc from 'fast-check';
import { samples } from '../../../common/testing/long-form.js';
import { type Language, language } from './language.js';
import { marker } from './documents.js';
import { END } from './vocabulary.js';

let known: Language;
beforeAll(async () => (known = await language()));

const turns = fc.array(
  fc.record({
    turn: fc.constantFrom(marker.text, marker.system, marker.user, marker.assistant, marker.tool),
    text: fc.oneof(
      fc.constantFrom('Why does it rain?', ' the', 'Once upon a time there was', 'bread and', ''),
      fc.string({ unit: 'binary' }),
    ),
  }),
);

function readingOf(read: readonly { turn: (typeof marker)['text' | 'system' | 'user' | 'assistant' | 'tool']; text: string }[]) {
  const reading = known.model.newReading();
  for (const { turn, text } of read) {
    reading.beginTurn(turn);
    for (const token of known.tokenizer.encode(text)) reading.read(token);
  }
  return reading;
}

const probabilities = (reading: ReturnType<typeof readingOf>) => {
  const distribution = known.model.next(reading);
  return Array.from({ length: known.vocabulary.size }, (_, token) => distribution.probability(token));
};

describe('the model', () => {
  it('gives every token a chance after everything, and all of them together are certain', () => {
    fc.assert(
      fc.property(turns, (read) => {
        const all = probabilities(readingOf(read));
        expect(all.reduce((sum, one) => sum + one, 0)).toBeCloseTo(1, 9);
        expect(Math.min(...all)).toBeGreaterThan(0);
      }),
    );
  });

  it('is a function of what was read', () => {
    fc.assert(
      fc.property(turns, (read) => {
        const reading = readingOf(read);
        const before = probabilities(reading);
        probabilities(readingOf([{ turn: marker.user, text: 'something else' }]));
        expect(probabilities(reading.copy())).toEqual(before);
      }),
      { numRuns: samples(20) },
    );
  });

  it('looks back further than three tokens', () => {
    const tokens = known.tokenizer.encode('The night train left at eleven from the');
    const after = (count: number) => {
      const reading = known.model.newReading();
      for (const token of tokens.slice(-count)) reading.read(token);
      return known.model.next(reading).probability(known.tokenizer.encode(' last')[0]!);
    };
    const seen = [1, 2, 3, 4, 5].map(after);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(seen[4]).toBeGreaterThan(seen[2]!);
  });

  it('expects what fits the topic', () => {
    const word = known.tokenizer.encode(' dough')[0]!;
    const chance = (topic: string) => known.model.next(readingOf([{ turn: marker.text, text: `${topic} the` }])).probability(word);
    expect(chance('Flour, yeast and bread;')).toBeGreaterThan(5 * chance('Planets, stars and telescopes;'));
  });

  it('begins anew on a new line', () => {
    expect(probabilities(readingOf([{ turn: marker.text, text: '\n\n' }]))).toEqual(
      probabilities(readingOf([{ turn: marker.text, text: '' }])),
    );
  });

  it('expects an answer to end', () => {
    const reading = readingOf([
      { turn: marker.user, text: 'Say this is a test' },
      { turn: marker.assistant, text: 'This is a test.' },
    ]);
    expect(known.model.next(reading).top(1)[0]!.id).toBe(END);
  });
});
