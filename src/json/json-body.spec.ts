import * as fc from 'fast-check';
import { ApiError } from '../common/api-error.js';
import { parseWhole } from './testing/parse-whole.js';
import { BufferList } from './buffer-list.js';

const parse = (text: string | Buffer): unknown => parseWhole(new BufferList([Buffer.from(text)]));

describe('parseJsonBody', () => {
  it('reads every JSON object as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 })), (value) => {
        const text = JSON.stringify(value);
        expect(parse(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('never throws anything but a 400, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        try {
          parseWhole(new BufferList([Buffer.from(bytes)]));
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError);
          expect(error).toMatchObject({ status: 400, code: 'invalid_request' });
        }
      }),
    );
  });

  it('ignores a byte order mark', () => expect(parse('\uFEFF{"a":1}')).toEqual({ a: 1 }));

  it.each([
    ['', 'not valid JSON'],
    ['{"a":', 'not valid JSON'],
    ['[]', 'must be a JSON object'],
    ['null', 'must be a JSON object'],
    ['"text"', 'must be a JSON object'],
  ])('refuses %p', (text, message) => expect(() => parse(text)).toThrow(message));

  it('refuses bytes that are not UTF-8', () => expect(() => parse(Buffer.from([0x7b, 0xff, 0x7d]))).toThrow('not valid UTF-8'));

  it('reads members __proto__ as data', () => {
    const body = parse('{"\\u005f_proto__":{"polluted":true},"metadata":{"__proto__":{"polluted":true}}}') as { metadata: object };
    expect(Object.getPrototypeOf(body)).toBe(Object.prototype);
    expect(Object.keys(body)).toEqual(['__proto__', 'metadata']);
    expect(Object.getPrototypeOf(body.metadata)).toBe(Object.prototype);
    expect(Object.keys(body.metadata)).toEqual(['__proto__']);
    expect({ ...body.metadata }).not.toHaveProperty('polluted');
    expect({}).not.toHaveProperty('polluted');
  });

  it.each([
    [100, false],
    [101, true],
    [100_000, true],
  ])('counts %i levels', (levels, refused) => {
    const arrays = `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    const objects = `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
    for (const text of [arrays, objects]) {
      if (refused) expect(() => parse(text)).toThrow('deeper than 100 levels');
      else expect(() => parse(text)).not.toThrow();
    }
  });
});
