import type { GenerationChunk, ChatGenerationRequest } from '../../wire/generation.js';
import { usageOf } from '../../wire/usage.js';
import { collect } from '../testing/collect.js';
import { ConverseDecoder } from './decoder.js';
import { InvokedMessagesDecoder, invokedBody } from './invoked-messages.js';
import { traitsOf } from './model-traits.js';

type Events = readonly (readonly [name: string, event: object])[];

const text: Events = [
  ['messageStart', { role: 'assistant' }],
  ['contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Ahoj' } }],
  ['contentBlockStop', { contentBlockIndex: 0 }],
];
const usage = { inputTokens: 4, outputTokens: 3, totalTokens: 7 };

function streamed(events: Events): GenerationChunk[] {
  const decoder = new ConverseDecoder(false);
  const chunks = events.map(([name, event]) => decoder.event(name, JSON.stringify(event)));
  return [...chunks.filter((chunk) => chunk !== undefined), ...decoder.end()];
}

function whole(stopReason: unknown, content: unknown = [{ text: 'Ahoj' }], more: object = {}): GenerationChunk {
  return new ConverseDecoder(false).whole({ output: { message: { role: 'assistant', content } }, stopReason, usage, ...more });
}

const bad = (message: RegExp) =>
  expect.objectContaining({ kind: 'bad_response', message: expect.stringMatching(message) as string }) as Error;

describe('ConverseDecoder', () => {
  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['a word of tomorrow', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['guardrail_intervened', 'content_filter'],
    ['content_filtered', 'content_filter'],
  ])('ends with %s as %s', (stopReason, finishReason) => {
    expect(whole(stopReason).choices[0]?.finish_reason).toBe(finishReason);
    const answer = collect(streamed([...text, ['messageStop', { stopReason }], ['metadata', { usage }]]));
    expect(answer).toEqual({ choices: [expect.objectContaining({ text: 'Ahoj', finishReason })], usage: usageOf(4, 3) });
  });

  it('ends with tool_use as tool_calls, where there are any', () => {
    const toolUse = { toolUseId: 'a', name: 'f', input: { x: 1 } };
    expect(whole('tool_use', [{ toolUse }]).choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      delta: { tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{"x":1}' } }] },
    });
    expect(whole('tool_use').choices[0]?.finish_reason).toBe('stop');
  });

  it.each(['malformed_model_output', 'malformed_tool_use'])('does not take %s for an answer', (stopReason) => {
    expect(() => whole(stopReason)).toThrow(bad(/broke its answer off: malformed/));
    expect(() => streamed([...text, ['messageStop', { stopReason }]])).toThrow(bad(/broke its answer off/));
  });

  it('does not take an answer without an end for one', () => {
    expect(() => whole(undefined)).toThrow(bad(/did not say why/));
    expect(() => streamed(text)).toThrow(bad(/in the middle/));
    expect(() => streamed([...text, ['metadata', { usage }]])).toThrow(bad(/in the middle/));
    expect(() => new ConverseDecoder(false).whole({ stopReason: 'end_turn' })).toThrow(bad(/without content/));
    expect(() => streamed([...text, ['contentBlockStart', { start: { toolUse: { name: 'f' } } }], ['messageStart', {}]])).toThrow(
      bad(/second answer/),
    );
  });

  it('has ended with the metadata, and not before', () => {
    const decoder = new ConverseDecoder(false);
    const told = [...text, ['messageStop', { stopReason: 'end_turn' }] as const, ['metadata', { usage }] as const];
    const ended = told.map(([name, event]) => [decoder.event(name, JSON.stringify(event)), decoder.ended][1]);
    expect(ended).toEqual([false, false, false, false, true]);
  });

  it('leaves the count to the gateway where the metadata do not come', () => {
    expect(collect(streamed([...text, ['messageStop', { stopReason: 'end_turn' }]])).usage).toBeUndefined();
  });

  it('carries signed and redacted reasoning with its place', () => {
    const delta = (contentBlockIndex: number, reasoningContent: object) =>
      ['contentBlockDelta', { contentBlockIndex, delta: { reasoningContent } }] as const;
    const chunks = streamed([
      delta(0, { text: 'H' }),
      delta(0, { text: 'm' }),
      delta(0, { signature: 'c2' }),
      delta(0, { signature: 'ln' }),
      ['contentBlockStop', { contentBlockIndex: 0 }],
      ['contentBlockDelta', { contentBlockIndex: 1, delta: { text: 'Ahoj' } }],
      ['contentBlockStop', { contentBlockIndex: 1 }],
      delta(2, { redactedContent: 'cmVk' }),
      ['contentBlockStop', { contentBlockIndex: 2 }],
      delta(3, { text: 'Oh' }),
      delta(3, { signature: 'dHdv' }),
      ['contentBlockStop', { contentBlockIndex: 3 }],
      ['messageStop', { stopReason: 'end_turn' }],
      ['metadata', { usage }],
    ]);
    const carried = [
      { index: 0, type: 'thinking', thinking: 'Hm', signature: 'c2ln' },
      { index: 1, type: 'redacted_thinking', data: 'cmVk', after: { content: 4, tool_calls: 0 } },
      { index: 2, type: 'thinking', thinking: 'Oh', signature: 'dHdv', after: { content: 4, tool_calls: 0 } },
    ];
    expect(chunks.flatMap(({ choices }) => choices[0]?.delta?.['thinking_blocks'] ?? [])).toEqual(carried);
    expect(collect(chunks).choices[0]).toMatchObject({ reasoning: 'HmOh', text: 'Ahoj' });
    const content = [
      { reasoningContent: { reasoningText: { text: 'Hm', signature: 'c2ln' } } },
      { text: 'Ahoj' },
      { reasoningContent: { redactedContent: 'cmVk' } },
      { reasoningContent: { reasoningText: { text: 'Oh', signature: 'dHdv' } } },
    ];
    expect(whole('end_turn', content).choices[0]?.delta).toMatchObject({
      reasoning_content: 'HmOh',
      content: 'Ahoj',
      thinking_blocks: carried,
    });
  });

  it('gives the text of a cited passage, and nothing of blocks that it does not know', () => {
    const cited = { citationsContent: { content: [{ text: 'Ah' }, { text: 'oj' }], citations: [{ title: 't' }] } };
    expect(whole('end_turn', [cited, { video: {} }, null]).choices[0]?.delta?.content).toBe('Ahoj');
    expect(streamed([['novelty', {}], ...text, ['messageStop', { stopReason: 'end_turn' }]])).toHaveLength(2);
  });

  it('counts what was read from a cache and written to it, and names the tier', () => {
    const told = { ...usage, totalTokens: 37, cacheReadInputTokens: 20, cacheWriteInputTokens: 10 };
    expect(whole('end_turn', [{ text: 'a' }], { usage: told, serviceTier: { type: 'flex' } }).usage).toEqual({
      ...usageOf(34, 3),
      prompt_tokens_details: { cached_tokens: 20, cache_creation_tokens: 10 },
      service_tier: 'flex',
    });
  });

  it('makes the input of the tool for JSON the content', () => {
    const decoder = new ConverseDecoder(true);
    const content = [{ toolUse: { toolUseId: 'a', name: 'switchyard_json_answer', input: { a: 1 } } }];
    const chunk = decoder.whole({ output: { message: { content } }, stopReason: 'tool_use', usage });
    expect(chunk.choices[0]).toMatchObject({ delta: { content: '{"a":1}' }, finish_reason: 'stop' });
  });
});

const messages = [{ role: 'user' as const, content: [{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } }] }];
const headers = { 'anthropic-beta': 'claude-code-20250219,interleaved-thinking-2025-05-14' };
const request: ChatGenerationRequest = {
  operation: 'chat',
  model: 'm',
  stream: true,
  n: 1,
  max_tokens: 50,
  messages: [{ role: 'user', content: 'Hi' }],
  native: { wire: 'anthropic-messages', body: { messages, metadata: { user_id: 'u' } }, headers },
};
const claude = traitsOf('anthropic.claude-sonnet-4-5-20250929-v1:0');
const guardrail = { id: 'g', version: '1', stream: 'sync' as const };

describe('A message that Bedrock is asked for by InvokeModel', () => {
  it('goes on as it came, with the version and the known features in its body', () => {
    expect(invokedBody(request, claude, {}, () => undefined)).toEqual({
      messages,
      max_tokens: 50,
      anthropic_version: 'bedrock-2023-05-31',
      anthropic_beta: ['interleaved-thinking-2025-05-14'],
    });
  });

  it.each([
    ['another form', { ...request, native: undefined }, claude, {}],
    ['another family of models', request, traitsOf('amazon.nova-pro-v1:0'), {}],
    ['a guardrail', request, claude, { guardrail }],
    ['a service tier', { ...request, extra: { service_tier: 'flex' } }, claude, {}],
  ] as const)('is asked for by Converse for %s', (_what, asked, traits, options) => {
    expect(invokedBody(asked, traits, options, () => undefined)).toBeUndefined();
  });

  it('comes in frames with events in base64', () => {
    const decoder = new InvokedMessagesDecoder([]);
    const see = (event: object) =>
      decoder.event('chunk', JSON.stringify({ bytes: Buffer.from(JSON.stringify(event)).toString('base64'), p: 'abc' }));
    see({ type: 'message_start', message: { usage: { input_tokens: 3, output_tokens: 1 } } });
    see({ type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } });
    see({ type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Žofia' } });
    see({ type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'sig' } });
    expect(see({ type: 'content_block_stop', index: 0 })?.choices[0]?.delta?.thinking_blocks).toEqual([
      { index: 0, type: 'thinking', thinking: 'Žofia', signature: 'sig' },
    ]);
    see({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } });
    expect(() => new InvokedMessagesDecoder([]).end()).toThrow('in the middle');
    see({ type: 'message_stop', 'amazon-bedrock-invocationMetrics': { inputTokenCount: 3 } });
    expect(decoder.ended).toBe(true);
    expect(decoder.end().at(-1)).toMatchObject({ usage: { prompt_tokens: 3, completion_tokens: 2 } });
  });

  it('with a chunk of nothing is an error, but not with a frame of another kind', () => {
    expect(() => new InvokedMessagesDecoder([]).event('chunk', '{}')).toThrow('no part of a message');
    expect(new InvokedMessagesDecoder([]).event('a_later_event', '{}')).toBeUndefined();
  });
});
