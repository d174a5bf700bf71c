import fc from 'fast-check';
import { Pacer } from '../pacer.js';
import { learnVocabulary, type Vocabulary } from '../language/vocabulary.js';
import { TextAssembler } from './text-assembler.js';
import { joinDeltas, type ChoiceDelta } from './choice-delta.js';
import { textDeltas, type TextLimits } from './text-deltas.js';
import { unscored } from './token-source.js';
import { StopMatcher } from './stop-matcher.js';

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

describe('the deltas of a text', () => {
  /** The deltas of a text whose every byte is a token. */
  function write(text: string, limits: Partial<TextLimits> = {}): ChoiceDelta[] {
    const ids = Buffer.from(text).values();
    const source = { next: () => ids.next() };
    const tokens = { next: () => (({ value, done }) => (done === true ? undefined : unscored(value)))(source.next()) };
    return [...textDeltas(tokens, bytes, { maxTokens: 100, stop: [], offset: 0, ...limits })].filter((delta) => delta !== undefined);
  }

  const shown = (deltas: readonly ChoiceDelta[]) =>
    deltas.map(({ text, tokens, finish }) => finish ?? `${text}@${tokens.map((token) => token.offset).join()}`);

  it('are its tokens, each at its place', () => {
    expect(shown(write('ab'))).toEqual(['a@0', 'b@1', 'stop']);
    expect(shown(write('ab', { offset: 7 }))).toEqual(['a@7', 'b@8', 'stop']);
  });

  it('hold an unfinished character back, with its tokens', () => {
    expect(shown(write('a€b'))).toEqual(['a@0', '€@1,1,1', 'b@2', 'stop']);
    expect(shown(write('a€', { maxTokens: 3 }))).toEqual(['a@0', '\ufffd@1,1', 'length']);
  });

  it('leave out a stop sequence, with its tokens', () => {
    expect(shown(write('abcd', { stop: ['bc', 'c'] }))).toEqual(['a@0', 'stop']);
    expect(shown(write('abd', { stop: ['bc'] }))).toEqual(['a@0', 'bd@1,2', 'stop']);
    expect(shown(write('ab', { stop: ['bc'] }))).toEqual(['a@0', 'b@1', 'stop']);
    expect(joinDeltas(write('abcd', { stop: ['bc'] })).generated).toBe(1);
  });

  it('end with the tokens that are allowed', () => {
    expect(shown(write('abc', { maxTokens: 2 }))).toEqual(['a@0', 'b@1', 'length']);
    expect(shown(write('abc', { maxTokens: 0 }))).toEqual(['length']);
    expect(shown(write('ab', { maxTokens: 2 }))).toEqual(['a@0', 'b@1', 'length']);
  });

  it('join to one', () => {
    expect(joinDeltas(write('a€', { stop: ['x'] }))).toMatchObject({ text: 'a€', generated: 4, finish: 'stop' });
  });
});

/** An alphabet of few letters, so that sequences overlap. */
const text = fc.string({ unit: fc.constantFrom('a', 'b', '😀'), maxLength: 20 });
const stops = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '😀'), minLength: 1, maxLength: 5 }), { maxLength: 3 });

/** Cuts the text at the sequence that is complete first, the longest of several. */
function expected(whole: string, sequences: readonly string[]): { text: string; stopped: boolean } {
  for (let end = 1; end <= whole.length; end++) {
    const found = sequences.filter((stop) => whole.slice(0, end).endsWith(stop)).map((stop) => stop.length);
    if (found.length > 0) return { text: whole.slice(0, end - Math.max(...found)), stopped: true };
  }
  return { text: whole, stopped: false };
}

describe('the stop matcher', () => {
  it('lets through what precedes the first sequence, however the text is cut', () => {
    fc.assert(
      fc.property(fc.array(text), stops, (parts, sequences) => {
        const matcher = new StopMatcher(sequences);
        const out = parts.map((part) => matcher.push(part));
        const held = matcher.end();
        expect({ text: out.join('') + held, stopped: matcher.stopped }).toEqual(expected(parts.join(''), sequences));
      }),
    );
  });
});
