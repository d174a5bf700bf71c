import { crc32 } from 'node:zlib';
import * as fc from 'fast-check';
import { displayApiKey, generateApiKey, parseApiKey } from './api-key-format.js';
import { toBase62 } from './base62.js';

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
