import { jest } from '@jest/globals';
import { jsonBytes } from './json-bytes.js';
import { hasSomeText, hasText, hasVisibleText, isPutOff, longTextAt, mayHaveText, putLongText, textBytes, valueAt } from './long-text.js';
import { unreadText } from './testing/unread-text.js';
import fc from 'fast-check';
import { putJoined, type Member } from './joined-text.js';
import { longTextOf } from './outlined-text.js';
import { escapesOf } from './plain-text.js';

function holder() {
  const decode = jest.fn(() => 'long é');
  const message: Record<string, unknown> = { role: 'user', content: '' };
  putLongText(message, 'content', unreadText({ bytes: 7, decode }));
  return { message, decode };
}

describe('a long text', () => {
  it('is decoded once, when it is read', () => {
    const { message, decode } = holder();
    expect([hasText(message, 'content'), textBytes(message, 'content')]).toEqual([true, 7]);
    expect(decode).not.toHaveBeenCalled();
    expect(JSON.stringify([message, { ...message }])).toBe('[{"role":"user","content":"long é"},{"role":"user","content":"long é"}]');
    expect(decode).toHaveBeenCalledTimes(1);
    expect(longTextAt(message, 'content')).toBeUndefined();
    expect(Object.keys({ ...message })).toEqual(['role', 'content']);
  });

  it.each<[string | number, number, boolean, boolean]>([
    ['content', 5_000, true, true],
    ['content', 5_000, false, true],
    ['name', 5_000, false, false],
    ['name', 70_000, false, true],
    [0, 70_000, false, true],
    ['model', 70_000, true, false],
  ])('%j of %d bytes, at the top: %j, is put off: %j', (name, bytes, isTop, expected) => {
    expect(isPutOff(name, { bytes }, isTop)).toBe(expected);
  });

  it('is one of any name, and an element of an array', () => {
    const decode = jest.fn(() => 'long');
    const text = unreadText({ bytes: 70_000, decode });
    const called = { tool_call_id: '', enum: ['a', ''], none: null };
    putLongText(called, 'tool_call_id', text);
    putLongText(called.enum, '1', text);
    expect([hasSomeText(called, 'tool_call_id'), mayHaveText(called, 'tool_call_id'), valueAt(called, 'tool_call_id')]).toEqual([
      true,
      true,
      '',
    ]);
    expect([hasSomeText(called, 'none'), mayHaveText(called, 'none'), valueAt(called, 'none')]).toEqual([false, true, null]);
    expect([hasSomeText(called, 'enum'), mayHaveText(called, 'enum')]).toEqual([false, false]);
    expect(jsonBytes(called)).toBe(JSON.stringify({ tool_call_id: '', enum: ['a', ''], none: null }).length + 140_000);
    expect(decode).not.toHaveBeenCalled();
    expect(JSON.stringify(called)).toBe('{"tool_call_id":"long","enum":["a","long"],"none":null}');
    expect(called).toEqual({ tool_call_id: 'long', enum: ['a', 'long'], none: null });
  });

  it('is not looked through for a visible character once it has begun with 64 KB of white space', () => {
    const message = {};
    function* pieces(): Generator<string> {
      for (let piece = 0; piece < 20; piece++) yield ' '.repeat(4_096);
      throw new Error('it is read on');
    }
    putLongText(message, 'content', unreadText({ bytes: 1_000_000, start: () => Buffer.from(' '), pieces }));
    expect(hasVisibleText(message, 'content')).toBe(true);
    putLongText(message, 'content', unreadText({ bytes: 9, start: () => Buffer.from(' '), pieces: () => [' ', '\n'] }));
    expect(hasVisibleText(message, 'content')).toBe(false);
  });

  it('is in no member of a name that every object has', () => {
    const { message } = holder();
    Object.assign(message, { constructor: 'x', toString: null });
    for (const name of ['constructor', 'toString', '__proto__', 'valueOf']) expect(longTextAt(message, name)).toBeUndefined();
    expect(jsonBytes(message)).toBe('{"role":"user","content":"1234567","constructor":"x","toString":null}'.length);
  });

  it('is replaced by what is assigned', () => {
    const { message } = holder();
    message['content'] = null;
    expect([message['content'], hasText(message, 'content'), textBytes(message, 'content')]).toEqual([null, false, 0]);
  });
});

const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom('', '"', '\\', '\n', '\ud83d', '\ude00', 'é'));

/** An object with a text that was read, or was not read yet, or is absent. */
const member = fc
  .record({ said: fc.option(text), long: fc.boolean(), escaped: fc.boolean() })
  .map(({ said, long, escaped }): { said: string; at: Member } => {
    const held = { text: said };
    if (long && said !== null) {
      const literal = JSON.stringify(said).slice(1, -1);
      const json = [Buffer.from(escaped ? literal.replaceAll('é', '\\u00e9') : literal)];
      putLongText(held, 'text', longTextOf(json, escapesOf(json))!);
    }
    return { said: said ?? '', at: [held, 'text'] };
  });

describe('putJoined', () => {
  it('makes one text of several, and decodes none that was not read yet', () => {
    fc.assert(
      fc.property(fc.array(member, { maxLength: 5 }), fc.constantFrom('', '\n', ' '), (members, between) => {
        const expected = members.map(({ said }) => said).join(between);
        const long = members.filter(({ at }) => longTextAt(...at)).length;
        const to: { text?: string } = {};
        putJoined(
          to,
          'text',
          members.map(({ at }) => at),
          between,
        );
        const joined = longTextAt(to, 'text');
        expect([joined !== undefined, members.filter(({ at }) => longTextAt(...at)).length]).toEqual([long > 0, long]);
        if (joined && members.every(({ said }) => said.isWellFormed())) expect(joined.bytes).toBe(Buffer.byteLength(expected));
        expect(to.text).toBe(expected);
      }),
    );
  });
});
