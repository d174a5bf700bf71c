import fc from 'fast-check';
import { samples } from '../../../common/testing/long-form.js';
import { marker } from './documents.js';
import { Infill } from './infill.js';
import { type Language, language } from './language.js';
import { END } from './vocabulary.js';

let known: Language;
beforeAll(async () => (known = await language()));

function readingOf(text: string) {
  const reading = known.model.newReading();
  reading.beginTurn(marker.text);
  for (const token of known.tokenizer.encode(text)) reading.read(token);
  return reading;
}

const texts = fc.oneof(
  fc.constantFrom('The capital of France is', 'Once upon', 'the', ' of the sea'),
  fc.string({ unit: 'binary', minLength: 1 }),
);
const size = () => known.vocabulary.size;

describe('filling a gap', () => {
  it('keeps the probabilities adding up to one, and changes them', () => {
    fc.assert(
      fc.property(texts, texts, (prompt, suffix) => {
        const reading = readingOf(prompt);
        const plain = Array.from({ length: size() }, (_, token) => known.model.next(reading).probability(token));
        const distribution = new Infill(known.model, known.tokenizer.encode(suffix)).next(reading);
        const filled = plain.map((_, token) => distribution.probability(token));
        expect(filled.reduce((sum, one) => sum + one, 0)).toBeCloseTo(1, 9);
        expect(Math.min(...filled)).toBeGreaterThan(0);
        expect(Math.max(...filled.map((one, token) => Math.abs(one - plain[token]!)))).toBeGreaterThan(1e-6);
      }),
      { numRuns: samples(25) },
    );
  });

  it('ends where the suffix fits, and goes on where it does not', () => {
    const infill = new Infill(known.model, known.tokenizer.encode(' at eleven from the last platform'));
    expect(infill.next(readingOf('The night train left')).probability(END)).toBeGreaterThan(0.9);
    expect(infill.next(readingOf('The night')).probability(END)).toBeLessThan(0.1);
  });

  it('prefers the tokens that the suffix follows', () => {
    const reading = readingOf('In the garden grows an old');
    const tree = known.tokenizer.encode(' tree')[0]!;
    const plain = known.model.next(reading).probability(tree);
    const infill = new Infill(known.model, known.tokenizer.encode('.'));
    const filled = infill.next(reading);
    const comma = known.tokenizer.encode(' the')[0]!;
    const ratio = filled.probability(tree) / plain;
    expect(ratio).toBeGreaterThan(filled.probability(comma) / known.model.next(reading).probability(comma));
  });
});
