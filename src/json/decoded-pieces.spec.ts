import fc from 'fast-check';
import { samples } from '../common/testing/long-form.js';
import { decodedPieces } from './decoded-pieces.js';
import { decodedStart } from './long-text.js';
import { cutAnywhere } from './testing/cut.js';

const fragment = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'binary' }).map((some) => JSON.stringify(some).slice(1, -1)) },
  { weight: 2, arbitrary: fc.constantFrom('é', '€', '😀', '\\\\', '\\"', '\\n', '\\/', 'u00e9') },
  { weight: 2, arbitrary: fc.constantFrom('\\u00e9', '\\u20AC', '\\ud83d\\ude00', '\\ud83d', '\\uDE00', '\\u005c') },
);
const content = fc.array(fragment, { maxLength: 30 }).map((parts) => parts.join(''));

describe('decodedPieces', () => {
  it('are together what JSON.parse reads, wherever the bytes are cut', () => {
    fc.assert(
      fc.property(content, fc.array(fc.nat(), { maxLength: 40 }), (text, cuts) => {
        const bytes = Buffer.from(text);
        const all = [...decodedPieces(cutAnywhere(bytes, cuts), true)].join('');
        expect(all).toBe(JSON.parse(`"${bytes.toString()}"`));
        if (!text.includes('\\')) expect([...decodedPieces(cutAnywhere(bytes, cuts), false)].join('')).toBe(text);
      }),
      { numRuns: samples(3_000) },
    );
  });

  it('are small, however large the buffers are', () => {
    for (const text of ['x', '€\\u20ac', '\\\\', '\\ud83d\\ude00']) {
      const written = text.repeat(300_000 / text.length);
      for (let shift = 0; shift < 13; shift++) {
        const bytes = Buffer.from('y'.repeat(shift) + written);
        const pieces = [...decodedPieces([bytes.subarray(0, 70_000 + shift), bytes.subarray(70_000 + shift)], true)];
        expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(66_000);
        expect(pieces.join('')).toBe(JSON.parse(`"${bytes.toString()}"`));
      }
    }
  });
});

describe('decodedStart', () => {
  it('is the beginning of a text without what is cut', () => {
    const written = 'a\\n€\\u20acb';
    const text = { bytes: 9, start: (length: number) => Buffer.from(written).subarray(0, length), decode: () => '' };
    const starts = Array.from({ length: 14 }, (_, length) => decodedStart(text, length));
    expect(starts).toEqual(['', 'a', 'a', 'a\n', 'a\n', 'a\n', 'a\n€', 'a\n€', 'a\n€', 'a\n€', 'a\n€', 'a\n€', 'a\n€€', 'a\n€€b']);
  });
});
