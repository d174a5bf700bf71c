import fc from 'fast-check';
import { requireParsable } from './parsed-json.js';

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('requireParsable', () => {
  it('refuses what is nested deeper than 100 levels, wherever it is', () => {
    expect(() => requireParsable(nested(100))).not.toThrow();
    expect(() => requireParsable(nested(101))).toThrow(expect.objectContaining({ kind: 'limit_exceeded' }));
    expect(() => requireParsable(`{"a":"${'x'.repeat(500)}","b":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`)).toThrow('nested deeper');
  });

  it('refuses more objects and arrays than log probabilities have, and objects with more than 4,096 members', () => {
    const limit = expect.objectContaining({ kind: 'limit_exceeded' }) as Error;
    const members = (count: number) => `{${Array.from({ length: count }, (_, index) => `"z${index}":[]`).join()}}`;
    expect(() => requireParsable(`[${'{},'.repeat(100_000)}{}]`)).toThrow(limit);
    expect(() => requireParsable(`[${`${nested(90)},`.repeat(1_000)}[]]`)).toThrow(limit);
    expect(() => requireParsable(members(4_097))).toThrow(limit);

    const logprobs = Array.from({ length: 40_000 }, () => ({ token: 'a', logprob: -1, bytes: [97], top_logprobs: [] }));
    expect(() => requireParsable(JSON.stringify({ logprobs }))).not.toThrow();
    expect(() => requireParsable(`[${members(4_096)},${members(4_096)}]`)).not.toThrow();
  });

  it('takes no bracket of a text for one of the JSON', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: fc.constantFrom('[', '{', '"', '\\', 'a', ']') }), { maxLength: 50 }), (texts) => {
        expect(() => requireParsable(JSON.stringify([...texts, '['.repeat(300), { [`\\"${'{'.repeat(300)}`]: texts }]))).not.toThrow();
        expect(() => requireParsable(JSON.stringify([...texts, JSON.parse(nested(100))]))).toThrow('nested deeper');
      }),
    );
  });
});
