import fc from 'fast-check';
import { JsonScan } from './json-scan.js';
import { cutAnywhere } from './testing/cut.js';

function scanned(json: string | Buffer, cuts: readonly number[] = [], expected?: number): JsonScan {
  const scan = new JsonScan(expected);
  for (const buffer of cutAnywhere(Buffer.from(json), cuts)) scan.feed(buffer);
  scan.end();
  return scan;
}

function membersOf(json: string, cuts: readonly number[] = []): [string, string][] {
  const bytes = Buffer.from(json);
  return scanned(json, cuts).members.map(({ nameFrom, nameTo, from, to }) => [
    bytes.toString('utf8', nameFrom, nameTo),
    bytes.toString('utf8', from, to),
  ]);
}

const namesOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce<number>((sum, child) => sum + namesOf(child), Array.isArray(value) ? 0 : Object.keys(value).length)
    : 0;

const cuts = fc.array(fc.nat(), { maxLength: 12 });
const text = fc
  .tuple(fc.string({ unit: 'binary', maxLength: 12 }), fc.constantFrom(1, 1, 9, 600))
  .map(([some, times]) => some.repeat(times));
const body = fc.dictionary(fc.oneof(text, fc.string()), fc.oneof(text, fc.jsonValue({ maxDepth: 4 })));
const written = fc.tuple(body, fc.nat(3)).map(([value, indent]) => JSON.stringify(value, null, indent));

describe('JsonScan', () => {
  it('finds each member and counts the names, however the bytes are cut', () => {
    fc.assert(
      fc.property(written, cuts, (json, offsets) => {
        const value = JSON.parse(json) as object;
        fc.pre(Object.keys(value).every((name) => Buffer.byteLength(JSON.stringify(name)) <= 258));
        const members = membersOf(json, offsets).map(
          ([name, member]) => [JSON.parse(`"${name}"`), JSON.parse(member)] as [string, unknown],
        );
        expect(Object.fromEntries(members)).toEqual(Object.fromEntries(Object.entries(value)));
        expect(scanned(json, offsets).names).toBe(namesOf(value));
      }),
    );
  });

  it('returns a member as it is written', () => {
    expect(membersOf('{"a" : [ "\\u00e9\\\\\\"]}", 1.0, "é" ] ,"b":{"a":[]}}')).toEqual([
      ['a', '[ "\\u00e9\\\\\\"]}", 1.0, "é" ]'],
      ['b', '{"a":[]}'],
    ]);
  });

  it('counts a name that occurs twice as two, wherever it is', () => {
    expect(scanned('{"a":[1],"a":[2]}').names).toBe(2);
    expect(scanned('{"a":[{"b":"c: d","b":{"e":1}}]}').names).toBe(4);
  });

  it.each([
    ['12345678901234567890', true],
    ['-9007199254740993', true],
    ['1.0000000000000000001', true],
    ['1e400', true],
    ['1E-400', true],
    ['-0', true],
    ['-0.0', true],
    ['123456789012345', false],
    ['-1.5e-7', false],
    ['0', false],
    ['"12345678901234567890"', false],
  ])('tells that %s may be changed by a double: %s', (number, inexact) => {
    for (const cut of [[], [6], [7], [8], [10], [22]]) {
      expect(scanned(`{"a":[${number}],"b":1}`, cut).members.map((member) => member.inexact)).toEqual([inexact, false]);
      expect(scanned(`{"a":${number},"b":1}`, cut).members.map((member) => member.inexact)).toEqual([inexact, false]);
    }
  });

  const many = (count: number, one: (index: number) => string) => Array.from({ length: count }, (_, index) => one(index)).join(',');

  it.each<[string, (count: number) => string, number, string]>([
    ['levels', (count) => '{"a":' + '['.repeat(count - 1) + ']'.repeat(count - 1) + '}', 100, 'deeper than 100 levels'],
    ['fields', (count) => `{${many(count, (index) => `"${index}":0`)}}`, 512, 'more than 512 fields'],
    ['bytes of a name', (count) => `{"${'n'.repeat(count)}":0}`, 256, 'longer than 256 bytes'],
    ['members', (count) => `{"a":{${many(count, (index) => `"${index}":0`)}}}`, 4_096, 'more than 4096 members'],
    ['digits', (count) => `{"a":${'7'.repeat(count)}}`, 1_000, 'more than 1000 characters'],
  ])('takes its limit of %s, and refuses one more', (_what, json, limit, message) => {
    for (const offsets of [[], [4, 300, 500]]) {
      expect(() => scanned(json(limit), offsets)).not.toThrow();
      expect(() => scanned(json(limit + 1), offsets)).toThrow(message);
    }
  });

  it.each([
    ['values', '1,', 'too many values: at most 100000, one more for each 64 bytes, and 250000 in all'],
    ['arrays', '[],', 'too many objects and arrays: at most 40000, one more for each 128 bytes, and 125000 in all'],
    ['objects', '{},', 'too many objects and arrays: at most 40000, one more for each 128 bytes, and 125000 in all'],
  ])('refuses too many %s for the size of the body', (_what, one, message) => {
    const json = (count: number, rest = '') => `{"a":[${one.repeat(count)}0],"b":"${rest}"}`;
    expect(() => scanned(json(39_000))).not.toThrow();
    expect(() => scanned(json(120_000))).toThrow(message);
    expect(() => scanned(json(120_000, 'x'.repeat(12_000_000)), [], 13_000_000)).not.toThrow();
    expect(() => scanned(json(250_000, 'x'.repeat(30_000_000)))).toThrow(message);
  });

  it('refuses before the body has come whole', () => {
    const scan = new JsonScan(1_000_000);
    const bytes = Buffer.from(`{"a":[${'[],'.repeat(20_000)}`);
    scan.feed(bytes);
    scan.feed(bytes);
    expect(() => scan.feed(bytes)).toThrow('too many objects and arrays');
  });
});
