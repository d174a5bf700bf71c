import { splitRun } from './split-run.js';
import { asByteText } from '../../wire/byte-text.js';

describe('splitRun', () => {
  it('counts the tokens of a run once where it is split', () => {
    const run = { head: asByteText('"choices":[{"index":0,"text":"'), tail: asByteText('"}]}'), literals: ['a', 'b', 'c'].map(asByteText) };
    const chunk = { choices: [{ index: 0, text: 'abc', finish_reason: null }], run };
    expect(splitRun({ ...chunk, tokens: 5 }).map(({ tokens }) => tokens)).toEqual([5, 0, 0]);
    expect(splitRun(chunk).some((part) => 'tokens' in part)).toBe(false);
  });
});
