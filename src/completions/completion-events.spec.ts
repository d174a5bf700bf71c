import { payloadsOf } from '../http/answers/testing/payloads-of.js';
import type { Completion } from '../wire/completion.js';
import type { GenerationChunk } from '../wire/generation.js';
import { usageOf } from '../wire/usage.js';
import { CompletionEvents } from './completion-events.js';
import { asByteText } from '../wire/byte-text.js';

function eventsOf(chunks: readonly GenerationChunk[], includeUsage = false, logprobs?: number): Completion[] {
  const texts: string[] = [];
  const events = new CompletionEvents({ id: 'cmpl-1', created: 7, model: 'm' }, includeUsage, logprobs);
  for (const chunk of chunks) events.next(chunk, (event) => texts.push(...payloadsOf(event)));
  return texts.map((text) => JSON.parse(text) as Completion);
}

const logprobs = { tokens: ['b'], token_logprobs: [-1], top_logprobs: null, text_offset: [1] };
const answer: GenerationChunk[] = [
  { choices: [{ index: 0, text: 'a', finish_reason: null }] },
  { choices: [{ index: 0, text: 'b', logprobs, finish_reason: null }] },
  { choices: [{ index: 0, finish_reason: 'stop' }] },
];

describe('CompletionEvents', () => {
  it('gives each event the fields of the specification', () => {
    const events = eventsOf([...answer, { choices: [], usage: usageOf(1, 2) }]);
    expect(events.map(({ choices }) => choices[0])).toStrictEqual([
      { text: 'a', index: 0, logprobs: null, finish_reason: null },
      { text: 'b', index: 0, logprobs: null, finish_reason: null },
      { text: '', index: 0, logprobs: null, finish_reason: 'stop' },
    ]);
    for (const event of events) expect(event).toMatchObject({ id: 'cmpl-1', object: 'text_completion', created: 7, model: 'm' });
    expect(events.some((event) => 'usage' in event)).toBe(false);
  });

  it('sends log probabilities only where they were asked for', () => {
    expect(eventsOf(answer, false, 1).map(({ choices }) => choices[0]!.logprobs)).toEqual([null, logprobs, null]);
  });

  it('passes on the provider’s own text', () => {
    const text = '{"text":"a","index":0,"logprobs":null,"finish_reason":null}';
    const chunk = {
      choices: [{ index: 0, finish_reason: null }],
      run: { head: asByteText('"choices":['), literals: [asByteText(text)], tail: asByteText(']}') },
    };
    expect(eventsOf([chunk])[0]).toEqual({ id: 'cmpl-1', object: 'text_completion', created: 7, model: 'm', choices: [JSON.parse(text)] });
  });

  it('sends usage in every event, and the figures at the end, only where it was asked for', () => {
    const events = eventsOf([...answer, { choices: [], usage: usageOf(1, 2) }], true);
    expect(events.map(({ usage }) => usage)).toEqual([null, null, null, usageOf(1, 2)]);
  });
});
