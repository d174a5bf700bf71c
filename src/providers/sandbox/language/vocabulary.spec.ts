import { corpus } from '../corpus/corpus.js';
import { Pacer } from '../pacer.js';
import { END, learnVocabulary } from './vocabulary.js';

const learn = (...texts: string[]) => learnVocabulary(texts, new Pacer());

describe('a vocabulary', () => {
  it('begins with the bytes and the end', async () => {
    const { bytes, size, texts } = await learn('');
    expect(size).toBe(257);
    for (let byte = 0; byte < 256; byte++) expect([...bytes[byte]!]).toEqual([byte]);
    expect(bytes[END]).toHaveLength(0);
    expect([texts[0x41], texts[0xe2]]).toEqual(['A', undefined]);
  });

  it('merges the most frequent pair first, and nothing that occurs once', async () => {
    const vocabulary = await learn('aab aab aab cc cc xy');
    const { texts } = vocabulary;
    expect(texts.slice(257)).toEqual(expect.arrayContaining([' aab', ' cc']));
    expect(texts).not.toContain('xy');
    expect(texts[257]).toMatch(/^(aa|ab)$/);
    expect(vocabulary.merged(...([texts[257]!.charCodeAt(0), texts[257]!.charCodeAt(1)] as const))).toBe(257);
    expect(vocabulary.merged(0x78, 0x79)).toBeUndefined();
  });

  it('is the same each time', async () => {
    const [one, other] = [await learn(...corpus), await learn(...corpus)];
    expect(other.labels).toEqual(one.labels);
    expect(one.size).toBeGreaterThan(3_000);
  });

  it('names every token once', async () => {
    const { labels, size } = await learn(...corpus);
    expect(new Set(labels).size).toBe(size);
    expect(labels[0xe2]).toBe('bytes:\\xe2');
    expect(labels[END]).toBe('<|end|>');
  });
});
