import fc from 'fast-check';
import { asByteText, byteText, textOf } from '../wire/byte-text.js';
import type { Delta } from '../wire/chat-completion.js';
import type { GenerationChunk } from '../wire/generation.js';
import type { ResponseEvent } from '../wire/response.js';
import { usageOf } from '../wire/usage.js';
import { CreateResponseDto } from './create-response.dto.js';
import { begunResponse } from './response.mapping.js';
import { ResponseEvents } from './response-events.js';
import { roomForAll } from './output/testing/output-claim.js';
import { carriedTexts } from '../inference/carried/testing/carried-texts.js';

const body = Object.assign(new CreateResponseDto(), { model: 'm', input: 'Hi', stream: true });

/** What reaches the client: a run of several events is one text. */
function streamOf(chunks: readonly GenerationChunk[], summary: boolean): string {
  const events = new ResponseEvents(
    begunResponse(body, 'r'),
    {
      requestId: 'r',
      summary,
      encrypted: false,
      logprobs: false,
      names: new Map(),
      carried: carriedTexts,
      custom: undefined,
    },
    roomForAll(),
  );
  let text = '';
  const emit = (event: unknown): void => void (text += `${events.prefix}${event as string}\n\n`);
  for (const chunk of chunks) events.next(chunk, emit);
  return textOf(asByteText(text));
}

const eventsIn = (stream: string): ResponseEvent[] =>
  stream
    .slice(0, -2)
    .split('\n\n')
    .map((block) => {
      const [, name, data] = /^event: (\S+)\ndata: ([^\n]*)$/.exec(block)!;
      const event = JSON.parse(data!) as ResponseEvent;
      expect(event.type).toBe(name);
      return event;
    });

type Kind = 'content' | 'reasoning_content' | 'arguments';

const deltaOf = (kind: Kind, text: string): Delta =>
  kind === 'arguments' ? { tool_calls: [{ index: 0, function: { arguments: text } }] } : { [kind]: text };
const chunkOf = (delta: Delta, more: Partial<GenerationChunk> = {}): GenerationChunk => ({
  choices: [{ index: 0, delta, finish_reason: null }],
  ...more,
});
const literal = (text: string) => byteText(JSON.stringify(text).slice(1, -1));
const begin: Readonly<Record<Kind, Delta>> = {
  content: { role: 'assistant', content: 'a' },
  reasoning_content: { role: 'assistant', reasoning_content: 'a' },
  arguments: { role: 'assistant', tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '{' } }] },
};
const end: readonly GenerationChunk[] = [
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  { choices: [], usage: usageOf(1, 2) },
];
const timeless = (stream: string): string => stream.replaceAll(/"(created|completed)_at":\d+/g, '');

describe('The events of a response', () => {
  const texts = fc.array(fc.string({ minLength: 1, unit: 'grapheme' }), { minLength: 1, maxLength: 6 });

  it('are the same for runs of a provider’s own text as for texts that were parsed', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<Kind>('content', 'reasoning_content', 'arguments'),
        fc.array(texts),
        fc.boolean(),
        (kind, runs, summary) => {
          const asRuns = runs.map((run) =>
            chunkOf(deltaOf(kind, run.join('')), { run: { head: asByteText(''), tail: asByteText(''), literals: run.map(literal) } }),
          );
          const parsed = runs.flat().map((text) => chunkOf(deltaOf(kind, text)));
          const [first, second] = [asRuns, parsed].map((middle) => streamOf([chunkOf(begin[kind]), ...middle, ...end], summary));
          expect(timeless(first!)).toBe(timeless(second!));
          expect(eventsIn(first!).map(({ sequence_number }) => sequence_number)).toEqual(eventsIn(first!).map((_event, index) => index));
        },
      ),
    );
  });

  it('count on behind the numbers whose text is kept', () => {
    const run = { head: asByteText(''), tail: asByteText(''), literals: Array.from({ length: 5_000 }, () => asByteText('x')) };
    const stream = streamOf([chunkOf(begin.content), chunkOf({ content: 'x'.repeat(5_000) }, { run }), ...end], false);
    const events = eventsIn(stream);
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', sequence_number: events.length - 1 });
    expect(events.length).toBeGreaterThan(5_000);
  });

  it('of a run that begins an item are those of its joined text', () => {
    const run = { head: asByteText(''), tail: asByteText(''), literals: [literal('é'), literal('"')] };
    const deltas = eventsIn(streamOf([chunkOf({ content: 'é"' }, { run }), ...end], false)).filter(({ delta }) => delta !== undefined);
    expect(deltas.map(({ delta }) => delta)).toEqual(['é"']);
  });

  it('of deltas with log probabilities have these', () => {
    const logprobs = { content: [{ token: 'a', logprob: -1, bytes: null, top_logprobs: [] }], refusal: null };
    const events = new ResponseEvents(
      begunResponse(body, 'r'),
      {
        requestId: 'r',
        summary: false,
        encrypted: false,
        logprobs: true,
        names: new Map(),
        carried: carriedTexts,
        custom: undefined,
      },
      roomForAll(),
    );
    const sent: string[] = [];
    events.next({ choices: [{ index: 0, delta: { content: 'a' }, logprobs, finish_reason: null }] }, (event) => sent.push(event as string));
    expect(sent.at(-1)).toContain('"logprobs":[{"token":"a","logprob":-1,"bytes":[],"top_logprobs":[]}]');
  });
});
