import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { seal, unseal } from './sealed-text.js';

describe('a sealed text', () => {
  const secret = randomBytes(32);

  it('is opened with its secret, whatever the text is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, context) => {
        expect(unseal(seal(text, secret, context), secret, context)).toBe(text);
      }),
    );
  });

  it('is different each time, and does not contain the text', () => {
    const [one, two] = [seal('the same words', secret, 'a'), seal('the same words', secret, 'a')];
    expect(one.equals(two)).toBe(false);
    expect(one.toString('latin1')).not.toContain('words');
  });

  it('cannot be opened with another secret, in another context, or after a bit was changed', () => {
    const sealed = seal('words', secret, 'a');
    expect(() => unseal(sealed, randomBytes(32), 'a')).toThrow('auth');
    expect(() => unseal(sealed, secret, 'b')).toThrow('auth');
    for (let byte = 0; byte < sealed.length; byte++) {
      const changed = Buffer.from(sealed);
      changed[byte]! ^= 1;
      expect(() => unseal(changed, secret, 'a')).toThrow('auth');
    }
    expect(() => unseal(sealed.subarray(0, 20), secret, 'a')).toThrow('auth');
  });
});
