import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { seal, unseal } from './sealed-text.js';

describe('a sealed text', () => {
  const secret = randomBytes(32);

  it('is opened by whoever has the secret, whatever it says', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, context) => {
        expect(unseal(seal(text, secret, context), secret, context)).toBe(text);
      }),
    );
  });

  it('never looks the same twice, and shows nothing of what it says', () => {
    const [one, two] = [seal('the same words', secret, 'a'), seal('the same words', secret, 'a')];
    expect(one.equals(two)).toBe(false);
    expect(one.toString('latin1')).not.toContain('words');
  });

  it('is opened by no other secret, for no other context, and not when a bit was changed', () => {
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
