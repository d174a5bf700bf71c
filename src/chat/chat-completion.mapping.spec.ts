import { usageOf } from '../wire/usage.js';
import { chatCompletion, chatRequest } from './chat-completion.mapping.js';
import { CreateChatCompletionDto } from './create-chat-completion.dto.js';

const body = (fields: Partial<CreateChatCompletionDto>): CreateChatCompletionDto =>
  Object.assign(new CreateChatCompletionDto(), { model: 'm', messages: [{ role: 'user', content: 'hi' }] }, fields);
const add = { type: 'function' as const, function: { name: 'add' } };

describe('chatRequest', () => {
  it('is the body with its defaults, where null counts as absent', () => {
    const nothing = { temperature: null, max_tokens: null, n: null, stop: null, stream: null, tools: null, logprobs: null };
    expect(chatRequest(body(nothing))).toEqual({
      operation: 'chat',
      model: 'm',
      messages: [{ role: 'user', content: 'hi' }],
      stream: false,
      n: 1,
    });
  });

  it('has every parameter of the body', () => {
    const fields: Partial<CreateChatCompletionDto> = {
      temperature: 0,
      top_p: 0.5,
      n: 2,
      seed: 0,
      presence_penalty: 0,
      frequency_penalty: 1,
      logit_bias: { 1: 2 },
      user: 'u',
      stream: true,
      tools: [add],
      tool_choice: 'required',
      parallel_tool_calls: false,
      response_format: { type: 'json_object' },
      logprobs: true,
      top_logprobs: 0,
      reasoning_effort: 'low',
      extra: { top_k: 1 },
    };
    expect(chatRequest(body(fields))).toMatchObject(fields);
  });

  it('treats max_completion_tokens and max_tokens alike', () => {
    expect(chatRequest(body({ max_tokens: 3 })).max_tokens).toBe(3);
    expect(chatRequest(body({ max_completion_tokens: 4 })).max_tokens).toBe(4);
    expect(chatRequest(body({ max_completion_tokens: 4, max_tokens: 4 })).max_tokens).toBe(4);
  });

  it.each([
    ['END', ['END']],
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
    [[], undefined],
  ])('makes stop %j a list', (stop, expected) => {
    expect(chatRequest(body({ stop })).stop).toEqual(expected);
  });

  it('leaves out parameters that have no meaning without tools', () => {
    const request = chatRequest(body({ tools: [], tool_choice: 'auto', parallel_tool_calls: true }));
    expect([request.tools, request.tool_choice, request.parallel_tool_calls]).toEqual([undefined, undefined, undefined]);
  });
});

describe('chatCompletion', () => {
  const envelope = { id: 'chatcmpl-1', created: 7, model: 'm' };

  it('has the envelope, whole messages and usage', () => {
    const whole = { choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' as const }], usage: usageOf(1, 2) };
    expect(chatCompletion(envelope, whole)).toStrictEqual({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 7,
      model: 'm',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hi', refusal: null }, logprobs: null, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
    });
  });

  it.each([
    [{}, { content: '', refusal: null }],
    [
      { content: 'x', refusal: null, reasoning_content: 'r' },
      { content: 'x', refusal: null, reasoning_content: 'r', reasoning: 'r' },
    ],
    [{ refusal: 'no' }, { content: null, refusal: 'no' }],
    [
      { content: 'x', tool_calls: [] },
      { content: 'x', refusal: null },
    ],
    [
      { tool_calls: [{ index: 0, id: 'a', function: { name: 'add', arguments: '{}' }, extra_content: { s: 1 } }] },
      {
        content: null,
        refusal: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'add', arguments: '{}' }, extra_content: { s: 1 } }],
      },
    ],
    [
      { content: 'x', annotations: [1] },
      { content: 'x', refusal: null, annotations: [1] },
    ],
  ])('makes the delta %j a message', (delta, message) => {
    const { choices } = chatCompletion(envelope, { choices: [{ index: 0, delta, finish_reason: 'stop' }] });
    expect(choices[0]!.message).toStrictEqual({ role: 'assistant', ...message });
  });
});
