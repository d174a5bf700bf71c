import fc from 'fast-check';
import { formatCredits, MAX_NANO, parseCredits } from './credits.js';

describe('formatCredits', () => {
  it.each([
    [0n, '0'],
    [1n, '0.000000001'],
    [-1n, '-0.000000001'],
    [1_500_000_000n, '1.5'],
    [-20_000_000_000n, '-20'],
    [100_000_000n, '0.1'],
    [1_000_000_010n, '1.00000001'],
    [MAX_NANO, '9223372036.854775807'],
  ])('writes %p nano-credits as %s', (nano, text) => expect(formatCredits(nano)).toBe(text));

  it('loses nothing, and writes no zero that says nothing', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -MAX_NANO, max: MAX_NANO }), (nano) => {
        const text = formatCredits(nano);
        expect(parseCredits(text)).toBe(nano);
        expect(text).toMatch(/^-?(0|[1-9]\d*)(\.\d*[1-9])?$/);
      }),
    );
  });
});
