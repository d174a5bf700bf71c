import fc from 'fast-check';
import { BufferList } from './buffer-list.js';
import { exactField } from './exact-numbers.js';
import { parseWhole } from './testing/parse-whole.js';
import { jsonBytes } from './json-bytes.js';
import { longTextAt } from './long-text.js';

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
    const written = '{"a":1e400,"b":[-0,12345678901234567890]}';
    const body = parseWhole(new BufferList([Buffer.from(written)]));
    expect(jsonBytes({ a: exactField(body, 'a'), b: exactField(body, 'b') })).toBe(written.length);
  });

  it('counts a long text and leaves it undecoded', () => {
    const part = { type: 'text', text: 'ž\n'.repeat(10_000) };
    const body = parseWhole(new BufferList([Buffer.from(JSON.stringify({ part }))])) as { part: object };
    expect(longTextAt(body.part, 'text')).toBeDefined();
    expect(jsonBytes(body)).toBe(Buffer.byteLength(JSON.stringify({ part })) - 10_000);
    expect(longTextAt(body.part, 'text')).toBeDefined();
  });
});
