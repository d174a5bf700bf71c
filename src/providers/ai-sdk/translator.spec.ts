import type { createMistral } from '@ai-sdk/mistral';
import type { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider';
import { ProviderError } from '../contract/provider-error.js';
import { collect } from '../testing/collect.js';
import { PartTranslator } from './translator.js';
import { wholeAnswer } from './whole-answer.js';
import type { AiSdkModel, AiSdkSettings, AiSdkVendor, Content, StreamPart, WholeResult } from './wire.js';

const usage = {
  inputTokens: { total: 10, noCache: 4, cacheRead: 5, cacheWrite: 1 },
  outputTokens: { total: 7, text: 4, reasoning: 3 },
};
const finish = (unified: string, raw?: string) => ({ type: 'finish', usage, finishReason: { unified, raw } }) as StreamPart;
const stop = finish('stop', 'stop');

const translator = (dropped: string[] = []) =>
  new PartTranslator(
    (name) => dropped.push(name),
    (error) => new ProviderError('overloaded', String(error)),
  );
const chunksOf = (parts: StreamPart[], dropped?: string[]) => {
  const one = translator(dropped);
  return parts.map((part) => one.chunk(part)).filter((chunk) => chunk !== undefined);
};
const answerOf = (...parts: StreamPart[]) => collect(chunksOf([...parts, stop])).choices[0];

describe('a part of a stream', () => {
  it('of text and reasoning is told as it comes, and blocks of reasoning are kept apart', () => {
    const parts: StreamPart[] = [
      { type: 'stream-start', warnings: [] },
      { type: 'response-metadata', id: 'r', modelId: 'm', timestamp: new Date(0) },
      { type: 'reasoning-start', id: 'a' },
      { type: 'reasoning-delta', id: 'a', delta: 'First' },
      { type: 'reasoning-delta', id: 'a', delta: '.' },
      { type: 'reasoning-end', id: 'a' },
      { type: 'reasoning-start', id: 'b' },
      { type: 'reasoning-delta', id: 'b', delta: '' },
      { type: 'reasoning-delta', id: 'b', delta: 'Second.' },
      { type: 'reasoning-end', id: 'b' },
      { type: 'text-start', id: 'c' },
      { type: 'text-delta', id: 'c', delta: '' },
      { type: 'text-delta', id: 'c', delta: 'Said' },
      { type: 'text-end', id: 'c' },
      { type: 'raw', rawValue: { any: 'thing' } },
    ];
    expect(answerOf(...parts)).toMatchObject({ text: 'Said', reasoning: 'First.\n\nSecond.', finishReason: 'stop' });
    expect(chunksOf(parts)).toHaveLength(4);
    expect(chunksOf([{ type: 'ping' }])).toEqual([{ choices: [] }]);
  });

  it('of a tool call is told once, however the package tells it', () => {
    const call = (id: string, input: string): StreamPart => ({ type: 'tool-call', toolCallId: id, toolName: 'look', input });
    const begun = (id: string): StreamPart => ({ type: 'tool-input-start', id, toolName: 'look' });
    const delta = (id: string, text: string): StreamPart => ({ type: 'tool-input-delta', id, delta: text });
    const asked = (id: string) => ({ id, name: 'look', arguments: '{"a":1}' });
    const forms: StreamPart[][] = [
      [call('x', '{"a":1}')],
      [begun('x'), call('x', '{"a":1}')],
      [begun('x'), delta('x', '{"a"'), delta('x', ''), delta('x', ':1}'), { type: 'tool-input-end', id: 'x' }, call('x', '{"a":1}')],
      [begun('x'), delta('x', '{"a":1}')],
    ];
    for (const parts of forms) expect(answerOf(...parts)).toMatchObject({ toolCalls: [asked('x')], finishReason: 'tool_calls' });
    const mixed = answerOf(
      begun('x'),
      begun('y'),
      delta('y', '{"a":1}'),
      delta('x', '{"a":1}'),
      call('x', '{"a":1}'),
      call('y', '{"a":1}'),
    );
    expect(mixed?.toolCalls).toEqual([asked('x'), asked('y')]);
  });

  it('of a tool call under the id of one that has ended is another call', () => {
    const call = (input: string): StreamPart => ({ type: 'tool-call', toolCallId: 'x', toolName: 'look', input });
    const streamed = (input: string): StreamPart[] => [
      { type: 'tool-input-start', id: 'x', toolName: 'look' },
      { type: 'tool-input-delta', id: 'x', delta: input },
      { type: 'tool-input-end', id: 'x' },
    ];
    const asked = (input: string) => ({ id: 'x', name: 'look', arguments: input });
    const both = [asked('{"a":1}'), asked('{"b":2}')];
    expect(answerOf(call('{"a":1}'), call('{"b":2}'))?.toolCalls).toEqual(both);
    expect(answerOf(...streamed('{"a":1}'), call('{"a":1}'), ...streamed('{"b":2}'), call('{"b":2}'))?.toolCalls).toEqual(both);
    expect(answerOf(...streamed('{"a":1}'), ...streamed('{"b":2}'))?.toolCalls).toEqual(both);
    expect(() => chunksOf([call('{"a":1}'), { type: 'tool-input-delta', id: 'x', delta: '}' }])).toThrow(/has not begun/);
  });

  it.each([
    ['', expect.stringMatching(/^call_[\da-f]{24}$/) as unknown],
    ['x', 'x'],
  ])('of tool calls that are told side by side under the id "%s" are as many calls', (id, told) => {
    const begun: StreamPart = { type: 'tool-input-start', id, toolName: 'look' };
    const delta = (text: string): StreamPart => ({ type: 'tool-input-delta', id, delta: text });
    const call = (input: string): StreamPart => ({ type: 'tool-call', toolCallId: id, toolName: 'look', input });
    const calls = answerOf(begun, delta('{"a":1}'), begun, delta('{"b":2}'), call('{"a":1}'), call('{"b":2}'))?.toolCalls;
    expect(calls).toEqual(['{"a":1}', '{"b":2}'].map((text) => ({ id: told, name: 'look', arguments: text })));
    if (id === '') expect(new Set(calls!.map((one) => one.id)).size).toBe(2);
  });

  it('that proves reasoning or a call to be the vendor’s goes through the client, without any id', () => {
    const call: StreamPart = {
      type: 'tool-call',
      toolCallId: 'x',
      toolName: 'look',
      input: '{}',
      providerMetadata: { google: { thoughtSignature: 'T', itemId: 'fc_1' } },
    };
    const parts: StreamPart[] = [
      { type: 'reasoning-start', id: 'a', providerMetadata: { openai: { itemId: 'rs_1', reasoningEncryptedContent: null } } },
      { type: 'reasoning-delta', id: 'a', delta: 'First.' },
      { type: 'reasoning-delta', id: 'a', delta: '', providerMetadata: { anthropic: { signature: 'S' } } },
      { type: 'reasoning-end', id: 'a' },
      { type: 'reasoning-start', id: 'b', providerMetadata: { anthropic: { redactedData: 'R' } } },
      { type: 'reasoning-end', id: 'b' },
      call,
    ];
    const deltas = chunksOf([...parts, stop]).map(({ choices }) => choices[0]?.delta);
    const [first, second] = [
      { length: 6, signed: { anthropic: { signature: 'S' } } },
      { length: 0, signed: { anthropic: { redactedData: 'R' } } },
    ];
    expect(deltas.map((delta) => delta?.['extra_content'] ?? delta?.tool_calls?.[0]?.extra_content)).toEqual([
      undefined,
      { ai_sdk: { google: { thoughtSignature: 'T' } } },
      { ai_sdk: { reasoning: [first, second] } },
    ]);
    const begun: StreamPart[] = [
      { type: 'tool-input-start', id: 'x', toolName: 'look' },
      { type: 'tool-input-delta', id: 'x', delta: '{}' },
    ];
    expect(answerOf(...begun, call)?.toolCalls).toEqual([{ id: 'x', name: 'look', arguments: '{}' }]);
    expect(chunksOf([...begun, call]).at(-1)?.choices[0]?.delta?.tool_calls?.[0]?.extra_content).toEqual({
      ai_sdk: { google: { thoughtSignature: 'T' } },
    });
  });

  it('of one tool call too many ends the answer', () => {
    const calls = Array.from({ length: 1_024 }, (_, id): StreamPart => ({
      type: 'tool-call',
      toolCallId: `${id}`,
      toolName: 'look',
      input: '{}',
    }));
    expect(answerOf(...calls)?.toolCalls).toHaveLength(1_024);
    const tooMany: StreamPart[] = [...calls, { type: 'tool-input-start', id: 'last', toolName: 'look' }];
    expect(() => chunksOf(tooMany)).toThrow(
      expect.objectContaining({ kind: 'limit_exceeded', message: 'The answer has more than 1024 tool calls.' }),
    );
  });

  it('of one block of reasoning too many ends the answer', () => {
    const block: StreamPart = { type: 'reasoning-start', id: 'a', providerMetadata: { anthropic: { signature: 'S' } } };
    const ends: StreamPart = { type: 'reasoning-end', id: 'a' };
    const blocks = Array.from({ length: 10_000 }, () => [block, ends]).flat();
    expect(JSON.stringify(chunksOf([...blocks, stop])).length).toBeLessThan(100 * blocks.length);
    expect(() => chunksOf([...blocks, block])).toThrow(/more than 10000 blocks of reasoning/);
  });

  it('of a source is an annotation where it has an address', () => {
    const url = 'https://example.com/';
    const source: StreamPart = { type: 'source', sourceType: 'url', id: '1', url, title: 'Example' };
    const cited: StreamPart = { type: 'text-end', id: '0', citations: [{ source, startIndex: 2, endIndex: 5 }] };
    const document: StreamPart = { type: 'source', sourceType: 'document', id: '2', mediaType: 'text/plain', title: 'Notes' };
    const deltas = chunksOf([source, cited, document]).map(({ choices }) => choices[0]?.delta);
    expect(deltas).toEqual([
      { role: 'assistant', annotations: [{ type: 'url_citation', url_citation: { url, title: 'Example' } }] },
      { annotations: [{ type: 'url_citation', url_citation: { url, title: 'Example', start_index: 2, end_index: 5 } }] },
    ]);
  });

  it.each<[string, StreamPart, RegExp]>([
    [
      'a call that the vendor answers',
      { type: 'tool-call', toolCallId: 'x', toolName: 'web', input: '', providerExecuted: true },
      /ran a tool \(web\)/,
    ],
    ['the beginning of one', { type: 'tool-input-start', id: 'x', toolName: 'web', providerExecuted: true }, /ran a tool \(web\)/],
    ['its result', { type: 'tool-result', toolCallId: 'x', toolName: 'web', result: 'found' }, /ran a tool \(web\)/],
    ['a question whether it may', { type: 'tool-approval-request', approvalId: 'a', toolCallId: 'x' }, /ran a tool/],
    [
      'a call that is not JSON',
      { type: 'tool-input-start', id: 'x', toolName: 'sql', inputEncoding: 'text' },
      /a call of sql that is not JSON/,
    ],
    ['arguments of no call', { type: 'tool-input-delta', id: 'x', delta: '{' }, /has not begun/],
    ['a file', { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AA==' } }, /a file \(image\/png\)/],
    ['a file of version v3', { type: 'file', mediaType: 'image/png', data: 'AA==' }, /a file \(image\/png\)/],
    ['a file among the reasoning', { type: 'reasoning-file', mediaType: 'image/png', data: { type: 'data', data: 'AA==' } }, /a file/],
    ['a part of a vendor’s own', { type: 'custom', kind: 'acme.note' }, /kind acme\.note/],
    ['a part of a type to come', { type: 'hologram' } as unknown as StreamPart, /type hologram/],
  ])('that is %s is refused', (_, part, message) => {
    expect(() => chunksOf([part])).toThrow(message);
    expect(() => chunksOf([part])).toThrow(expect.objectContaining({ kind: 'bad_response' }));
  });

  it('that is an error ends the answer with it', () => {
    expect(() => chunksOf([{ type: 'error', error: 'No room' }])).toThrow(
      expect.objectContaining({ kind: 'overloaded', message: 'No room' }),
    );
  });

  it.each([
    ['stop', 'end_turn', 'stop'],
    ['length', undefined, 'length'],
    ['content-filter', undefined, 'content_filter'],
    ['tool-calls', undefined, 'tool_calls'],
    ['other', 'eos', 'stop'],
    ['other', 'max_tokens', 'length'],
  ])('that is the finish %s (%s) is %s', (unified, raw, reason) => {
    expect(collect(chunksOf([{ type: 'text-delta', id: '0', delta: 'x' }, finish(unified, raw)])).choices[0]?.finishReason).toBe(reason);
  });

  it.each([
    ['error', undefined],
    ['interrupted', undefined],
    ['other', undefined],
    ['other', 'network_error'],
    ['unknown', undefined],
  ])('that is the finish %s (%s) is a broken answer', (unified, raw) => {
    expect(() => chunksOf([finish(unified, raw)])).toThrow(expect.objectContaining({ kind: 'bad_response' }));
  });

  it('that counts has the parts of its totals', () => {
    const counts = {
      prompt_tokens: 10,
      completion_tokens: 7,
      total_tokens: 17,
      prompt_tokens_details: { cached_tokens: 5, cache_creation_tokens: 1 },
      completion_tokens_details: { reasoning_tokens: 3 },
    };
    expect(chunksOf([stop])[0]?.usage).toEqual(counts);
    const part = (more: object) => chunksOf([{ ...stop, ...more }])[0]?.usage;
    expect(part({ providerMetadata: { acme: { serviceTier: 'flex' } } })).toEqual({ ...counts, service_tier: 'flex' });
    const unknown = {
      total: undefined,
      noCache: undefined,
      cacheRead: undefined,
      cacheWrite: undefined,
      text: undefined,
      reasoning: undefined,
    };
    expect(part({ usage: { inputTokens: unknown, outputTokens: unknown } })).toBeUndefined();
    expect(part({ usage: { inputTokens: { ...usage.inputTokens, total: undefined }, outputTokens: usage.outputTokens } })).toEqual(counts);
    const split = { ...unknown, text: 4, reasoning: 3 };
    expect(part({ usage: { inputTokens: usage.inputTokens, outputTokens: split } })).toEqual(counts);
    // What is more than a total is beside it.
    const cached = { ...unknown, total: 3, cacheRead: 9, cacheWrite: 1 };
    expect(part({ usage: { inputTokens: cached, outputTokens: usage.outputTokens } })).toMatchObject({ prompt_tokens: 13 });
    expect(part({ usage: { inputTokens: { ...usage.inputTokens, total: 4 }, outputTokens: usage.outputTokens } })).toEqual(counts);
  });

  it('that warns names the parameters that are left out, or refuses the answer', () => {
    const dropped: string[] = [];
    const warns = (...features: string[]): StreamPart => ({
      type: 'stream-start',
      warnings: features.map((feature) => ({ type: 'unsupported', feature })),
    });
    chunksOf([warns('temperature', 'topP', 'topK', 'seed', 'presencePenalty', 'frequencyPenalty', 'reasoning', 'weather')], dropped);
    expect(dropped).toEqual(['temperature', 'top_p', 'top_k', 'seed', 'presence_penalty', 'frequency_penalty', 'reasoning_effort']);
    chunksOf(
      [
        {
          type: 'stream-start',
          warnings: [
            { type: 'compatibility', feature: 'seed' },
            { type: 'other', message: 'seed' },
          ],
        },
      ],
      ((dropped.length = 0), dropped),
    );
    expect(dropped).toEqual([]);
    for (const [feature, parameter] of [
      ['stopSequences', 'stop'],
      ['toolChoice', 'tool_choice'],
      ['responseFormat', 'response_format'],
      ['tools', 'tools'],
    ])
      expect(() => chunksOf([warns(feature!)])).toThrow(expect.objectContaining({ kind: 'parameter_ignored', parameter }));
  });
});

describe('an answer that is not streamed', () => {
  const whole = (content: Content[], more: Partial<WholeResult> = {}) =>
    wholeAnswer({ content, usage, finishReason: { unified: 'stop', raw: 'stop' }, warnings: [], ...more } as WholeResult, translator());

  it('is that of its parts, in one chunk', () => {
    const url = 'https://example.com/';
    const content: Content[] = [
      { type: 'reasoning', text: 'First.', providerMetadata: { anthropic: { signature: 'S' } } },
      { type: 'reasoning', text: 'Second.' },
      { type: 'text', text: 'Sa' },
      { type: 'text', text: 'id' },
      { type: 'source', sourceType: 'url', id: '1', url },
      { type: 'tool-call', toolCallId: 'x', toolName: 'look', input: '{"a":1}' },
      { type: 'tool-call', toolCallId: 'y', toolName: 'look', input: '{}' },
    ];
    const chunk = whole(content);
    expect(chunk.choices).toHaveLength(1);
    expect(chunk.choices[0]?.delta).toMatchObject({
      annotations: [{ url_citation: { url } }],
      extra_content: { ai_sdk: { reasoning: [{ length: 6, signed: { anthropic: { signature: 'S' } } }, { length: 7 }] } },
    });
    expect(collect([chunk])).toMatchObject({
      choices: [
        {
          text: 'Said',
          reasoning: 'First.\n\nSecond.',
          toolCalls: [
            { id: 'x', name: 'look', arguments: '{"a":1}' },
            { id: 'y', name: 'look', arguments: '{}' },
          ],
          finishReason: 'tool_calls',
        },
      ],
      usage: { total_tokens: 17 },
    });
  });

  it('takes seconds, and not minutes, for as many sources as fit into it', () => {
    const content = Array.from({ length: 200_000 }, (): Content => ({
      type: 'source',
      sourceType: 'url',
      id: '1',
      url: 'https://a.example',
    }));
    const begun = performance.now();
    expect(whole(content).choices[0]?.delta?.['annotations']).toHaveLength(content.length);
    expect(performance.now() - begun).toBeLessThan(10_000);
  });

  it('is refused where it is not whole', () => {
    expect(() => whole([{ type: 'hologram' } as unknown as Content])).toThrow(/type hologram/);
    expect(() => whole([{ type: 'text', text: 'Ha' }], { finishReason: { unified: 'error', raw: undefined } })).toThrow(
      /broke its answer off/,
    );
  });
});

/** A type that is assignable to another; compiling it is the check. */
type Assignable<From extends To, To> = From;

type Checks = [
  Assignable<LanguageModelV4, AiSdkModel>,
  Assignable<LanguageModelV3, AiSdkModel>,
  Assignable<ReturnType<typeof createMistral>, AiSdkVendor>,
  Assignable<ReturnType<typeof createOpenAI>, AiSdkVendor>,
  Assignable<Pick<AiSdkSettings, 'apiKey' | 'baseURL' | 'headers' | 'fetch'>, NonNullable<Parameters<typeof createMistral>[0]>>,
  Assignable<Pick<AiSdkSettings, 'apiKey' | 'baseURL' | 'headers' | 'fetch'>, NonNullable<Parameters<typeof createOpenAI>[0]>>,
];

it('the AI SDK’s types are those that are used here', () => {
  const checked: Checks | undefined = undefined;
  expect(checked).toBeUndefined();
});
