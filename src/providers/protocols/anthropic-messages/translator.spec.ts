import type Anthropic from '@anthropic-ai/sdk';
import type * as ours from './wire.js';
import fc from 'fast-check';
import { appendDelta } from '../../../wire/accumulate.js';
import type { Delta, Message } from '../../../wire/chat-completion.js';
import type { GenerationChunk } from '../../../wire/generation.js';
import type { Usage } from '../../../wire/usage.js';
import { MessagesTranslator } from './translator.js';
import { messagesRequest } from './request.js';
import type { MessageEvent } from './wire.js';
import { JSON_TOOL } from './output-format.js';

type Content =
  | { type: 'text'; text: string }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string }
  | { type: 'tool_use'; id: string; name: string; input: Record<string, unknown> };

interface Answer {
  content: Content[];
  stop_reason: string;
  usage: Record<string, unknown>;
}

const answer = (content: Content[], stop_reason = 'end_turn', usage: Answer['usage'] = { input_tokens: 5, output_tokens: 7 }): Answer => ({
  content,
  stop_reason,
  usage,
});

/** @param size UTF-16 code units of a delta at most */
function eventsOf({ content, stop_reason, usage }: Answer, size = 3): MessageEvent[] {
  const events: MessageEvent[] = [{ type: 'message_start', message: { usage: { ...usage, output_tokens: 1 } } }, { type: 'ping' }];
  for (const [index, block] of content.entries()) {
    const pieces = (text: string, delta: (piece: string) => MessageEvent['delta']) => {
      for (let at = 0; at < text.length; at += size) {
        events.push({ type: 'content_block_delta', index, delta: delta(text.slice(at, at + size)) });
      }
    };
    if (block.type === 'text') {
      events.push({ type: 'content_block_start', index, content_block: { type: 'text', text: '' } });
      pieces(block.text, (text) => ({ type: 'text_delta', text }));
    } else if (block.type === 'thinking') {
      events.push({ type: 'content_block_start', index, content_block: { type: 'thinking', thinking: '', signature: '' } });
      pieces(block.thinking, (thinking) => ({ type: 'thinking_delta', thinking }));
      events.push({ type: 'content_block_delta', index, delta: { type: 'signature_delta', signature: block.signature } });
    } else if (block.type === 'tool_use') {
      const input = JSON.stringify(block.input);
      events.push({ type: 'content_block_start', index, content_block: { ...block, input: {} } });
      events.push({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: '' } });
      pieces(input === '{}' ? '' : input, (partial_json) => ({ type: 'input_json_delta', partial_json }));
    } else events.push({ type: 'content_block_start', index, content_block: block });
    events.push({ type: 'content_block_stop', index });
  }
  events.push(
    { type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: usage['output_tokens'] } },
    { type: 'message_stop' },
  );
  return events;
}

function streamed(events: readonly MessageEvent[], jsonTool = false): GenerationChunk[] {
  const translator = new MessagesTranslator(jsonTool);
  const chunks = events.map((event) => translator.event(event)).filter((chunk) => chunk !== undefined && chunk.choices.length > 0);
  return [...(chunks as GenerationChunk[]), ...translator.end()];
}

function whole(message: Answer, jsonTool = false): GenerationChunk {
  return new MessagesTranslator(jsonTool).whole(structuredClone(message) as unknown as Record<string, unknown>);
}

interface Accumulated {
  delta: Delta;
  finish_reason: string | null | undefined;
  usage: Usage | undefined;
}

function accumulated(chunks: readonly GenerationChunk[]): Accumulated {
  const delta: Delta = { role: 'assistant', content: null };
  for (const { choices } of chunks) for (const choice of choices) appendDelta(delta, choice.delta!);
  return { delta, finish_reason: chunks.at(-1)?.choices[0]?.finish_reason, usage: chunks.find(({ usage }) => usage)?.usage };
}

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).map((value) => `${value}.`);
const opaque = fc.base64String({ minLength: 4, maxLength: 16 });
const thinking = fc.oneof(
  fc.record({ type: fc.constant('thinking' as const), thinking: fc.oneof(text, fc.constant('')), signature: opaque }),
  fc.record({ type: fc.constant('redacted_thinking' as const), data: opaque }),
);
const input = fc.dictionary(fc.string({ unit: 'grapheme', maxLength: 5 }), fc.oneof(text, fc.integer(), fc.boolean()), {
  noNullPrototype: true,
});
const call = fc.record({
  type: fc.constant('tool_use' as const),
  id: fc.stringMatching(/^toolu_[a-zA-Z0-9]{4}$/),
  name: fc.constantFrom('weather', 'clock'),
  input,
});
/** The order in which the vendor answers: thinking anywhere, between it text before the calls. */
const segment = fc.tuple(thinking, fc.option(text, { nil: undefined }), fc.array(call, { maxLength: 2 }));
const contents = fc
  .array(segment, { maxLength: 4 })
  .map((segments): Content[] =>
    segments.flatMap(([thought, said, calls]) => [
      thought,
      ...(said === undefined ? [] : [{ type: 'text' as const, text: said }]),
      ...calls,
    ]),
  );

describe('MessagesTranslator', () => {
  it('says the role with the first output and the finish reason with an empty last delta', () => {
    const chunks = streamed(eventsOf(answer([{ type: 'text', text: 'Hello' }])));
    expect(chunks).toEqual([
      { choices: [{ index: 0, delta: { role: 'assistant', content: 'Hel' }, finish_reason: null }], promptTokens: 5 },
      { choices: [{ index: 0, delta: { content: 'lo' }, finish_reason: null }] },
      {
        choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
        usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 },
      },
    ]);
  });

  it('says nothing before the first output', () => {
    const [start] = eventsOf(answer([]));
    expect(new MessagesTranslator(false).event(start as MessageEvent)).toBeUndefined();
  });

  it('shows that the vendor is alive while it only pings', () => {
    expect(new MessagesTranslator(false).event({ type: 'ping' })).toEqual({ choices: [] });
  });

  it('answers with a role and an empty delta where the vendor says nothing', () => {
    expect(streamed(eventsOf(answer([]))).map(({ choices }) => choices[0])).toEqual([
      { index: 0, delta: { role: 'assistant' }, finish_reason: null },
      { index: 0, delta: {}, finish_reason: 'stop' },
    ]);
    expect(whole(answer([])).choices).toEqual([{ index: 0, delta: { role: 'assistant', content: null }, finish_reason: 'stop' }]);
  });

  it('numbers tool calls from 0, each with id and name once and arguments that are never empty', () => {
    const content: Content[] = [
      { type: 'text', text: 'Hm' },
      { type: 'tool_use', id: 'a', name: 'now', input: {} },
      { type: 'tool_use', id: 'b', name: 'weather', input: { city: 'Rome' } },
    ];
    const chunks = streamed(eventsOf(answer(content, 'tool_use'), 20));
    expect(chunks.flatMap(({ choices }) => choices[0]?.delta?.tool_calls ?? [])).toEqual([
      { index: 0, id: 'a', type: 'function', function: { name: 'now', arguments: '' } },
      { index: 0, function: { arguments: '{}' } },
      { index: 1, id: 'b', type: 'function', function: { name: 'weather', arguments: '' } },
      { index: 1, function: { arguments: '{"city":"Rome"}' } },
    ]);
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('tool_calls');
  });

  it('takes what compatible servers put into the start of a block', () => {
    const chunks = streamed([
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'All at once' } },
      { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', name: 'f', input: { a: 1 } } },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
      { type: 'message_stop' },
    ]);
    const { delta, finish_reason, usage } = accumulated(chunks);
    expect(delta).toMatchObject({ content: 'All at once', tool_calls: [{ function: { name: 'f', arguments: '{"a":1}' } }] });
    expect(delta.tool_calls?.[0]?.id).toMatch(/^call_\w{24}$/);
    expect(finish_reason).toBe('tool_calls');
    expect(usage).toBeUndefined();
  });

  it('turns the input of the JSON tool into content', () => {
    const message = answer([{ type: 'tool_use', id: 'x', name: JSON_TOOL, input: { a: 'b' } }], 'tool_use');
    for (const { delta, finish_reason } of [accumulated(streamed(eventsOf(message), true)), accumulated([whole(message, true)])]) {
      expect(delta).toEqual({ role: 'assistant', content: '{"a":"b"}' });
      expect(finish_reason).toBe('stop');
    }
    const nothing = answer([{ type: 'tool_use', id: 'x', name: JSON_TOOL, input: {} }], 'tool_use');
    expect(accumulated(streamed(eventsOf(nothing), true)).delta.content).toBe('{}');
  });

  it('knows nothing of blocks, deltas and events of other kinds', () => {
    const known = eventsOf(answer([{ type: 'text', text: 'Hi' }]));
    const strange: MessageEvent[] = [
      { type: 'content_block_start', index: 7, content_block: { type: 'server_tool_use', name: 'web_search', input: {} } },
      { type: 'content_block_delta', index: 7, delta: { type: 'input_json_delta', partial_json: '{"query":"x"}' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'citations_delta' } },
      { type: 'content_block_stop', index: 7 },
      { type: 'novelty' },
      {},
    ];
    expect(streamed([...known.slice(0, 3), ...strange, ...known.slice(3)])).toEqual(streamed(known));
  });

  it('carries signed blocks with their place in the answer', () => {
    const { delta } = whole(
      answer([
        { type: 'thinking', thinking: 'First', signature: 's1' },
        { type: 'text', text: 'Let me look.' },
        { type: 'redacted_thinking', data: 'xyz' },
        { type: 'tool_use', id: 'a', name: 'now', input: {} },
        { type: 'thinking', thinking: '', signature: 's2' },
      ]),
    ).choices[0] ?? { delta: undefined };
    expect(delta).toMatchObject({
      reasoning_content: 'First',
      thinking_blocks: [
        { index: 0, type: 'thinking', thinking: 'First', signature: 's1' },
        { index: 1, type: 'redacted_thinking', data: 'xyz', after: { content: 12, tool_calls: 0 } },
        { index: 2, type: 'thinking', thinking: '', signature: 's2', after: { content: 12, tool_calls: 1 } },
      ],
    });
  });

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['pause_turn', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['refusal', 'content_filter'],
    ['tool_use', 'stop'],
    ['compaction', 'stop'],
    ['constructor', 'stop'],
  ])('ends for the reason %s', (stop_reason, finish_reason) => {
    expect(whole(answer([{ type: 'text', text: 'x' }], stop_reason)).choices[0]?.finish_reason).toBe(finish_reason);
  });

  it('names the stop sequence that it met', () => {
    const met = { ...answer([{ type: 'text', text: 'x' }], 'stop_sequence'), stop_sequence: 'END' };
    expect(whole(met).choices[0]?.stop_sequence).toBe('END');
    const events = eventsOf(met);
    events.at(-2)!.delta!.stop_sequence = 'END';
    expect(streamed(events).at(-1)?.choices[0]?.stop_sequence).toBe('END');
    expect(whole(answer([{ type: 'text', text: 'x' }], 'end_turn')).choices[0]).not.toHaveProperty('stop_sequence');
  });

  it('adds what the cache gave and took to the prompt, and believes the last count', () => {
    const events = eventsOf(
      answer([{ type: 'text', text: 'x' }], 'end_turn', {
        input_tokens: 3,
        cache_read_input_tokens: 100,
        cache_creation_input_tokens: 20,
        output_tokens: 9,
      }),
    );
    const last = events.at(-2) as MessageEvent;
    last.usage = { input_tokens: 4, cache_read_input_tokens: null, output_tokens: 9, output_tokens_details: { thinking_tokens: 6 } };
    const chunks = streamed(events);
    expect(chunks[0]?.promptTokens).toBe(123);
    expect(chunks[0]?.promptDetails).toEqual({ cached_tokens: 100, cache_creation_tokens: 20 });
    expect(chunks.at(-1)?.usage).toEqual({
      prompt_tokens: 124,
      completion_tokens: 9,
      total_tokens: 133,
      prompt_tokens_details: { cached_tokens: 100, cache_creation_tokens: 20 },
      completion_tokens_details: { reasoning_tokens: 6 },
    });
  });

  it('gives no usage where the vendor gives none or nonsense', () => {
    for (const usage of [{}, { input_tokens: -1, output_tokens: 2 }, { input_tokens: 1 }]) {
      expect(whole(answer([], 'end_turn', usage)).usage).toBeUndefined();
    }
  });

  describe('refuses', () => {
    const events = eventsOf(answer([{ type: 'text', text: 'Hi' }]));
    const bad = expect.objectContaining({ kind: 'bad_response' }) as Error;

    it('a stream that ends early, wherever', () => {
      for (let length = 0; length < events.length; length++) expect(() => streamed(events.slice(0, length))).toThrow(bad);
    });

    it('an answer without a reason for its end', () => {
      expect(() => streamed(events.filter(({ type }) => type !== 'message_delta'))).toThrow(bad);
      expect(() => whole({ ...answer([]), stop_reason: null as unknown as string })).toThrow(bad);
    });

    it('an answer without content', () => {
      expect(() => whole({ stop_reason: 'end_turn' } as Answer)).toThrow(bad);
    });

    it('a second answer within the first, but no start that comes twice', () => {
      const [start] = events as [MessageEvent];
      expect(streamed([start, ...events])).toEqual(streamed(events));
      expect(() => streamed([...events.slice(0, 4), ...events])).toThrow(bad);
    });

    it('a call without a name', () => {
      expect(() => whole(answer([{ type: 'tool_use', id: 'a', name: '', input: {} }]))).toThrow(bad);
    });
  });

  it('gives the same answer streamed and whole, however it is cut into deltas', () => {
    fc.assert(
      fc.property(contents, fc.integer({ min: 1, max: 9 }), (content, size) => {
        const message = answer(content, 'end_turn', { input_tokens: 5, cache_read_input_tokens: 2, output_tokens: 7 });
        expect(accumulated(streamed(eventsOf(message, size)))).toEqual(accumulated([whole(message)]));
      }),
    );
  });

  it('gets back, from the message that the client kept, the very blocks that the vendor answered with', () => {
    fc.assert(
      fc.property(contents, (content) => {
        const { delta } = accumulated([whole(answer(content))]);
        const kept = { ...delta, tool_calls: delta.tool_calls } as Message;
        const request = { operation: 'chat' as const, model: 'm', stream: false, n: 1, messages: [kept] };
        const { body } = messagesRequest(
          request,
          'm',
          {
            maxTokens: 1,
            thinking: 'adaptive',
            thinkingOff: 'never',
            efforts: [],
            forcedTools: false,
            structuredOutputs: true,
            systemTurns: true,
          },
          () => undefined,
        );
        expect(body.messages).toEqual(content.length === 0 ? [] : [{ role: 'assistant', content }]);
      }),
    );
  });
});

/** Fails to compile where `A` is not a `B`. */
type Is<A extends B, B> = A;

/** Taken by older models, and no longer named by the client. */
type OlderModels = 'temperature' | 'top_p' | 'top_k';

/** What we send, the vendor's own client may send. */
type Sent = [
  Is<ours.MessagesBody, Anthropic.MessageCreateParams>,
  Is<Exclude<keyof ours.MessagesBody, OlderModels>, keyof Anthropic.MessageCreateParams>,
  Is<ours.Turn, Anthropic.MessageParam>,
  Is<ours.Block, Anthropic.ContentBlockParam>,
  Is<keyof ours.ImageBlock, keyof Anthropic.ImageBlockParam>,
  Is<keyof ours.DocumentBlock, keyof Anthropic.DocumentBlockParam>,
  Is<keyof ours.ToolUseBlock, keyof Anthropic.ToolUseBlockParam>,
  Is<keyof ours.ToolResultBlock, keyof Anthropic.ToolResultBlockParam>,
  Is<ours.MessagesTool, Anthropic.Tool>,
  Is<keyof ours.MessagesTool, keyof Anthropic.Tool>,
  Is<ours.MessagesToolChoice, Anthropic.ToolChoice>,
  Is<ours.ThinkingSetting, Anthropic.ThinkingConfigParam>,
  Is<ours.Effort, NonNullable<Anthropic.OutputConfig['effort']>>,
];

/** What the vendor's own client reads, we read. */
type Read = [
  Is<Anthropic.RawMessageStreamEvent, ours.MessageEvent>,
  Is<Anthropic.ContentBlock, ours.ResponseBlock>,
  Is<Anthropic.Message['content'], readonly ours.ResponseBlock[]>,
];

it('the wire types are those of Anthropic’s own client, which the compiler checks', () => {
  const checked: [Sent, Read] | undefined = undefined;
  expect(checked).toBeUndefined();
});
