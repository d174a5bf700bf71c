import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { samples } from '../common/testing/long-form.js';
import { areUtf8, escapesOf } from './plain-text.js';
import { cutAnywhere } from './testing/cut.js';

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
const text = fc.array(fragment, { maxLength: 40 }).map((parts) => Buffer.from(parts.join('')));
const byte = fc
  .oneof(fc.constantFrom(0x00, 0x1f, 0x20, 0x5c, 0x7f, 0x80, 0xbf, 0xc2, 0xe0, 0xf0, 0xf4, 0xff), fc.nat(255))
  .filter((one) => one !== 0x22);
const bytes = fc.array(byte, { maxLength: 80 }).map((all) => Buffer.from(all));

describe('escapesOf', () => {
  it('accepts what JSON.parse accepts, and returns how many bytes its escapes are longer than what they stand for', () => {
    fc.assert(
      fc.property(fc.oneof(text, bytes), fc.array(fc.nat()), (inside, cuts) => {
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
      fc.property(fc.oneof(valid, bytes), fc.array(fc.nat()), (whole, cuts) => {
        expect(areUtf8(cutAnywhere(whole, cuts))).toBe(isUtf8(whole));
      }),
      { numRuns: samples(2_000) },
    );
  });
});
