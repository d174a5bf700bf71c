import fc from 'fast-check';
import { BufferList } from './buffer-list.js';
import { exactField } from './exact-numbers.js';
import { parseWhole } from './testing/parse-whole.js';
import { cutAnywhere } from './testing/cut.js';

const parse = (json: string, cuts: readonly number[] = []) => parseWhole(new BufferList(cutAnywhere(Buffer.from(json), cuts)));

const digits = fc.string({ unit: fc.nat(9).map(String), minLength: 1, maxLength: 40 });
const whole = digits.map((all) => all.replace(/^0+(?=.)/, ''));
const exponent = fc
  .tuple(
    fc.constantFrom('e', 'E'),
    fc.constantFrom('', '+', '-'),
    digits.map((all) => all.slice(0, 4)),
  )
  .map((parts) => parts.join(''));
const number = fc
  .tuple(
    fc.constantFrom('', '-'),
    whole,
    fc.option(
      digits.map((all) => `.${all}`),
      { nil: '' },
    ),
    fc.option(exponent, { nil: '' }),
  )
  .map((parts) => parts.join(''));

describe('exactField', () => {
  it('goes on with the value of every number, whatever its digits and the size of the body', () => {
    fc.assert(
      fc.property(
        fc.array(number, { minLength: 1, maxLength: 5 }),
        fc.boolean(),
        fc.array(fc.nat(), { maxLength: 4 }),
        (numbers, large, cuts) => {
          const pad = large ? 'x'.repeat(20_000) : '';
          const body = parse(`{"pad":"${pad}","a":[{"b":[${numbers.join(' , ')}]}],"c":"1e999"}`, cuts);
          const [sent] = JSON.parse(JSON.stringify(exactField(body, 'a')), (_name, value: unknown, context?: { source?: string }) =>
            typeof value === 'number' ? context!.source : value,
          ) as [{ b: string[] }];
          // What is not as it was written is what a double keeps: at most 15 digits.
          for (const [index, one] of sent.b.entries()) {
            if (one !== numbers[index]) {
              expect(numbers[index]!.length).toBeLessThan(16);
              expect(Number(one)).toBe(Number(numbers[index]));
              expect(Number.isFinite(Number(one))).toBe(true);
            }
          }
        },
      ),
    );
  });

  it.each(['9007199254740993', '-9007199254740993', '1e400', '-0', '1.0000000000000000001', '123456789012345678901234567890'])(
    'passes %s on as it is written',
    (written) => {
      for (const pad of ['', 'x'.repeat(20_000)]) {
        const body = parse(`{"pad":"${pad}","\\u0061":${written},"b":{"c":[${written}]},"d":${written} }`);
        for (const name of ['a', 'd']) expect(JSON.stringify(exactField(body, name))).toBe(written);
        expect(JSON.stringify(exactField(body, 'b'))).toBe(`{"c":[${written}]}`);
      }
    },
  );

  it('refuses a large field, which it would have to read a second time', () => {
    const body = parse(`{"a":[${'1e400,'.repeat(30_000)}0]}`);
    expect(() => exactField(body, 'a')).toThrow("The field 'a' has numbers of more than 15 digits");
  });

  it('returns the last value of a field that occurs twice, as JSON.parse does', () => {
    for (const last of ['2', '[]', '1e500']) {
      const body = parse(`{"a":1e400,"b":[-0],"a":${last}}`);
      expect(JSON.stringify({ a: exactField(body, 'a'), b: exactField(body, 'b') })).toBe(`{"a":${last},"b":[-0]}`);
    }
  });

  it('returns the value of any other field', () => {
    const body = parse('{"a":12345678901234567890,"b":[1]}');
    expect(exactField(body, 'b')).toBe(body.b);
    expect(exactField(body, 'c')).toBeUndefined();
  });
});
