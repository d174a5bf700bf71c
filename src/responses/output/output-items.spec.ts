import { jest } from '@jest/globals';
import fc from 'fast-check';
import { CustomCalls } from '../../inference/chunks/custom-calls.js';
import { accumulate } from '../../wire/accumulate.js';
import type { Delta, Message } from '../../wire/chat-completion.js';
import { argumentsOf } from '../../wire/custom-tool.js';
import type { GenerationChunk } from '../../wire/generation.js';
import type { InputItem } from '../../wire/response-input.js';
import { messagesOf } from '../input.mapping.js';
import { OutputItems } from './output-items.js';
import type { OutputOptions } from './output-options.js';
import { carriedReader, carriedTexts } from '../../inference/carried/testing/carried-texts.js';
import { roomForAll } from './testing/output-claim.js';

const options = (more: Partial<OutputOptions> = {}): OutputOptions => ({
  requestId: 'r',
  summary: true,
  encrypted: true,
  logprobs: false,
  names: new Map([['files__list', { name: 'list', namespace: 'files' }]]),
  carried: carriedTexts,
  custom: new CustomCalls(new Set(['patch'])),
  ...more,
});

function itemsOf(deltas: readonly Delta[], more: Partial<OutputOptions> = {}): OutputItems['items'] {
  const output = new OutputItems(options(more), roomForAll());
  for (const delta of deltas) output.add({ index: 0, delta, finish_reason: null });
  output.add({ index: 0, finish_reason: 'stop' });
  output.end('completed');
  return output.items;
}

const text = fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' });
const pieces = fc.array(text, { minLength: 1, maxLength: 4 });
const input = fc.constantFrom('{"input":"a\\nb"}', argumentsOf('*** "é" \\ 😀'));
const call = fc.oneof(
  fc.record({ name: fc.constantFrom('weather', 'files__list'), args: fc.constantFrom('{}', '{"a":[1,"é"]}') }),
  fc.record({ name: fc.constant('patch'), args: input }),
);

/** A step of an answer: signed reasoning, text, or a call. */
const step = fc.oneof(
  fc.record({ kind: fc.constant('reasoning' as const), pieces, signature: text }),
  fc.record({ kind: fc.constant('redacted' as const), data: text }),
  fc.record({ kind: fc.constant('text' as const), pieces }),
  fc.record({ kind: fc.constant('call' as const), call, cut: fc.nat(5) }),
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** The deltas of a stream as a protocol makes them, with the place of each block. */
function streamOf(steps: readonly Step[]): Delta[] {
  const deltas: Delta[] = [];
  let [content, calls, blocks] = [0, 0, 0];
  const placed = (block: object): Delta => {
    const after = content || calls ? { after: { content, tool_calls: calls } } : {};
    return { thinking_blocks: [{ index: blocks++, ...block, ...after }] as Delta['thinking_blocks'] };
  };
  for (const one of steps) {
    if (one.kind === 'text') {
      for (const piece of one.pieces) deltas.push({ content: piece });
      content += one.pieces.join('').length;
    } else if (one.kind === 'call') {
      const index = calls++;
      const { name, args } = one.call;
      deltas.push({
        tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name, arguments: args.slice(0, one.cut) } }],
      });
      deltas.push({ tool_calls: [{ index, function: { arguments: args.slice(one.cut) } }] });
    } else if (one.kind === 'redacted') deltas.push(placed({ type: 'redacted_thinking', data: one.data }));
    else {
      for (const piece of one.pieces) deltas.push({ reasoning_content: piece });
      deltas.push(placed({ type: 'thinking', thinking: one.pieces.join(''), signature: one.signature }));
    }
  }
  return deltas;
}

/** Text comes before calls, as in the vendors' answers and in the canonical form. */
const answer = fc
  .array(step, { minLength: 1, maxLength: 8 })
  .map((steps) => [...steps].sort((one, other) => Number(one.kind === 'call') - Number(other.kind === 'call')));

const chunkOf = (delta: Delta): GenerationChunk => ({ choices: [{ index: 0, delta, finish_reason: null }] });

function wholeOf(deltas: readonly Delta[]): Delta {
  return accumulate(deltas.map((delta) => chunkOf(delta))).choices[0]!.delta!;
}

describe('OutputItems', () => {
  it('makes the same items of an answer, streamed and whole', () => {
    fc.assert(
      fc.property(answer, (steps) => {
        const deltas = streamOf(steps);
        expect(itemsOf([wholeOf(deltas)])).toEqual(itemsOf(deltas));
      }),
    );
  });

  it('makes items that become the same answer again when they are sent back', () => {
    fc.assert(
      fc.property(answer, (steps) => {
        const items = itemsOf(streamOf(steps));
        const messages = messagesOf({ model: 'm', input: items as unknown as InputItem[] }, carriedReader());
        expect(messages.every(({ role }) => role === 'assistant')).toBe(true);
        const again = messages.flatMap((message) => itemsOf([deltaOf(message)]));
        expect(bare(again)).toEqual(bare(items));
      }),
    );
  });

  it('ends with an empty message where there is nothing, unless it was cut', () => {
    expect(itemsOf([])).toMatchObject([{ type: 'message', content: [{ type: 'output_text', text: '' }] }]);
    const cut = new OutputItems(options(), roomForAll());
    cut.end('incomplete');
    expect(cut.items).toEqual([]);
  });

  it('keeps calls apart whose deltas are mixed', () => {
    const delta = (index: number, more: object): Delta => ({ tool_calls: [{ index, ...more }] });
    const items = itemsOf([
      delta(0, { id: 'a', function: { name: 'weather', arguments: '{"x"' } }),
      delta(1, { id: 'b', function: { name: 'weather', arguments: '' } }),
      delta(0, { function: { arguments: ':1}' } }),
      delta(1, { function: { arguments: '{}' } }),
    ]);
    expect(items).toMatchObject([
      { call_id: 'a', arguments: '{"x":1}', status: 'completed' },
      { call_id: 'b', arguments: '{}', status: 'completed' },
    ]);
  });

  it('reads the text of a call once, however many calls begin before it ends', () => {
    const reads = jest.spyOn(JSON, 'parse');
    const deltas = Array.from({ length: 50 }, (_, index): Delta => ({ tool_calls: [{ index, function: { name: 'f', arguments: '{' } }] }));
    expect(itemsOf(deltas)).toHaveLength(50);
    expect(reads).toHaveBeenCalledTimes(49);
    reads.mockRestore();
  });

  it('refuses more than 10,000 citations of a text', () => {
    const citation = { type: 'url_citation', url_citation: { url: 'https://example.com' } };
    const add = (count: number) => {
      const delta = { content: 'x', annotations: Array.from({ length: count }, () => citation) };
      new OutputItems(options(), roomForAll()).add({ index: 0, delta, finish_reason: null });
    };
    expect(() => add(10_000)).not.toThrow();
    expect(() => add(10_001)).toThrow(
      expect.objectContaining({ code: 'upstream_error', message: 'The answer has more than 10000 citations.' }),
    );
  });

  it.each<[string, Delta, Delta]>([
    ['items', { reasoning_content: 'r' }, { content: 'a' }],
    ['parts of a message', { refusal: 'r' }, { content: 'a' }],
  ])('claims %s that come by turns, finds each without a search, and refuses more than 2,048', (_, even, odd) => {
    const claim = roomForAll();
    const output = new OutputItems(options(), claim);
    const searches = jest.spyOn(output.items, 'indexOf');
    const add = (index: number) => output.add({ index: 0, delta: index % 2 === 0 ? even : odd, finish_reason: null });
    for (let index = 0; index < 2_048; index++) add(index);
    expect(searches).not.toHaveBeenCalled();
    expect(claim.characters).toBe(2_048 * 257);
    expect(() => add(2_048)).toThrow(expect.objectContaining({ code: 'upstream_error', message: 'The answer has more than 2048 items.' }));
    expect(output.items).toHaveLength(0);
  });

  it('has what a vendor wants back with a call, and with the answer, only where encrypted content is included', () => {
    const deltas: Delta[] = [
      { tool_calls: [{ index: 0, id: 'a', function: { name: 'now', arguments: '{}' }, extra_content: { google: 1 } }] },
      { extra_content: { google: 2 } },
    ];
    const items = itemsOf(deltas);
    expect(items.map(({ type }) => type)).toEqual(['reasoning', 'function_call', 'reasoning']);
    const [message] = messagesOf({ model: 'm', input: items as unknown as InputItem[] }, carriedReader());
    expect(message).toMatchObject({ extra_content: { google: 2 }, tool_calls: [{ extra_content: { google: 1 } }] });
    expect(itemsOf(deltas, { encrypted: false }).map(({ type }) => type)).toEqual(['function_call']);
  });

  it('begins another part behind what has come in a run', () => {
    const output = new OutputItems(options(), roomForAll());
    const add = (delta: Delta) => output.add({ index: 0, delta, finish_reason: null });
    add({ content: 'a' });
    output.grow(output.growing('content', {})!, 'content', 'bc');
    add({ hosted_items: [{ index: 0, step: 'part', after: { content: 3 } }], content: 'd' });
    expect(output.items).toMatchObject([{ content: [{ text: 'abc' }, { text: 'd' }] }]);
  });

  it('copies each token and each source of a whole answer once', () => {
    let copied = 0;
    class Counted<T> extends Array<T> {
      override slice(...range: [number?, number?]): T[] {
        const part = super.slice(...range);
        copied += part.length;
        return part;
      }
    }
    const count = 200;
    const tokens = Counted.from({ length: count }, () => ({ token: 'x', logprob: -1, bytes: null, top_logprobs: [] }));
    const delta = {
      content: 'x'.repeat(count),
      annotations: Counted.from({ length: count }, () => ({ type: 'url_citation', url_citation: { url: 'https://x.example' } })),
      hosted_items: tokens.map((_, index) => ({
        index,
        step: 'added',
        item: { type: 'message' },
        after: { content: index, annotations: index },
      })),
    };
    new OutputItems(options({ logprobs: true }), roomForAll()).add({
      index: 0,
      delta,
      logprobs: { content: tokens, refusal: null },
      finish_reason: null,
    });
    expect(copied).toBe(2 * count);
  });

  it('names the sources of a text', () => {
    const url_citation = { url: 'https://x.example', title: 'X', start_index: 0, end_index: 2 };
    const [message] = itemsOf([{ content: 'ab' }, { annotations: [{ type: 'url_citation', url_citation }, { type: 'other' }] }]);
    expect(message).toMatchObject({ content: [{ annotations: [{ type: 'url_citation', ...url_citation }] }] });
  });
});

/** A message of the assistant as the delta of an answer that is not streamed. */
function deltaOf({ content, reasoning_content, tool_calls, thinking_blocks }: Message): Delta {
  return {
    content: typeof content === 'string' ? content : (content?.map((part) => part.text).join('') ?? null),
    reasoning_content: reasoning_content ?? undefined,
    thinking_blocks,
    tool_calls: tool_calls?.map(({ id, function: called }, index) => ({ index, id, type: 'function' as const, function: called })),
  } as Delta;
}

/** Without the ids of items, which are made anew; texts that follow each other are one. */
function bare(items: OutputItems['items']): object[] {
  return items.map(({ id: _id, ...item }) => item);
}
