import fc from 'fast-check';
import { byteText, textOf } from './byte-text.js';

it('has a character for each byte, and stands for the text it was made of', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: 'grapheme' })), (text) => {
      expect(Buffer.from(byteText(text), 'latin1')).toEqual(Buffer.from(text));
      expect(textOf(byteText(text))).toBe(text);
    }),
  );
  expect(byteText('ASCII')).toBe('ASCII');
  expect(byteText('é')).toBe('\xc3\xa9');
});

it.each([0, 10, 1_000])('finds what is beyond ASCII behind %i characters that are not', (length) => {
  const before = 'a'.repeat(length);
  for (const text of ['\x7f', '\x80', 'é', '\u07ff', '字', '🚦']) expect(textOf(byteText(before + text))).toBe(before + text);
});
