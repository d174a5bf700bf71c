import { crc32 } from 'node:zlib';
import { createSecretKey, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { displayApiKey, generateApiKey, parseApiKey } from './api-key-format.js';
import { toBase62 } from './base62.js';
import { ApiKeyHasher } from './api-key-hasher.js';
import { seal, unseal } from './sealed-text.js';

const prefixes = fc.stringMatching(/^[a-z][a-z0-9]{0,15}$/);
/** Checks a key as a secret scanner does. */
const hasValidChecksum = (key: string) => toBase62(crc32(key.slice(0, -6)), 6) === key.slice(-6);
const environments = fc.constantFrom('live' as const, 'test' as const);

describe('the format of a key', () => {
  it('is prefix, environment and 32 characters, and reads back as what it was made of', () => {
    fc.assert(
      fc.property(prefixes, environments, (prefix, environment) => {
        const key = generateApiKey(prefix, environment);
        expect(key).toMatch(/^[a-z][a-z0-9]*-(live|test)-[0-9A-Za-z]{32}$/);
        expect(parseApiKey(key)).toEqual({ prefix, environment, secret: key.slice(-32) });
        expect(hasValidChecksum(key)).toBe(true);
      }),
    );
  });

  it('lets a scanner notice any one mistyped character', () => {
    fc.assert(
      fc.property(environments, fc.nat({ max: 31 }), fc.stringMatching(/^[0-9A-Za-z]$/), (environment, position, typed) => {
        const key = generateApiKey('sy', environment);
        const index = key.length - 32 + position;
        const mistyped = key.slice(0, index) + typed + key.slice(index + 1);
        expect(hasValidChecksum(mistyped)).toBe(mistyped === key);
      }),
    );
  });

  it('takes no other text for a key', () => {
    for (const text of [
      '',
      'sy-live-',
      'sy-prod-' + 'a'.repeat(32),
      'sy-live-' + 'a'.repeat(31),
      'sy-live-' + 'a'.repeat(33),
      'live-' + 'a'.repeat(32),
    ])
      expect(parseApiKey(text)).toBeUndefined();
  });

  it('shows the first and last four characters only', () => {
    expect(displayApiKey(parseApiKey('sy-live-abcdEFGHIJKLMNOPQRSTUVWXYZ012345')!)).toBe('sy-live-abcd...2345');
  });
});

describe('ApiKeyHasher', () => {
  it('makes the HMAC-SHA-256 of a key (RFC 4231, test case 2)', () => {
    const hasher = new ApiKeyHasher(createSecretKey(Buffer.from('Jefe')));
    const digest = '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843';
    expect(hasher.hex('what do ya want for nothing?')).toBe(digest);
    expect(hasher.binary('what do ya want for nothing?')).toBe(Buffer.from(digest, 'hex').toString('latin1'));
  });
});

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
