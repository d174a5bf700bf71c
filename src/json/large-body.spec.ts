import fc from 'fast-check';
import { samples } from '../common/testing/long-form.js';
import { sourceOf } from './json-source.js';
import { longTextAt, textBytes } from './long-text.js';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ApiError } from '../common/api-error.js';
import { parseReceived } from './json-body.js';
import { parseWhole } from './testing/parse-whole.js';
import { JsonScan } from './json-scan.js';
import { BufferList } from './buffer-list.js';
import { cutAnywhere } from './testing/cut.js';

const LONG = 5_000;
const long = (text = 'x') => text.repeat(Math.ceil(LONG / text.length));
const parse = (json: string | Buffer, cuts: readonly number[] = []) => parseWhole(new BufferList(cutAnywhere(Buffer.from(json), cuts)));
const sourceText = (value: unknown) => {
  const source = sourceOf(value);
  return source && Buffer.concat(source).toString();
};

const ownMemory = (bytes: Buffer) => Buffer.from(new Uint8Array(bytes).buffer);

/** Short and long strings, with all that JSON.stringify writes with escapes. */
const text = fc
  .tuple(fc.string({ unit: 'binary', maxLength: 20 }), fc.constantFrom(1, 1, LONG / 4, LONG / 2))
  .map(([some, times]) => some.repeat(times));
const { value: json } = fc.letrec((tie) => ({
  value: fc.dictionary(
    fc.string(),
    fc.oneof({ maxDepth: 4 }, text, fc.integer(), tie('value'), fc.array(fc.oneof(text, tie('value')), { maxLength: 3 })),
    { maxKeys: 5 },
  ),
}));
const manyShort = fc.constantFrom([], ['a\n'], Array<string>(70).fill('é'));
const padded = fc
  .tuple(manyShort, json)
  .map(([many, value]) => ({ many, ...(value as object), pad: [long(), long(), long(), long('é\n')] }));
const cuts = fc.array(fc.nat(), { maxLength: 8 });

describe('parseJsonBody of a large body', () => {
  it('reads what JSON.parse reads, from any buffers, and keeps the sources of the members', () => {
    fc.assert(
      fc.property(padded, fc.nat(3), cuts, (value, indent, offsets) => {
        const written = JSON.stringify(value, null, indent);
        const body = parse(written, offsets);
        for (const [name, member] of Object.entries(body)) {
          const source = sourceText(member);
          if (source !== undefined) expect(JSON.parse(source)).toEqual((value as Record<string, unknown>)[name]);
        }
        expect(body).toEqual(JSON.parse(written));
      }),
    );
  });

  it('reads the same where it has a megabyte, from which on texts of 1 KB are not decoded either', () => {
    const rest = 'é'.repeat(600_000);
    fc.assert(
      fc.property(padded, cuts, (value, offsets) => {
        const whole = { ...value, messages: [{ role: 'user', content: 'x'.repeat(2_000) }], rest };
        const body = parse(JSON.stringify(whole), offsets);
        expect(longTextAt((body['messages'] as object[])[0]!, 'content')?.bytes).toBe(2_000);
        expect(body).toEqual(JSON.parse(JSON.stringify(whole)));
      }),
      { numRuns: samples(10) },
    );
    const small = parse(JSON.stringify({ messages: [{ content: 'x'.repeat(2_000) }], pad: long().repeat(5) }));
    expect(longTextAt((small['messages'] as object[])[0]!, 'content')).toBeUndefined();
  });

  it('reads the same where texts of 64 KB or more are anywhere', () => {
    const large = fc.constantFrom('x', 'é\n', '€"', '\ud800 ').map((some) => some.repeat(70_000 / some.length));
    const { any } = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 3 },
        large,
        fc.integer(),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', 'content', '__proto__', '7'), tie('any'), { maxKeys: 3 }),
      ),
    }));
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('a', 'model', 'tools'), any), fc.boolean(), cuts, (value, isLarge, offsets) => {
        const written = JSON.stringify({ ...value, rest: isLarge ? ['x'.repeat(1_100_000)] : long().repeat(4) });
        // A difference of megabytes would take minutes to be shown.
        expect(JSON.stringify(parse(written, offsets)) === JSON.stringify(JSON.parse(written))).toBe(true);
      }),
      { numRuns: samples(60), endOnFailure: true },
    );
  });

  const element = fc.oneof(json, text, fc.constantFrom('x'.repeat(9_000), 'é\n'.repeat(900), ['"],[{'.repeat(60)], null));
  const lists = fc.array(element, { minLength: 5, maxLength: 30 }).map((some) => {
    const elements = [...some, 'x'.repeat(900)];
    const many = Array.from({ length: Math.ceil(1_200_000 / JSON.stringify(elements).length) }, () => elements).flat();
    return { a: elements, messages: many, b: { c: elements }, 7: many.slice(0, 100), tools: elements };
  });

  it('reads the same where the elements of its lists are parsed run by run', () => {
    fc.assert(
      fc.property(lists, fc.nat(1), cuts, (value, indent, offsets) => {
        const written = JSON.stringify(value, null, indent);
        const body = parse(written, offsets);
        expect(JSON.parse(sourceText(body['messages'])!)).toEqual(value.messages);
        expect(body).toEqual(JSON.parse(written));
      }),
      { numRuns: samples(15) },
    );
  });

  it('refuses the same where a byte of it is wrong', () => {
    const wrong = fc.constantFrom(0x00, 0x0a, 0x22, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d, 0x20, 0xc3);
    fc.assert(
      fc.property(lists, fc.double({ min: 0.0001, max: 0.99, noNaN: true }), wrong, (value, at, byte) => {
        const bytes = Buffer.from(JSON.stringify(value));
        bytes[Math.floor(at * bytes.length)] = byte;
        const [expected, found] = [outcome(() => plain(bytes)), outcome(() => parse(bytes))];
        // Where a quote is missing, something else may be found first.
        if (typeof expected === 'string') expect(found).toMatch(/^(The request body|A field of the request body|An object in)/);
        else expect(found).toEqual(expected);
      }),
      { numRuns: samples(40) },
    );
  });

  it.each([
    ['runs of one are white space', `{"a":[${' '.repeat(40_000)},1],"b":"${'x'.repeat(1_100_000)}"}`],
    ['an element of one is missing', `{"a":[1,,"${'x'.repeat(40_000)}",1],"b":"${'x'.repeat(1_100_000)}"}`],
  ])('refuses lists where %s', (_what, written) => {
    expect(() => parse(written)).toThrow('it is wrong between its bytes 6 and');
  });

  it.each([
    ['of the body', (list: string) => `{"a":${list},"b":[0],"a":${list}}`],
    ['of an object', (list: string) => `{"a":${list},"b":[{"c":0,"c":1}],"d":${list}}`],
    ['of an object in a run, with an escape', (list: string) => `{"a":[{"c":0,"\\u0063":1},${list}],"d":${list}}`],
  ])('refuses a name %s that is given twice, but in less than a megabyte', (_what, written) => {
    const list = (elements: number) => JSON.stringify(Array<string>(elements).fill('y'.repeat(40)));
    expect(() => parse(written(list(20_000)))).toThrow('has a name twice in one object');
    const body = parse(written(list(1_000)));
    expect(body).toEqual(JSON.parse(written(list(1_000))));
    expect(sourceOf(body['a'])).toBeUndefined();
  });

  it('keeps the sources of members whose names have escapes', () => {
    const body = parse(`{"mess\\u0061ges":["${long()}"],"b":["${long()}","${long()}","${long()}"]}`);
    expect([sourceText(body['messages']), body['messages']]).toEqual([`["${long()}"]`, [long()]]);
  });

  it('treats a body with a wrong byte as if it had been parsed as a whole', () => {
    const wrong = fc.oneof(fc.constantFrom(0x00, 0x0a, 0x22, 0x5c, 0x7b, 0x7d, 0x80, 0xc3, 0xff), fc.nat(255));
    fc.assert(
      fc.property(padded, fc.nat(), wrong, cuts, (value, at, byte, offsets) => {
        const bytes = Buffer.from(JSON.stringify(value));
        bytes[at % bytes.length] = byte;
        expect(outcome(() => parse(bytes, offsets))).toEqual(outcome(() => plain(bytes)));
      }),
      { numRuns: samples(150) },
    );
  });

  it('releases its memory, after which unread texts cannot be read', () => {
    const bytes = Buffer.from(JSON.stringify({ messages: [{ content: long() }, { content: long('é') }], pad: long().repeat(4) }));
    const buffers = new BufferList(cutAnywhere(bytes, [3_000, 9_000]).map(ownMemory));
    const { messages } = parseWhole(buffers) as { messages: { content: string }[] };
    expect(messages[0]!.content).toBe(long());
    buffers.release();
    expect(messages[0]!.content).toBe(long());
    expect(() => messages[1]!.content).toThrow('after its end');
    for (const buffer of buffers) expect(buffer).toHaveLength(0);
  });

  it.each([0, 1, 2, 3, 4, 5, 6])('is refused, and is no mistake, where its client leaves %d turns after it has come', async (turns) => {
    const texts = ['x', 'y', 'z'].map((some) => some.repeat(1_500_000));
    const bytes = new BufferList([ownMemory(Buffer.from(JSON.stringify({ stop: texts })))]);
    const scan = new JsonScan();
    for (const buffer of bytes) scan.feed(buffer);
    const parsed = (parseReceived({ bytes, scan }) as Promise<unknown>).catch((error: unknown) => error);
    for (let turn = 0; turn < turns; turn++) await nextTurn();
    bytes.release();
    expect(await parsed).toBeInstanceOf(ApiError);
  });

  const message = (content: string) => `{"role":"user","content":"${content}"}`;

  it.each([
    ['plain text', long('word ')],
    ['text with escapes', long('a\\n\\"\\\\')],
    ['text beyond ASCII', long('é')],
  ])('does not decode %s that nobody reads', (_name, content) => {
    const filler = message(long()).concat(',').repeat(4);
    const messages = `[ ${filler}${message(content)}]`;
    const body = parse(`{"model":"m","messages":${messages}}`, [7_000, 20_500]) as { messages: object[] };
    const last = body.messages.at(-1)!;
    expect(longTextAt(last, 'content')).toBeDefined();
    expect(textBytes(last, 'content')).toBe(Buffer.byteLength(JSON.parse(`"${content}"`) as string));
    expect(sourceText(body.messages)).toBe(messages);
    expect(longTextAt(last, 'content')).toBeDefined();
    expect(last).toEqual(JSON.parse(message(content)));
    expect(longTextAt(last, 'content')).toBeUndefined();
  });

  it.each([
    ['a name that is given twice', `{"a":["${long()}"],"a":["${long('y')}"],"b":"${long()}","c":"${long()}"}`],
    ['a long name', `{"a":{"${long()}":[1]},"b":"${long()}","c":"${long()}","d":"${long()}"}`],
    ['a byte order mark', `\uFEFF{"a":["${long()}"],"b":"${long()}","c":"${long()}","d":"${long()}"}`],
    ['escapes by number', `{"a":["${long('\\u00e9\\ud83d\\ude00')}"],"b":"${long()}","c":"${long()}","d":"${long()}"}`],
  ])('reads %s as ever', (_name, written) => {
    expect(parse(written)).toEqual(JSON.parse(written.replace('\uFEFF', '')));
  });

  it.each([
    ['a name that is given twice', `{"a":[1],"a":[2],"b":"${long()}","c":["${long()}","${long()}","${long()}"]}`],
    ['one in which one is', `{"a":[{"b":1,"b":2}],"b":"${long()}","c":["${long()}","${long()}","${long()}"]}`],
  ])('does not hand on the bytes of a body with %s', (_name, written) => {
    expect(sourceOf(parse(written)['c'])).toBeUndefined();
  });
});

/** The rule itself. */
function plain(bytes: Buffer): unknown {
  const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('The request body must be a JSON object.');
  return value;
}

/** The value, or what is said of the body. */
function outcome(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    const { name, message } = error as Error;
    if (name === 'TypeError') return 'The request body is not valid UTF-8.';
    return name === 'SyntaxError' ? `The request body is not valid JSON: ${message}` : message;
  }
}
