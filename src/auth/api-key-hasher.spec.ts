import { createHmac, createSecretKey } from 'node:crypto';
import * as fc from 'fast-check';
import { ApiKeyHasher } from './api-key-hasher.js';

describe('ApiKeyHasher', () => {
  it('makes the HMAC-SHA-256 of any text with any pepper', () => {
    const peppers = fc.uint8Array({ minLength: 1, maxLength: 200 });
    const texts = fc.oneof(fc.string({ unit: 'binary', maxLength: 60 }), fc.string({ unit: 'binary', minLength: 600, maxLength: 800 }));
    fc.assert(
      fc.property(peppers, fc.array(texts, { minLength: 1 }), (pepper, keys) => {
        const secret = createSecretKey(pepper);
        const hasher = new ApiKeyHasher(secret);
        for (const key of keys) {
          const expected = createHmac('sha256', secret).update(key).digest();
          expect(hasher.binary(key)).toBe(expected.toString('latin1'));
          expect(hasher.hex(key)).toBe(expected.toString('hex'));
        }
      }),
    );
  });
});
