import fc from 'fast-check';
import { samples } from '../../../common/testing/long-form.js';
import { type Language, language } from './language.js';
import { marker } from './documents.js';
import { END } from './vocabulary.js';
import { Pacer } from '../pacer.js';
import { CONTEXT_LENGTH, ContextIndex } from './context-index.js';
import { Infill } from './infill.js';

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

const documents = fc.array(
  fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 12 }).map((tokens) => [marker.text, ...tokens]),
  { minLength: 1, maxLength: 6 },
);
const build = (of: readonly (readonly number[])[]) => ContextIndex.build(of, new Pacer());

/** Finds by a plain loop what the index must find. */
function followers(of: readonly (readonly number[])[], context: readonly number[]): string[] {
  const found: string[] = [];
  of.forEach((document, owner) => {
    document.forEach((token, place) => {
      const matches = token >= 0 && context.every((wanted, back) => (document[place - 1 - back] ?? marker.nothing) === wanted);
      if (matches) found.push(`${owner}:${token}`);
    });
  });
  return found.sort();
}

describe('the context index', () => {
  it('finds the followers of a context of any length, and their documents', async () => {
    await fc.assert(
      fc.asyncProperty(documents, fc.array(fc.integer({ min: -2, max: 3 }), { minLength: CONTEXT_LENGTH }), async (of, past) => {
        const index = await build(of);
        const ranges = Array.from({ length: CONTEXT_LENGTH }, () => ({ from: 0, to: 0 }));
        const depth = index.find(Int32Array.from(past), ranges);
        for (let length = 1; length <= CONTEXT_LENGTH; length++) {
          const { from, to } = length <= depth ? ranges[length - 1]! : { from: 0, to: 0 };
          const found = Array.from({ length: to - from }, (_, i) => `${index.documents[from + i]}:${index.tokens[from + i]}`);
          expect(found.sort()).toEqual(followers(of, past.slice(0, length)));
        }
      }),
    );
  });

  it('counts the tokens that each one follows, and what follows it', async () => {
    const index = await build([
      [marker.text, 0, 1, 0, 1, 2, 1],
      [marker.text, 1, 1],
    ]);
    expect([...index.predecessors(4)]).toEqual([2, 4, 1, 0]);
    const { often, inAll } = index.followedBy(1, 4);
    expect([...often]).toEqual([2, 1, 1, 0]);
    expect([...inAll]).toEqual([2, 3, 1, 0]);
  });
});

describe('filling a gap', () => {
  function readingOfText(text: string) {
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

  it('keeps the probabilities adding up to one, and changes them', () => {
    fc.assert(
      fc.property(texts, texts, (prompt, suffix) => {
        const reading = readingOfText(prompt);
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
    expect(infill.next(readingOfText('The night train left')).probability(END)).toBeGreaterThan(0.9);
    expect(infill.next(readingOfText('The night')).probability(END)).toBeLessThan(0.1);
  });

  it('prefers the tokens that the suffix follows', () => {
    const reading = readingOfText('In the garden grows an old');
    const tree = known.tokenizer.encode(' tree')[0]!;
    const plain = known.model.next(reading).probability(tree);
    const infill = new Infill(known.model, known.tokenizer.encode('.'));
    const filled = infill.next(reading);
    const comma = known.tokenizer.encode(' the')[0]!;
    const ratio = filled.probability(tree) / plain;
    expect(ratio).toBeGreaterThan(filled.probability(comma) / known.model.next(reading).probability(comma));
  });
});
