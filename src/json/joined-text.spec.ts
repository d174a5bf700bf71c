import fc from 'fast-check';
import { putJoined, type Member } from './joined-text.js';
import { longTextAt, putLongText } from './long-text.js';
import { longTextOf } from './outlined-text.js';
import { escapesOf } from './plain-text.js';

const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom('', '"', '\\', '\n', '\ud83d', '\ude00', 'é'));

/** An object with a text that was read, or was not read yet, or is absent. */
const member = fc
  .record({ said: fc.option(text), long: fc.boolean(), escaped: fc.boolean() })
  .map(({ said, long, escaped }): { said: string; at: Member } => {
    const holder = { text: said };
    if (long && said !== null) {
      const literal = JSON.stringify(said).slice(1, -1);
      const json = [Buffer.from(escaped ? literal.replaceAll('é', '\\u00e9') : literal)];
      putLongText(holder, 'text', longTextOf(json, escapesOf(json))!);
    }
    return { said: said ?? '', at: [holder, 'text'] };
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
