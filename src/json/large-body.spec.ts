import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { ApiError } from '../common/api-error.js';
import { samples } from '../common/testing/long-form.js';
import { BufferList } from './buffer-list.js';
import { parseReceived } from './json-body.js';
import { JsonScan } from './json-scan.js';
import { sourceOf } from './json-source.js';
import { cutAnywhere } from './testing/cut.js';
import { parseWhole } from './testing/parse-whole.js';

/** With it a body is so large that the bytes of its members are kept. */
const pad = 'x'.repeat(20_000);
const parse = (json: string | Buffer, cuts: readonly number[] = []) => parseWhole(new BufferList(cutAnywhere(Buffer.from(json), cuts)));
const sourceText = (value: unknown) => {
  const source = sourceOf(value);
  return source && Buffer.concat(source).toString();
};

const padded = fc
  .dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }), { maxKeys: 5 })
  .map((value) => ({ ...value, pad }));
const cuts = fc.array(fc.nat(), { maxLength: 8 });

describe('parseJsonBody of a large body', () => {
  it('reads what JSON.parse reads, from any buffers, and keeps the sources of the members', () => {
    fc.assert(
      fc.property(padded, fc.nat(3), cuts, (value, indent, offsets) => {
        const written = JSON.stringify(value, null, indent);
        const body = parse(written, offsets);
        for (const member of Object.values(body))
          if (typeof member === 'object' && member !== null) expect(JSON.parse(sourceText(member)!)).toEqual(member);
        expect(body).toEqual(JSON.parse(written));
      }),
      { numRuns: samples(100) },
    );
  });

  it('refuses what JSON.parse refuses, and as a mistake of the client', () => {
    const wrong = fc.oneof(fc.constantFrom(0x00, 0x0a, 0x22, 0x5c, 0x7b, 0x7d, 0x80, 0xc3, 0xff), fc.nat(255));
    fc.assert(
      fc.property(padded, fc.nat(), wrong, cuts, (value, at, byte, offsets) => {
        const bytes = Buffer.from(JSON.stringify(value));
        bytes[at % bytes.length] = byte;
        let expected: unknown;
        try {
          expected = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
        } catch {
          expect(() => parse(bytes, offsets)).toThrow(/^The request body is not valid (JSON|UTF-8)/);
          return;
        }
        expect(parse(bytes, offsets)).toEqual(expected);
      }),
      { numRuns: samples(150) },
    );
  });

  it('keeps the sources of members whose names have escapes', () => {
    const body = parse(`{"mess\\u0061ges":[ "a"],"pad":"${pad}"}`);
    expect([sourceText(body['messages']), body['messages']]).toEqual(['[ "a"]', ['a']]);
  });

  // JSON.parse takes the last value, by which it is paid, and a provider might take the first.
  it.each([
    ['a name that is given twice', '"a":[1],"a":[2]'],
    ['an object in which one is', '"a":[{"b":1,"b":2}]'],
    ['one with an escape', '"a":[{"b":1,"\\u0062":2}]'],
  ])('does not hand on the bytes of a body with %s', (_name, members) => {
    const written = `{${members},"c":["d"],"pad":"${pad.repeat(60)}"}`;
    const body = parse(written);
    expect(body).toEqual(JSON.parse(written));
    expect([sourceOf(body['a']), sourceOf(body['c'])]).toEqual([undefined, undefined]);
  });

  it.each([0, 1, 2])('is refused, and is no mistake, where its client leaves %d turns after it has come', async (turns) => {
    const bytes = new BufferList([Buffer.from(new Uint8Array(Buffer.from(JSON.stringify({ stop: pad.repeat(60) }))).buffer)]);
    const scan = new JsonScan();
    for (const buffer of bytes) scan.feed(buffer);
    const parsed = (parseReceived({ bytes, scan }) as Promise<unknown>).catch((error: unknown) => error);
    for (let turn = 0; turn < turns; turn++) await nextTurn();
    bytes.release();
    expect(await parsed).toBeInstanceOf(ApiError);
  });
});
