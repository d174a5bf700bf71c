import fc from 'fast-check';
import { createSecretKey } from 'node:crypto';
import { DerivedSecrets } from '../../auth/derived-secrets.js';
import { canonicalJson, canonicalPieces, idempotencyKeyOf } from './idempotency-key.js';

describe('an Idempotency-Key', () => {
  it('is 1 to 255 printable characters', () => {
    for (const key of ['a', '"8e03978e-40d5-43dd-bc93-6894a57f9324"', 'order 17', '~'.repeat(255)]) expect(idempotencyKeyOf(key)).toBe(key);
    for (const key of ['', '~'.repeat(256), 'a\tb', 'a\u007f', 'caf\u00e9', 'a\u0000', 'a\r\nb', ['a', 'b']])
      expect(() => idempotencyKeyOf(key)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });
});

describe('the canonical text of a body', () => {
  const reversed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reversed);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([name, member]) => [name, reversed(member)]),
    );
  };

  it('is the same for any order of the fields, and has the content of the body', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        const body = JSON.parse(JSON.stringify(json)) as unknown;
        expect(canonicalJson(reversed(body))).toBe(canonicalJson(body));
        expect(JSON.parse(canonicalJson(body))).toEqual(body);
      }),
    );
  });

  it('is the same in pieces, and so is what is derived of it', async () => {
    const secrets = new DerivedSecrets(createSecretKey(Buffer.alloc(32)));
    const objects = fc.dictionary(fc.oneof(fc.string(), fc.nat().map(String)), fc.jsonValue(), { noNullPrototype: true });
    await fc.assert(
      fc.asyncProperty(objects, async (json) => {
        const body = JSON.parse(JSON.stringify(json)) as object;
        expect([...canonicalPieces(body)].join('')).toBe(canonicalJson(body));
        const whole = secrets.derive('p', 'chat', canonicalJson(body));
        expect(await secrets.deriveInSteps('p', 'chat', canonicalPieces(body))).toEqual(whole);
      }),
    );
  });

  it('differs where the order means something', () => {
    expect(canonicalJson({ stop: ['a', 'b'] })).not.toBe(canonicalJson({ stop: ['b', 'a'] }));
    expect(canonicalJson({ a: { b: 1 } })).not.toBe(canonicalJson({ a: { b: '1' } }));
  });
});
