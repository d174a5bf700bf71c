import fc from 'fast-check';
import { payloadsOf } from '../http/answers/testing/payloads-of.js';
import type { ChatCompletionChunk, Delta } from '../wire/chat-completion.js';
import type { GenerationChoice, GenerationChunk, TextRun } from '../wire/generation.js';
import { usageOf } from '../wire/usage.js';
import { ChatEvents } from './chat-events.js';
import { asByteText } from '../wire/byte-text.js';

const envelope = { id: 'chatcmpl-1', created: 7, model: 'm' };

function eventsOf(chunks: readonly GenerationChunk[], includeUsage = false): ChatCompletionChunk[] {
  const texts: string[] = [];
  const events = new ChatEvents(envelope, includeUsage);
  for (const chunk of chunks) events.next(chunk, (event) => texts.push(...payloadsOf(event)));
  return texts.map((text) => JSON.parse(text) as ChatCompletionChunk);
}

const chunkOf = (delta: Delta, finish_reason: GenerationChoice['finish_reason'] = null, index = 0): GenerationChunk => ({
  choices: [{ index, delta, finish_reason }],
});

/** The same chunk as a run, as from a provider whose JSON needs no change: `choices` has only what metering needs. */
function asRun(chunk: GenerationChunk): GenerationChunk {
  return {
    choices: chunk.choices.map(({ index, finish_reason }) => ({ index, finish_reason })),
    run: runOf(`"choices":${JSON.stringify(chunk.choices)}}`),
  };
}

const runOf = (payload: string): TextRun => ({
  head: asByteText(payload.slice(0, 12)),
  literals: [asByteText(payload.slice(12, 20))],
  tail: asByteText(payload.slice(20)),
});

describe('ChatEvents', () => {
  const answer = [chunkOf({ content: 'Hel' }), chunkOf({ content: 'lo' }), chunkOf({}, 'stop')];

  it.each([
    ['objects', answer],
    ['raw text', answer.map(asRun)],
  ])('gives the role first, an empty delta last (%s)', (_, chunks) => {
    const events = eventsOf([...chunks, { choices: [], usage: usageOf(1, 2) }]);
    expect(events.map(({ choices }) => choices[0])).toEqual([
      { index: 0, delta: { role: 'assistant', content: 'Hel' }, logprobs: null, finish_reason: null },
      expect.objectContaining({ index: 0, delta: { content: 'lo' }, finish_reason: null }),
      { index: 0, delta: {}, logprobs: null, finish_reason: 'stop' },
    ]);
    for (const event of events) expect(event).toMatchObject({ ...envelope, object: 'chat.completion.chunk' });
    expect(events.some((event) => 'usage' in event)).toBe(false);
  });

  it.each([
    ['objects', (chunk: GenerationChunk) => chunk],
    ['raw text', asRun],
  ])('deltas an ending that still says something from its finish_reason (%s)', (_, as) => {
    const events = eventsOf([as(chunkOf({ content: 'all at once' }, 'length'))]);
    expect(events.map(({ choices }) => choices)).toEqual([
      [{ index: 0, delta: { role: 'assistant', content: 'all at once' }, logprobs: null, finish_reason: null }],
      [{ index: 0, delta: {}, logprobs: null, finish_reason: 'length' }],
    ]);
  });

  it.each([[{ content: '' }], [{ content: null }], [{ tool_calls: [] }], [{ content: '', role: 'assistant' as const }]])(
    'makes an ending that says nothing (%j) an empty delta',
    (delta) => {
      const [, ...last] = eventsOf([chunkOf({ content: 'x' }), chunkOf(delta, 'stop')]);
      expect(last.map(({ choices }) => choices)).toEqual([[{ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' }]]);
    },
  );

  it('sends the log probabilities of the last token with the last delta', () => {
    const logprobs = { content: [{ token: 'x', logprob: -1, bytes: null, top_logprobs: [] }], refusal: null };
    const events = eventsOf([chunkOf({ content: 'a' }), { choices: [{ index: 0, delta: {}, logprobs, finish_reason: 'stop' }] }]);
    expect(events.map(({ choices }) => choices[0]!.logprobs)).toEqual([null, logprobs, null]);
  });

  it('passes on the provider’s text between the first and the last delta', () => {
    const middle = '"choices":[{"index":0,"delta":{"content":"b","odd":[1]},"finish_reason":null}],"system_fingerprint":"f"}';
    const texts: string[] = [];
    const events = new ChatEvents(envelope, false);
    events.next(asRun(chunkOf({ content: 'a' })), () => undefined);
    events.next({ choices: [{ index: 0, finish_reason: null }], run: runOf(middle) }, (event) => texts.push(...payloadsOf(event)));
    expect(texts).toEqual([`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":7,"model":"m",${middle}`]);
  });

  it('sends usage in every event, and the figures at the end, only where it was asked for', () => {
    const events = eventsOf([...answer.map(asRun), { choices: [], usage: usageOf(1, 2) }], true);
    expect(events.map(({ usage }) => usage)).toEqual([null, null, null, usageOf(1, 2)]);
    expect(events.at(-1)!.choices).toEqual([]);
  });

  it('tells reasoning under both of its names, also in the provider’s own text', () => {
    const run = {
      head: asByteText('"choices":[{"index":0,"delta":{"reasoning_content":"'),
      literals: [asByteText('c\\"'), asByteText('d')],
      tail: asByteText('"},"logprobs":null,"finish_reason":null}]}'),
    };
    const reasoned = (reasoning_content: string) => ({ reasoning_content, reasoning: reasoning_content });
    const events = eventsOf([
      chunkOf({ reasoning_content: 'a' }),
      chunkOf({ reasoning_content: 'b' }),
      { choices: [{ index: 0, delta: { reasoning_content: 'c"d' }, finish_reason: null }], run },
      chunkOf({ content: 'x' }),
    ]);
    expect(events.map(({ choices }) => choices[0]!.delta)).toEqual([
      { role: 'assistant', ...reasoned('a') },
      reasoned('b'),
      reasoned('c"'),
      reasoned('d'),
      { content: 'x' },
    ]);
  });

  it('tells members beside the choices once, with the event in which they come', () => {
    const extra = { system_fingerprint: 'f', citations: ['e'] };
    const events = eventsOf([{ ...chunkOf({ content: 'a' }, 'stop'), extra }]);
    expect(events.map((event) => [event.choices[0]!.finish_reason, 'citations' in event])).toEqual([
      [null, true],
      ['stop', false],
    ]);
    expect(events[0]).toMatchObject(extra);
    expect(eventsOf([chunkOf({ content: 'a' }), { ...chunkOf({}, 'stop'), extra }])[1]).toMatchObject(extra);
  });

  it('emits nothing for chunks without choices', () => {
    expect(eventsOf([{ choices: [] }], true)).toEqual([]);
  });

  it('ends every choice once, with nothing after its end, and loses no text', () => {
    const choice = fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(fc.array(choice, { minLength: 1, maxLength: 4 }), fc.boolean(), fc.boolean(), (texts, lastEmpty, runs) => {
        const chunks = texts.flatMap((deltas, index) => [
          ...deltas.map((content, at) => chunkOf({ content }, !lastEmpty && at === deltas.length - 1 ? 'stop' : null, index)),
          ...(lastEmpty ? [chunkOf({}, 'stop', index)] : []),
        ]);
        const choices = eventsOf(runs ? chunks.map(asRun) : chunks).flatMap((event) => event.choices);
        for (const [index, deltas] of texts.entries()) {
          const own = choices.filter((each) => each.index === index);
          expect(own[0]!.delta.role).toBe('assistant');
          expect(own.map(({ delta }) => delta.content ?? '').join('')).toBe(deltas.join(''));
          expect(own.findIndex(({ finish_reason }) => finish_reason !== null)).toBe(own.length - 1);
          expect(own.at(-1)).toEqual({ index, delta: {}, logprobs: null, finish_reason: 'stop' });
        }
      }),
    );
  });
});
