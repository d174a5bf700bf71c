import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { samples } from '../common/testing/long-form.js';
import { areUtf8, escapesOf } from './plain-text.js';
import { cutAnywhere } from './testing/cut.js';
import { decodedPieces } from './decoded-pieces.js';
import { decodedStart } from './long-text.js';

/** What JSON.parse makes of it; undefined where it refuses. */
function parsed(bytes: Buffer): string | undefined {
  if (!isUtf8(bytes)) return undefined;
  try {
    return JSON.parse(`"${bytes.toString()}"`) as string;
  } catch {
    return undefined;
  }
}

const fragment = fc.oneof(
  { weight: 8, arbitrary: fc.string({ unit: 'binary' }).map((text) => text.replaceAll('"', '').replaceAll('\\', '')) },
  { weight: 4, arbitrary: fc.constantFrom('\\n', '\\"', '\\\\', '\\/', '\\b', '\\f', '\\r', '\\t') },
  { weight: 4, arbitrary: fc.constantFrom('\\u00e9', '\\u0041', '\\u20AC', '\\ud83d', '\\ude00', '\\uD83D\\uDE00', '\\ud800') },
  { weight: 1, arbitrary: fc.constantFrom('\\x', '\\', '\\u12', '\\u12g4', '\x1f', '\x00') },
);
const inString = fc.array(fragment, { maxLength: 40 }).map((parts) => Buffer.from(parts.join('')));
const byte = fc
  .oneof(fc.constantFrom(0x00, 0x1f, 0x20, 0x5c, 0x7f, 0x80, 0xbf, 0xc2, 0xe0, 0xf0, 0xf4, 0xff), fc.nat(255))
  .filter((one) => one !== 0x22);
const anyBytes = fc.array(byte, { maxLength: 80 }).map((all) => Buffer.from(all));

describe('escapesOf', () => {
  it('accepts what JSON.parse accepts, and returns how many bytes its escapes are longer than what they stand for', () => {
    fc.assert(
      fc.property(fc.oneof(inString, anyBytes), fc.array(fc.nat()), (inside, cuts) => {
        fc.pre(!/^(?:[^\\"]|\\[^])*"/.test(inside.toString('latin1')));
        const value = parsed(inside);
        const found = escapesOf(cutAnywhere(inside, cuts));
        if (value === undefined) expect(found).toBeUndefined();
        else expect(inside.length - found!).toBe(Buffer.byteLength(value));
      }),
      { numRuns: samples(2_000) },
    );
  });

  it.each([0x00, 0x0a, 0x1f])('finds the byte %i wherever it is', (control) => {
    for (let at = 0; at < 70; at++) {
      const inside = Buffer.alloc(70, 'é');
      expect(escapesOf([inside])).toBe(0);
      inside.fill('a');
      inside[at] = control;
      expect(escapesOf([inside])).toBeUndefined();
    }
  });
});

describe('areUtf8', () => {
  it('gives the same result for buffers as for the whole', () => {
    const valid = fc.string({ unit: 'binary' }).map((value) => Buffer.from(value));
    fc.assert(
      fc.property(fc.oneof(valid, anyBytes), fc.array(fc.nat()), (whole, cuts) => {
        expect(areUtf8(cutAnywhere(whole, cuts))).toBe(isUtf8(whole));
      }),
      { numRuns: samples(2_000) },
    );
  });
});

const piece = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'binary' }).map((some) => JSON.stringify(some).slice(1, -1)) },
  { weight: 2, arbitrary: fc.constantFrom('é', '€', '😀', '\\\\', '\\"', '\\n', '\\/', 'u00e9') },
  { weight: 2, arbitrary: fc.constantFrom('\\u00e9', '\\u20AC', '\\ud83d\\ude00', '\\ud83d', '\\uDE00', '\\u005c') },
);
const content = fc.array(piece, { maxLength: 30 }).map((parts) => parts.join(''));

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
