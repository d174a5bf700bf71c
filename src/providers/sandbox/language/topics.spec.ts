import { language, learn, type Language } from './language.js';
import { marker, readDocuments } from './documents.js';

let known: Language;
beforeAll(async () => {
  known = await learn([
    'Q: Why does it rain?\nA: Clouds.\n---\nQ: How do I bake bread?\nA: Slowly.\n---\nThe bread was old.\n---\nNothing much.',
  ]);
});

function weightsAfter(text: string) {
  const { topics } = known.model.newReading();
  for (const token of known.tokenizer.encode(`${text} `)) topics.read(token);
  return [...topics.weights()];
}

describe('the topic', () => {
  it('leaves all documents alike while nothing is known', () => {
    expect(weightsAfter('')).toEqual([1, 1, 1, 1]);
    expect(weightsAfter('Qwertz uiop')).toEqual([1, 1, 1, 1]);
  });

  it('favours the documents that know the words, questions most, and no document vanishes', () => {
    const [rain, bread, oldBread, nothing] = weightsAfter('Some breads');
    expect(bread).toBeCloseTo(1);
    expect(oldBread).toBeLessThan(bread!);
    expect(oldBread).toBeGreaterThan(rain!);
    expect(Math.min(rain!, nothing!)).toBeGreaterThan(0);
  });

  it('counts a word when it is complete', () => {
    const { topics } = known.model.newReading();
    for (const token of known.tokenizer.encode('bre')) topics.read(token);
    for (const token of known.tokenizer.encode('ad')) topics.read(token);
    expect(topics.weights()[0]).toBe(1);
    for (const token of known.tokenizer.encode('.')) topics.read(token);
    expect(topics.weights()[0]).toBeLessThan(1);
  });

  it('hears what stands elsewhere without losing the word being read', () => {
    const { topics } = known.model.newReading();
    for (const token of known.tokenizer.encode('bre')) topics.read(token);
    topics.readAside(known.tokenizer.encode(' rain'));
    const before = topics.weights()[1]!;
    expect(topics.weights()[0]).toBeCloseTo(1);
    for (const token of known.tokenizer.encode('ad.')) topics.read(token);
    expect(topics.weights()[1]).toBeGreaterThan(before);
  });

  it('is copied, not shared', () => {
    const { topics } = known.model.newReading();
    const copy = topics.copy();
    for (const token of known.tokenizer.encode('bread.')) copy.read(token);
    expect([...topics.weights()]).toEqual([1, 1, 1, 1]);
    expect(copy.weights()[0]).toBeLessThan(1);
  });

  it('fades when somebody else speaks', async () => {
    const { model, tokenizer } = await language();
    const closest = (...turns: string[]) => {
      const { topics } = model.newReading();
      for (const turn of turns) {
        topics.nextTurn();
        for (const token of tokenizer.encode(turn)) topics.read(token);
      }
      topics.nextTurn();
      return topics.weights().indexOf(Math.max(...topics.weights()));
    };
    expect(closest('How do I cook rice?', 'What is a black hole?')).toBe(closest('What is a black hole?'));
  });
});

describe('documents', () => {
  it('are prose or conversations', () => {
    expect(readDocuments('\nA text.\nOn two lines.\n---\nQ: Who?\nA: Me.\n\nReally.\nQ: You?\nA: Yes.\n')).toEqual([
      [{ marker: marker.text, text: 'A text.\nOn two lines.' }],
      [
        { marker: marker.user, text: 'Who?' },
        { marker: marker.assistant, text: 'Me.\n\nReally.' },
        { marker: marker.user, text: 'You?' },
        { marker: marker.assistant, text: 'Yes.' },
      ],
    ]);
  });
});
