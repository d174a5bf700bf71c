import fc from 'fast-check';
import { samples } from '../common/testing/long-form.js';
import { BufferList } from './buffer-list.js';
import { JsonText } from './json-text.js';
import { copyMembers, longTextAt } from './long-text.js';
import { cutAnywhere } from './testing/cut.js';
import { parseWhole } from './testing/parse-whole.js';

const written = (value: object) => {
  const pieces = [...new JsonText(value)];
  return { pieces, json: Buffer.concat(pieces.map((piece) => Buffer.from(piece as string))).toString() };
};
const parse = (value: object, cuts: readonly number[] = []) =>
  parseWhole(new BufferList(cutAnywhere(Buffer.from(JSON.stringify(value)), cuts)));

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

  it('has unread texts as they were written, in no copy, and leaves them unread', () => {
    const texts = fc.constantFrom('x', 'é\n', '€"', '\ud800 ').map((some) => some.repeat(70_000 / some.length));
    fc.assert(
      fc.property(texts, texts, fc.array(fc.nat(), { maxLength: 8 }), (one, other, cuts) => {
        const messages = [{ role: 'user', content: one }, { parts: [{ some: [other, 'x', 7] }, {}] }];
        const body = parse({ messages, short: 'x' }, cuts) as { messages: [object, object] };
        const { pieces, json } = written(body);
        expect(json === JSON.stringify({ messages, short: 'x' })).toBe(true);
        expect(longTextAt(body.messages[0], 'content')).toBeDefined();
        for (const bytes of longTextAt(body.messages[0], 'content')!.json) expect(pieces).toContain(bytes);
        for (const piece of pieces) if (typeof piece === 'string') expect(piece.length).toBeLessThan(1_000);
      }),
      { numRuns: samples(40), endOnFailure: true },
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
  it('copies members of any name, and reads none that were not read yet', () => {
    const json = `{"list":{"content":"${'x'.repeat(70_000)}","__proto__":{"a":1},"b":0},"pad":"${'y'.repeat(20_000)}"}`;
    const { list } = parseWhole(new BufferList([Buffer.from(json)])) as { list: object };
    const copy = copyMembers(list, { b: 7 });
    expect(longTextAt(copy, 'content')).toBe(longTextAt(list, 'content'));
    expect(Object.keys(copy)).toEqual(['b', 'content', '__proto__']);
    expect(longTextAt(list, 'content')).toBeDefined();
    expect(JSON.stringify(copy)).toBe(`{"b":0,"content":"${'x'.repeat(70_000)}","__proto__":{"a":1}}`);
  });
});
