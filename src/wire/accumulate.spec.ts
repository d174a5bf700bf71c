import fc from 'fast-check';
import type { ChatLogprobs } from './chat-completion.js';
import type { CompletionLogprobs } from './completion.js';
import type { GenerationChoice, GenerationChunk } from './generation.js';
import { usageOf } from './usage.js';
import { accumulate } from './accumulate.js';

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

const chunk = (...choices: GenerationChoice[]): GenerationChunk => frozen({ choices });

describe('accumulate', () => {
  it('joins text and takes the finish_reason and the usage that came', () => {
    const whole = accumulate([
      chunk({ index: 0, text: 'Hel', finish_reason: null }),
      chunk({ index: 0, text: 'lo', finish_reason: 'length' }),
      { choices: [], usage: usageOf(3, 2) },
    ]);
    expect(whole).toEqual({ choices: [{ index: 0, text: 'Hello', finish_reason: 'length' }], usage: usageOf(3, 2) });
  });

  it('joins content, refusal, reasoning and vendor fields, each separately', () => {
    const whole = accumulate([
      chunk({ index: 0, delta: { role: 'assistant', content: null, reasoning_content: 'be' }, finish_reason: null }),
      chunk({ index: 0, delta: { role: 'assistant', reasoning_content: 'cause', notes: [1], score: 1 }, finish_reason: null }),
      chunk({ index: 0, delta: { content: 'a', refusal: 'n', notes: [2], score: 2 }, finish_reason: null }),
      chunk({ index: 0, delta: { content: 'b', refusal: 'o', score: null }, finish_reason: 'stop' }),
    ]);
    expect(whole.choices[0]).toEqual({
      index: 0,
      delta: { role: 'assistant', content: 'ab', refusal: 'no', reasoning_content: 'because', notes: [1, 2], score: 2 },
      finish_reason: 'stop',
    });
  });

  it('joins the arguments of each tool call and counts a repeated name once', () => {
    const call = (index: number, rest: object): GenerationChunk =>
      chunk({ index: 0, delta: { tool_calls: [{ index, ...rest }] }, finish_reason: null });
    const whole = accumulate([
      call(0, { id: 'a', type: 'function', function: { name: 'add', arguments: '' } }),
      call(0, { id: 'a', function: { name: 'add', arguments: '{"x"' } }),
      call(1, { id: 'b', type: 'function', function: { name: 'now' }, extra_content: { signature: 's' } }),
      call(0, { function: { arguments: ':1}' } }),
      call(1, { function: { arguments: '{}' } }),
      chunk({ index: 0, delta: {}, finish_reason: 'tool_calls' }),
    ]);
    expect(whole.choices[0]!.delta!.tool_calls).toEqual([
      { index: 0, id: 'a', type: 'function', function: { name: 'add', arguments: '{"x":1}' } },
      { index: 1, id: 'b', type: 'function', function: { name: 'now', arguments: '{}' }, extra_content: { signature: 's' } },
    ]);
  });

  it('joins log probabilities of both shapes', () => {
    const token = (text: string): ChatLogprobs => ({
      content: [{ token: text, logprob: -1, bytes: null, top_logprobs: [] }],
      refusal: null,
    });
    const legacy = (text: string, offset: number, top: CompletionLogprobs['top_logprobs']): CompletionLogprobs => ({
      tokens: [text],
      token_logprobs: [-1],
      top_logprobs: top,
      text_offset: [offset],
    });
    const chat = accumulate([
      chunk({ index: 0, delta: {}, logprobs: token('a'), finish_reason: null }),
      chunk({ index: 0, delta: {}, logprobs: token('b'), finish_reason: null }),
      chunk({ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' }),
    ]);
    expect(chat.choices[0]!.logprobs).toMatchObject({ content: [{ token: 'a' }, { token: 'b' }], refusal: null });
    const text = accumulate([
      chunk({ index: 0, text: 'a', logprobs: legacy('a', 0, [{ a: -1 }]), finish_reason: null }),
      chunk({ index: 0, text: 'b', logprobs: legacy('b', 1, [{ b: -1 }]), finish_reason: 'stop' }),
    ]);
    expect(text.choices[0]!.logprobs).toEqual({
      tokens: ['a', 'b'],
      token_logprobs: [-1, -1],
      top_logprobs: [{ a: -1 }, { b: -1 }],
      text_offset: [0, 1],
    });
    const bare = accumulate([chunk({ index: 0, text: 'a', logprobs: legacy('a', 0, null), finish_reason: 'stop' })]);
    expect(bare.choices[0]!.logprobs).toMatchObject({ top_logprobs: null });
  });

  it('gives the same result however the text is cut and the choices are interleaved', () => {
    const texts = fc.array(fc.array(fc.string(), { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(texts, fc.infiniteStream(fc.nat()), (choices, order) => {
        const left = choices.map((parts, index) =>
          parts.map((text, at): GenerationChoice => ({ index, text, finish_reason: at === parts.length - 1 ? 'stop' : null })),
        );
        const chunks: GenerationChunk[] = [];
        while (left.some((parts) => parts.length > 0)) {
          const open = left.filter((parts) => parts.length > 0);
          chunks.push({ choices: [open[order.next().value % open.length]!.shift()!] });
        }
        const whole = accumulate(chunks);
        expect(whole.choices).toEqual(choices.map((parts, index) => ({ index, text: parts.join(''), finish_reason: 'stop' })));
        expect(accumulate([whole])).toEqual(whole);
      }),
    );
  });
});
