import fc from 'fast-check';
import { sourceOf } from './json-source.js';
import { longTextAt, textBytes } from './long-text.js';
import { parseJsonBody } from './json-body.js';
import { BufferList } from './buffer-list.js';
import { cutAnywhere } from './testing/cut.js';

const LONG = 5_000;
const long = (text = 'x') => text.repeat(Math.ceil(LONG / text.length));
const parse = (json: string | Buffer, cuts: readonly number[] = []) => parseJsonBody(new BufferList(cutAnywhere(Buffer.from(json), cuts)));
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
    fc.string().filter((name) => name !== '__proto__' && name !== 'constructor'),
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

  it('treats a body with a wrong byte as if it had been parsed as a whole', () => {
    const wrong = fc.oneof(fc.constantFrom(0x00, 0x0a, 0x22, 0x5c, 0x7b, 0x7d, 0x80, 0xc3, 0xff), fc.nat(255));
    fc.assert(
      fc.property(padded, fc.nat(), wrong, cuts, (value, at, byte, offsets) => {
        const bytes = Buffer.from(JSON.stringify(value));
        bytes[at % bytes.length] = byte;
        expect(outcome(() => parse(bytes, offsets))).toEqual(outcome(() => plain(bytes)));
      }),
      { numRuns: 150 },
    );
  });

  it('releases its memory, after which unread texts cannot be read', () => {
    const bytes = Buffer.from(JSON.stringify({ messages: [{ content: long() }, { content: long('é') }], pad: long().repeat(4) }));
    const buffers = new BufferList(cutAnywhere(bytes, [3_000, 9_000]).map(ownMemory));
    const { messages } = parseJsonBody(buffers) as { messages: { content: string }[] };
    expect(messages[0]!.content).toBe(long());
    buffers.release();
    expect(messages[0]!.content).toBe(long());
    expect(() => messages[1]!.content).toThrow('after its end');
    expect(() => buffers.joined()).toThrow('detached');
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
    ['a long name', `{"${long()}":[1],"b":"${long()}","c":"${long()}","d":"${long()}"}`],
    ['a byte order mark', `\uFEFF{"a":["${long()}"],"b":"${long()}","c":"${long()}","d":"${long()}"}`],
    ['escapes by number', `{"a":["${long('\\u00e9\\ud83d\\ude00')}"],"b":"${long()}","c":"${long()}","d":"${long()}"}`],
  ])('reads %s as ever', (_name, written) => {
    expect(parse(written)).toEqual(JSON.parse(written.replace('\uFEFF', '')));
  });

  it('stops looking for long texts after many short ones, unless much of the body remains', () => {
    const short = Array.from({ length: 300 }, (_, index) => message(`${index}\\n`)).join(',');
    const written = (filler: string) => `{"messages":[${message(long())},${short},${message(long())}],"pad":[${filler}]}`;
    const texts = (filler: string) => {
      const body = parse(written(filler), [9_000]) as { messages: object[] };
      expect(written(filler).startsWith(`{"messages":${sourceText(body.messages)},"pad"`)).toBe(true);
      const found = [0, 1, 301].map((index) => longTextAt(body.messages[index]!, 'content') !== undefined);
      expect(body).toEqual(JSON.parse(written(filler)));
      return found;
    };
    expect(texts('0')).toEqual([true, false, false]);
    expect(texts(`"${'x'.repeat(256 * 1024)}"`)).toEqual([true, false, true]);
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
