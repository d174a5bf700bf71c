import { createSecretKey } from 'node:crypto';
import { ApiKeyHasher } from './api-key-hasher.js';

describe('ApiKeyHasher', () => {
  it('makes the HMAC-SHA-256 of a key (RFC 4231, test case 2)', () => {
    const hasher = new ApiKeyHasher(createSecretKey(Buffer.from('Jefe')));
    const digest = '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843';
    expect(hasher.hex('what do ya want for nothing?')).toBe(digest);
    expect(hasher.binary('what do ya want for nothing?')).toBe(Buffer.from(digest, 'hex').toString('latin1'));
  });
});
