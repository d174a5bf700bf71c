import fc from 'fast-check';
import { samples } from '../common/testing/long-form.js';
import { BufferList } from './buffer-list.js';
import { JsonText } from './json-text.js';
import { copyMembers } from '../wire/members.js';
import { parseWhole } from './testing/parse-whole.js';
import { exactField } from './exact-numbers.js';
import { jsonBytes } from './json-bytes.js';
import { jsonPieces } from './json-pieces.js';

const written = (value: object) => {
  const pieces = [...new JsonText(value)];
  return { pieces, json: Buffer.concat(pieces.map((piece) => Buffer.from(piece as string))).toString() };
};

describe('JsonText', () => {
  it('is what JSON.stringify makes of a value, as often as it is asked for', () => {
    const large = fc.constantFrom('x', 'é\n', '€"', '\ud800 ', '😀', 'a😀').map((some) => some.repeat(70_000 / some.length));
    const { any } = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        { arbitrary: fc.string({ unit: 'binary', maxLength: 200 }), weight: 3 },
        large,
        { arbitrary: fc.constantFrom(0, -0, 1e300, true, null, JSON.rawJSON('1e400')), weight: 3 },
        fc.array(tie('any'), { maxLength: 20 }),
        fc.dictionary(
          fc.constantFrom('a', 'content', '7', '__proto__', 'x'.repeat(300), '"\n'),
          fc.oneof(tie('any'), fc.constant(undefined)),
        ),
      ),
    }));
    fc.assert(
      fc.property(fc.oneof(fc.array(any), fc.dictionary(fc.string(), any)), (value) => {
        // A difference of megabytes would take minutes to be shown.
        expect(written(value).json === JSON.stringify(value)).toBe(true);
        const text = new JsonText(value);
        expect([...text].join('') === [...text].join('')).toBe(true);
      }),
      { numRuns: samples(150), endOnFailure: true },
    );
  });

  it('makes the JSON of what is large in pieces', () => {
    const parts = Array.from({ length: 50_000 }, (_, index) => ({ text: `part ${index}` }));
    const { pieces, json } = written({ messages: [{ parts }], text: '😀'.repeat(1_000_000) });
    expect(json === JSON.stringify({ messages: [{ parts }], text: '😀'.repeat(1_000_000) })).toBe(true);
    for (const piece of pieces) expect(piece.length).toBeLessThan(200_000);
  });
});

describe('copyMembers', () => {
  it('copies members of any name', () => {
    const json = '{"constructor":{"a":1},"__proto__":{"b":2},"c":3}';
    const copy = copyMembers(JSON.parse(json) as object, {});
    expect([JSON.stringify(copy), Object.getPrototypeOf(copy)]).toEqual([json, Object.prototype]);
  });
});

describe('jsonBytes', () => {
  it('is the length of the JSON, for any value', () => {
    const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom('"', '\\', '\n', '👋', '\ud800', 'ž'));
    const value = fc.jsonValue({ stringUnit: 'grapheme', depthSize: 'medium' });
    fc.assert(
      fc.property(fc.oneof(value, fc.dictionary(text, fc.oneof(text, value))), (any) => {
        expect(jsonBytes(any)).toBe(Buffer.byteLength(JSON.stringify(any)));
      }),
    );
  });

  it('counts a number as it is written', () => {
    const json = '{"a":1e400,"b":[-0,12345678901234567890]}';
    const body = parseWhole(new BufferList([Buffer.from(json)]));
    expect(jsonBytes({ a: exactField(body, 'a'), b: exactField(body, 'b') })).toBe(json.length);
  });

  it('counts a long text without its escapes', () => {
    const part = { type: 'text', text: 'ž\n'.repeat(10_000) };
    expect(jsonBytes({ part })).toBe(Buffer.byteLength(JSON.stringify({ part })) - 10_000);
  });
});

const bodyOf = (json: string) => parseWhole(new BufferList([Buffer.from(json)]));

describe('JSON in pieces', () => {
  it('is what JSON.stringify makes', () => {
    const values = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1, noNullPrototype: true });
    fc.assert(
      fc.property(values, (value) => {
        const parsed = JSON.parse(JSON.stringify(value)) as object;
        expect([...jsonPieces(parsed)].join('')).toBe(JSON.stringify(parsed));
      }),
    );
  });

  it('has long texts in parts', () => {
    for (const text of ['some words ', '€\n"\\', '😀', 'x😀', '\ud800', '\udc00x']) {
      const content = text.repeat(100_000);
      const json = JSON.stringify({
        model: 'm',
        n: 1,
        x: content,
        messages: [{ role: 'user', content }, { content: [{ text: content }] }],
      });
      const body = bodyOf(json);
      const pieces = [...jsonPieces(body)];
      expect(pieces.join('') === json).toBe(true);
      expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(600_000);
    }
  });

  it('has the names of objects in the order that is asked for', () => {
    const sorted = (holder: object) => Object.keys(holder).sort();
    expect([...jsonPieces({ b: [{ d: 1, c: null }], a: true }, sorted)].join('')).toBe('{"a":true,"b":[{"c":null,"d":1}]}');
  });
});
