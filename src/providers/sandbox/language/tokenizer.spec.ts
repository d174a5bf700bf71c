import fc from 'fast-check';
import { corpus } from '../corpus/corpus.js';
import { language } from './language.js';
import { preTokens } from './pre-tokens.js';
import type { Tokenizer } from './tokenizer.js';
import { Pacer } from '../pacer.js';
import { END, learnVocabulary } from './vocabulary.js';

let tokenizer: Tokenizer;
beforeAll(async () => ({ tokenizer } = await language()));

const bytesOf = (ids: readonly number[]) => Buffer.concat(ids.map((id) => tokenizer.vocabulary.bytes[id]!));
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc
    .array(fc.constantFrom("don't", ' the', '  ', '\n\n', '\t', 'café', '😀', '1234567', '\u0000', '<|end|>'))
    .map((parts) => parts.join('')),
);

describe('tokens', () => {
  it('lose nothing of any text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(bytesOf(tokenizer.encode(text)).toString()).toBe(text);
      }),
    );
  });

  it('replace a lone surrogate, which no UTF-8 can hold', () => {
    expect(bytesOf(tokenizer.encode('a\ud800b')).toString()).toBe('a\ufffdb');
  });

  it('are whole words of the corpus', () => {
    const text = corpus.join('\n');
    expect(Buffer.byteLength(text) / tokenizer.encode(text).length).toBeGreaterThan(3.5);
    expect(tokenizer.encode(' weather')).toHaveLength(1);
  });

  it('of a text never stand for its end', () => {
    expect(tokenizer.encode('<|end|>').length).toBeGreaterThan(1);
  });

  it('of a long text without spaces take no longer than others', () => {
    const started = performance.now();
    expect(bytesOf(tokenizer.encode('ab'.repeat(500_000)))).toHaveLength(1_000_000);
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});

describe('pre-tokens', () => {
  it('are the text, cut into bounded parts', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const parts = [...preTokens(text)];
        expect(parts.join('')).toBe(text);
        for (const part of parts) expect(Array.from(part).length).toBeLessThanOrEqual(30);
      }),
    );
  });

  it('keep a word and the space before it together', () => {
    expect([...preTokens("It's 2026, isn't it?\n\nYes.")]).toEqual(["It's", ' 2026', ',', " isn't", ' it', '?', '\n\n', 'Yes', '.']);
  });
});

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
    expect(one.size).toBeGreaterThan(2_000);
  });

  it('names every token once', async () => {
    const { labels, size } = await learn(...corpus);
    expect(new Set(labels).size).toBe(size);
    expect(labels[0xe2]).toBe('bytes:\\xe2');
    expect(labels[END]).toBe('<|end|>');
  });
});
