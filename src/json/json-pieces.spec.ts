import fc from 'fast-check';
import { BufferList } from './buffer-list.js';
import { jsonPieces } from './json-pieces.js';
import { longTextAt } from './long-text.js';
import { parseWhole } from './testing/parse-whole.js';

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

  it('has texts that were not read yet, and long ones that were, without reading them as a whole', () => {
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
      expect(longTextAt((body['messages'] as object[])[0]!, 'content')).toBeDefined();
    }
  });

  it('has the names of objects in the order that is asked for', () => {
    const sorted = (holder: object) => Object.keys(holder).sort();
    expect([...jsonPieces({ b: [{ d: 1, c: null }], a: true }, sorted)].join('')).toBe('{"a":true,"b":[{"c":null,"d":1}]}');
  });
});
