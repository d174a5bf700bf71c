import { readDocuments } from '../language/documents.js';
import { corpus } from './corpus.js';

const documents = corpus.flatMap(readDocuments);

describe('the corpus', () => {
  it('is large enough', () => {
    expect(Buffer.byteLength(corpus.join(''))).toBeGreaterThan(100_000);
    expect(documents.length).toBeGreaterThan(300);
  });

  it('repeats itself hardly ever', () => {
    const sentences = documents
      .flat()
      .flatMap((turn) => turn.text.split(/(?<=[.!?]) /))
      .filter((sentence) => sentence.length > 30);
    expect(new Set(sentences).size / sentences.length).toBeGreaterThan(0.995);
    const words = documents.flat().flatMap((turn) => turn.text.toLowerCase().match(/\p{L}+/gu) ?? []);
    expect(new Set(words).size).toBeGreaterThan(2_500);
  });

  it('has no empty document, and every question has an answer', () => {
    for (const document of documents) {
      for (const turn of document) expect(turn.text).not.toBe('');
      if (document.length > 1) expect(document.length % 2).toBe(0);
    }
  });
});
