import fc from 'fast-check';
import type { Delta } from '../../wire/chat-completion.js';
import { DeliveredText, isContinuable, withoutBeginning } from './continuation.js';

describe('isContinuable', () => {
  it('is false exactly where the text ends in the beginning of a stop sequence, or within a character', () => {
    expect(isContinuable('')).toBe(false);
    expect(isContinuable('a\ud83d')).toBe(false);
    expect(isContinuable('a\ud83d\ude80')).toBe(true);
    expect(isContinuable('a\n', ['\n\n'])).toBe(false);
    expect(isContinuable('a\n', ['\n'])).toBe(true);
    expect(isContinuable('a sto', ['END', 'stop'])).toBe(false);
  });

  it('makes sure that no stop sequence can lie across the cut, whatever follows', () => {
    const letters = fc.stringMatching(/^[ab]{1,6}$/);
    fc.assert(
      fc.property(letters, letters, fc.array(letters, { maxLength: 3 }), (text, rest, stop) => {
        fc.pre(isContinuable(text, stop));
        for (const sequence of stop) {
          for (let at = (text + rest).indexOf(sequence); at >= 0; at = (text + rest).indexOf(sequence, at + 1)) {
            expect(at >= text.length || at + sequence.length <= text.length).toBe(true);
          }
        }
      }),
    );
  });
});

describe('DeliveredText', () => {
  const seen = (...deltas: Delta[]) => {
    const delivered = new DeliveredText();
    for (const delta of deltas) delivered.see({ choices: [{ index: 0, delta, finish_reason: null }] });
    return { text: delivered.text, plain: delivered.plain };
  };

  it('is the received text, as long as nothing but text was received', () => {
    expect(seen({ role: 'assistant', content: '' }, { content: 'a' }, { content: 'b', refusal: null })).toEqual({
      text: 'ab',
      plain: true,
    });
    expect(seen({ content: 'a' }, { reasoning_content: 'hm' })).toMatchObject({ plain: false });
    expect(seen({ tool_calls: [{ index: 0 }] })).toMatchObject({ plain: false });
  });
});

describe('withoutBeginning', () => {
  const chunk = (delta: Delta, finish_reason: 'stop' | null = null) => ({
    choices: [{ index: 0, delta, finish_reason }],
    run: undefined,
  });

  it('removes the role, and chunks with nothing else', () => {
    expect(withoutBeginning(chunk({ content: 'a' }), false)).toEqual(chunk({ content: 'a' }));
    expect(withoutBeginning(chunk({ role: 'assistant', content: 'a' }), false)).toMatchObject({
      run: undefined,
      choices: [{ delta: { content: 'a' } }],
    });
    expect(withoutBeginning(chunk({ role: 'assistant', content: '' }), false)).toBeUndefined();
    expect(withoutBeginning(chunk({ role: 'assistant' }, 'stop'), false)).toMatchObject({
      choices: [{ delta: {}, finish_reason: 'stop' }],
    });
  });

  it('removes reasoning and the beginnings of items until the text goes on', () => {
    const beginning: Delta = { reasoning_content: 'Hm.', hosted_items: [{ index: 0, step: 'added', item: { type: 'message' } }] };
    expect(withoutBeginning(chunk(beginning), false)).toBeUndefined();
    expect(withoutBeginning(chunk({ ...beginning, content: 'a' }), false)).toEqual(chunk({ content: 'a' }));
    expect(withoutBeginning(chunk(beginning), true)).toEqual(chunk(beginning));
  });
});
