import { Pacer } from '../pacer.js';
import { learnVocabulary, type Vocabulary } from '../language/vocabulary.js';
import { joinDeltas, type ChoiceDelta } from './choice-delta.js';
import { textDeltas, type TextLimits } from './text-deltas.js';
import { unscored } from './token-source.js';

let bytes: Vocabulary;
beforeAll(async () => (bytes = await learnVocabulary([], new Pacer())));

/** The deltas of a text whose every byte is a token. */
function write(text: string, limits: Partial<TextLimits> = {}): ChoiceDelta[] {
  const ids = Buffer.from(text).values();
  const source = { next: () => ids.next() };
  const tokens = { next: () => (({ value, done }) => (done === true ? undefined : unscored(value)))(source.next()) };
  return [...textDeltas(tokens, bytes, { maxTokens: 100, stop: [], offset: 0, ...limits })].filter((delta) => delta !== undefined);
}

const shown = (deltas: readonly ChoiceDelta[]) =>
  deltas.map(({ text, tokens, finish }) => finish ?? `${text}@${tokens.map((token) => token.offset).join()}`);

describe('the deltas of a text', () => {
  it('are its tokens, each at its place', () => {
    expect(shown(write('ab'))).toEqual(['a@0', 'b@1', 'stop']);
    expect(shown(write('ab', { offset: 7 }))).toEqual(['a@7', 'b@8', 'stop']);
  });

  it('hold an unfinished character back, with its tokens', () => {
    expect(shown(write('a€b'))).toEqual(['a@0', '€@1,1,1', 'b@2', 'stop']);
    expect(shown(write('a€', { maxTokens: 3 }))).toEqual(['a@0', '\ufffd@1,1', 'length']);
  });

  it('leave out a stop sequence, with its tokens', () => {
    expect(shown(write('abcd', { stop: ['bc'] }))).toEqual(['a@0', 'stop']);
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
