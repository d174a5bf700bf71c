import type { GenerationRequest } from '../../../wire/generation.js';
import type { JsonObject } from '../../../wire/json-object.js';
import { ChatCompletionsTranslator } from './translator.js';
import { said } from '../../../wire/testing/said.js';

const chat: GenerationRequest = { operation: 'chat', model: 'm', stream: true, n: 1, messages: [] };
const completion: GenerationRequest = { operation: 'completion', model: 'm', stream: true, n: 1, prompt: '' };

function stream(events: JsonObject[], { marked = true, request = chat } = {}) {
  const repair = new ChatCompletionsTranslator(request, []);
  const chunks = events.map((event) => repair.event(event)).filter((chunk) => chunk !== undefined);
  const told = chunks.map(({ ended: _ended, endedBy: _endedBy, usageSoFar: _usageSoFar, ...chunk }) => chunk);
  return [...told.filter(({ choices }) => choices.length > 0), ...repair.end(marked)];
}

const event = (delta: unknown, rest: JsonObject = {}) => ({ choices: [{ index: 0, delta, finish_reason: null, ...rest }] });
const piece = (delta: object) => ({ choices: [{ index: 0, delta, logprobs: null, finish_reason: null }] });
const end = (finish_reason: string) => ({ choices: [{ index: 0, delta: {}, logprobs: null, finish_reason }] });
const broken = expect.objectContaining({ name: 'ProviderError', kind: 'bad_response' }) as Error;

describe('ChatCompletionsTranslator', () => {
  it('puts content that comes with a finish reason in front of it, and usage into the last chunk', () => {
    const events = [
      event({ content: 'Hi', role: 'assistant' }, { finish_reason: 'length', usage: { prompt_tokens: 1, completion_tokens: 2 } }),
    ];
    expect(stream(events)).toEqual([
      piece(said.assistant('Hi')),
      { ...end('length'), usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } },
    ]);
  });

  it('tells at once what the vendor has counted by then, and the calls that it shows', () => {
    const translator = new ChatCompletionsTranslator(chat, []);
    const usage = { prompt_tokens: 900, completion_tokens: 3, num_search_queries: 20 };
    const counts = { prompt_tokens: 900, completion_tokens: 3, server_tool_use: { web_search_requests: 20 } };
    expect(translator.event(event({ content: 'a' }, {}))?.usageSoFar).toBeUndefined();
    expect(translator.event({ ...event({ content: 'b' }), usage })?.usageSoFar).toMatchObject(counts);
    expect(translator.event(event({ content: 'c' }))?.usageSoFar).toBeUndefined();
    expect(translator.event({ choices: [], usage: { completion_tokens: 5 } })?.usageSoFar).toMatchObject({
      ...counts,
      completion_tokens: 5,
    });
    const compound = new ChatCompletionsTranslator(chat, []);
    const executed_tools = [
      { index: 0, type: 'search' },
      { index: 1, type: 'python' },
    ];
    const shown = { server_tool_use: { web_search_requests: 1, hosted_calls: 1 } };
    expect(compound.event(event({ content: 'a', executed_tools }))?.usageSoFar).toEqual(shown);
  });

  it('tells at once that every choice has ended, though the finish reasons come with the usage', () => {
    const repair = new ChatCompletionsTranslator({ ...chat, n: 2 }, []);
    const choices = (index: number, finish_reason: string | null) => ({ choices: [{ index, delta: { content: 'a' }, finish_reason }] });
    const ended = [choices(0, 'stop'), choices(1, null), choices(1, 'length'), choices(1, 'stop')].map((one) => repair.event(one)?.ended);
    expect(ended).toEqual([undefined, undefined, true, undefined]);
  });

  it('tells the role once, in the first delta, whether the vendor names it or not', () => {
    expect(
      stream([
        event({ content: 'a' }),
        event(said.assistant('b')),
        event({ role: null, content: 'c' }),
        event({}, { finish_reason: 'stop' }),
      ]),
    ).toEqual([piece(said.assistant('a')), piece({ content: 'b' }), piece({ content: 'c' }), end('stop')]);
  });

  it('tells the last of several finish reasons, at the end, and no output without a role before it', () => {
    expect(
      stream([
        event({}, { finish_reason: 'stop' }),
        event({ content: 'a' }, { finish_reason: 'stop' }),
        event({}, { finish_reason: 'length' }),
      ]),
    ).toEqual([piece({ role: 'assistant' }), piece({ content: 'a' }), end('length')]);
  });

  it('passes on what it does not know, and drops what says nothing', () => {
    const signature = { thought_signature: 's', function_call: null, tool_calls: [], annotations: [], audio: null };
    expect(stream([event({ content: 'a', ...signature, __proto__: null }), event({}, { finish_reason: 'stop' })])[0]).toEqual(
      piece({ role: 'assistant', content: 'a', thought_signature: 's' }),
    );
  });

  it.each([
    ['stop', 'tool_calls'],
    ['function_call', 'tool_calls'],
    ['tool_use', 'tool_calls'],
    ['length', 'length'],
  ])('ends a choice with tool calls that says %s with %s', (word, reason) => {
    const call = { tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }] };
    expect(stream([event(call), event({}, { finish_reason: word })]).at(-1)).toEqual(end(reason));
  });

  it.each([
    ['eos', 'stop'],
    ['constructor', 'stop'],
    ['end_turn', 'stop'],
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['tool_calls', 'stop'],
    ['SAFETY', 'content_filter'],
    ['anything', 'stop'],
  ])('ends a choice of text that says %s with %s', (word, reason) => {
    expect(stream([event({ content: 'a' }), event({}, { finish_reason: word })]).at(-1)).toEqual(end(reason));
  });

  it.each([{ function_call: {} }, { function_call: { name: '', arguments: '' } }, { tool_calls: [{}] }])(
    'makes no call of one that says nothing: %j',
    (nothing) => {
      const events = [event({ content: 'a' }), event(nothing), event({}, { finish_reason: 'tool_calls' })];
      expect(stream(events)).toEqual([piece({ role: 'assistant', content: 'a' }), end('stop')]);
    },
  );

  it('reads a call once that is said in both forms', () => {
    const called = { name: 'f', arguments: '{}' };
    const both = { tool_calls: [{ id: 'a', type: 'function', function: called }], function_call: called };
    const told = stream([event(both), event({}, { finish_reason: 'tool_calls' })]);
    expect(told.flatMap(({ choices }) => choices[0]?.delta?.tool_calls ?? [])).toEqual([{ index: 0, ...both.tool_calls[0] }]);
  });

  it('tells blocks of reasoning that are signed, and nothing that only looks like the gateway’s own', () => {
    const told = stream([
      event({ reasoning_content: 'Hm', thinking_blocks: [{ type: 'thinking', thinking: 'Hm', signature: null }] }),
      event({ reasoning_content: '.', thinking_blocks: [null, 5, { type: 'constructor', thinking: 5 }] }),
      event({
        thinking_blocks: [
          { type: 'thinking', thinking: '', signature: 's' },
          { type: 'redacted_thinking', data: 'd' },
        ],
      }),
      event({ hosted_items: [{ index: 0, step: 'added', item: { type: 'web_search_call', id: 'theirs' } }], refusal: 5, content: 'Hi' }),
      event({}, { finish_reason: 'stop', usage: { prompt_tokens: 1, completion_tokens: 2 } }),
    ]);
    expect(told.map(({ choices }) => choices[0]?.delta)).toEqual([
      { role: 'assistant', reasoning_content: 'Hm' },
      { reasoning_content: '.' },
      {
        thinking_blocks: [
          { index: 0, type: 'thinking', thinking: '', signature: 's' },
          { index: 1, type: 'redacted_thinking', data: 'd' },
        ],
      },
      { content: 'Hi' },
      {},
    ]);
  });

  it('turns a function call of the old kind into a tool call', () => {
    const events = [
      event({ function_call: { name: 'f', arguments: '' } }),
      event({ function_call: { arguments: '{}' } }),
      event({}, { finish_reason: 'function_call' }),
    ];
    expect(stream(events)).toEqual([
      piece({
        role: 'assistant',
        tool_calls: [{ index: 0, id: expect.any(String) as string, type: 'function', function: { name: 'f', arguments: '' } }],
      }),
      piece({ tool_calls: [{ index: 0, function: { arguments: '{}' } }] }),
      end('tool_calls'),
    ]);
  });

  it('needs a finish reason for every choice, or a vendor that names none but counts and marks the end', () => {
    const usage = { choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } };
    const silent = { choices: [{ index: 0, delta: { content: 'a' } }] };
    expect(() => stream([event({ content: 'a' }), usage])).toThrow(broken);
    expect(() => stream([silent])).toThrow(broken);
    expect(() => stream([silent, usage], { marked: false })).toThrow(broken);
    expect(stream([silent, usage]).at(-1)).toMatchObject(end('stop'));
    expect(() => stream([])).toThrow(broken);
    const one = [event({ content: 'a' }, { finish_reason: 'stop' })];
    expect(() => stream(one, { request: { ...chat, n: 2 }, marked: false })).toThrow(broken);
    expect(stream(one, { request: { ...chat, n: 2 } }).at(-1)).toEqual(end('stop'));
    expect(stream([event({ content: 'a' }, { finish_reason: 'stop' })], { marked: false }).at(-1)).toEqual(end('stop'));
  });

  it('leaves out choices that nobody asked for', () => {
    const other = { choices: [{ index: 1, delta: { content: 'b' }, finish_reason: 'stop' }] };
    expect(stream([event({ content: 'a' }, { finish_reason: 'stop' }), other])).toHaveLength(2);
  });

  it.each([
    [undefined, 0],
    [0, 0],
    [2, 2],
    [5, 3],
  ])('shows as many alternatives as were asked for: %s', (top_logprobs, shown) => {
    const alternatives = ['b', 'c', 'd'].map((token) => ({ token, logprob: -1, bytes: null }));
    const logprobs = { content: [{ token: 'b', logprob: -1, top_logprobs: alternatives }] };
    const [first] = stream([event({ content: 'b' }, { logprobs, finish_reason: 'stop' })], {
      request: { ...chat, logprobs: true, top_logprobs },
    });
    expect(first?.choices[0]?.logprobs).toMatchObject({ content: [{ token: 'b', top_logprobs: alternatives.slice(0, shown) }] });
  });

  it('reads legacy logprobs with checked numbers, also in the chat shape', () => {
    const read = (logprobs: unknown) =>
      stream([{ choices: [{ text: 'ab', logprobs, finish_reason: 'stop' }] }], { request: completion })[0]?.choices[0]?.logprobs;
    expect(
      read({ tokens: ['a', 'b'], token_logprobs: [null, -1, 3], top_logprobs: [null, { b: -1, c: 'x' }], text_offset: [0, 1] }),
    ).toEqual({
      tokens: ['a', 'b'],
      token_logprobs: [null, -1],
      top_logprobs: [null, { b: -1 }],
      text_offset: [0, 1],
    });
    expect(
      read({
        content: [
          { token: 'a', logprob: -1, top_logprobs: [{ token: 'z', logprob: -2 }] },
          { token: 'b', logprob: -3 },
        ],
      }),
    ).toEqual({
      tokens: ['a', 'b'],
      token_logprobs: [-1, -3],
      top_logprobs: [{ z: -2 }, {}],
      text_offset: [0, 1],
    });
    expect(read(null)).toBeNull();
    expect(read({ tokens: 'a' })).toBeNull();
  });

  it.each([
    [{ choices: [{ finish_reason: 'stop' }] }, said.assistant(null)],
    [{ choices: [{ message: { content: 'a' } }] }, said.assistant('a')],
    [{ choices: [{ delta: { content: 'a' }, finish_reason: 'stop' }] }, said.assistant('a')],
    [{ choices: [{ message: { content: [said.text('a'), 'b'] } }] }, said.assistant('ab')],
    [{ choices: [{ message: { content: null, refusal: 'no' } }] }, { role: 'assistant', content: null, refusal: 'no' }],
  ])('reads the whole answer %j', (body, delta) => {
    expect(new ChatCompletionsTranslator({ ...chat, stream: false }, []).whole(body).choices).toEqual([
      { index: 0, delta, logprobs: null, finish_reason: 'stop' },
    ]);
  });
});
