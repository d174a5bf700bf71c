import * as fc from 'fast-check';
import { ApiError } from '../common/api-error.js';
import { parseWhole } from './testing/parse-whole.js';
import { BufferList } from './buffer-list.js';
import { hasControl } from './control-bytes.js';

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

describe('hasControl', () => {
  it.each([0, 1, 63, 64, 65, 127, 128, 65_535, 65_536, 65_537, 131_137])('finds one among %i bytes that are none', (length) => {
    const bytes = new Uint8Array(length).fill(0xff).fill(0x20, 0, length >> 1);
    expect(hasControl(bytes)).toBe(false);
    for (const at of [0, 1, 15, 16, 63, 64, 100, 65_535, 65_536, length - 1]) {
      if (at < 0 || at >= length) continue;
      const was = bytes[at]!;
      for (const control of [0x00, 0x1f]) {
        bytes[at] = control;
        expect(hasControl(bytes)).toBe(true);
      }
      bytes[at] = was;
    }
  });

  it('takes every other byte', () => {
    for (let byte = 0; byte < 256; byte++) expect(hasControl(Uint8Array.of(0x61, byte))).toBe(byte < 0x20);
  });

  it('forgets what it looked at before', () => {
    expect(hasControl(new Uint8Array(200))).toBe(true);
    expect(hasControl(new Uint8Array(100).fill(0x20))).toBe(false);
    expect(hasControl(new Uint8Array(0))).toBe(false);
  });
});
