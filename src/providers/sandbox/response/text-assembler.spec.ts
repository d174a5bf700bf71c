import fc from 'fast-check';
import { Pacer } from '../pacer.js';
import { learnVocabulary, type Vocabulary } from '../language/vocabulary.js';
import { TextAssembler } from './text-assembler.js';

let bytes: Vocabulary;
beforeAll(async () => (bytes = await learnVocabulary([], new Pacer())));

function assemble(tokens: Iterable<number>): string[] {
  const assembler = new TextAssembler(bytes);
  return [...Array.from(tokens, (token) => assembler.push(token)), assembler.end()];
}

describe('text from tokens', () => {
  it('waits for whole characters and loses none', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const parts = assemble(Buffer.from(text));
        expect(parts.join('')).toBe(text);
        expect(parts.every((part) => part.isWellFormed())).toBe(true);
      }),
    );
    expect(assemble([0xe2, 0x82, 0xac, 0x41])).toEqual(['', '', '€', 'A', '']);
  });

  it('is what any decoder makes of any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (raw) => {
        expect(assemble(raw).join('')).toBe(new TextDecoder('utf-8', { ignoreBOM: true }).decode(raw));
      }),
    );
    expect(assemble([0xe2, 0x82])).toEqual(['', '', '\ufffd']);
  });
});
