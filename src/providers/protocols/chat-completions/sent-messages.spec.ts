import type { Message } from '../../../wire/chat-completion.js';
import { sentMessages } from './sent-messages.js';
import type { ChatGenerationRequest } from '../../../wire/generation.js';
import { chatCompletionsRequest } from './request.js';
import { said } from '../../../wire/testing/said.js';

const sent = (messages: Message[]) => JSON.parse(JSON.stringify(sentMessages(messages))) as unknown;
const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };

describe('messages in the format of chat completions', () => {
  it('go on as the same array where the format has all of it', () => {
    const messages: Message[] = [
      said.user([image]),
      { role: 'assistant', content: null, thinking_blocks: [null, { type: 'thinking', signature: 'b' }] },
      said.result('a', [said.text('x')]),
    ];
    expect(sentMessages(messages)).toBe(messages);
  });

  it('show images of tools’ results behind all results of the turn', () => {
    const next: Message = said.user('And now?');
    expect(
      sent([
        { role: 'tool', tool_call_id: 'a', content: [said.text('x'), image], is_error: true },
        said.result('b', [image]),
        next,
        { role: 'tool', tool_call_id: 'c', content: 'failed', is_error: true },
      ]),
    ).toEqual([
      said.result('a', [said.text('x')]),
      said.result('b', 'The result is in the next message of the user.'),
      said.user([said.text('The result of the tool call a:'), image, said.text('The result of the tool call b:'), image]),
      next,
      said.result('c', 'failed'),
    ]);
  });

  it.each<[string, Parameters<typeof sentMessages>[1], object]>([
    ['both names', undefined, { reasoning_content: 'b', reasoning: 'b' }],
    ['the older name', ['reasoning_content'], { reasoning_content: 'b' }],
    ['the newer name', ['reasoning'], { reasoning: 'b' }],
    ['no name', [], {}],
  ])('have reasoning where the server reads it: %s', (_what, names, reasoning) => {
    const message: Message = { role: 'assistant', content: 'a', reasoning_content: 'b' };
    expect(JSON.parse(JSON.stringify(sentMessages([message], names)))).toEqual([{ role: 'assistant', content: 'a', ...reasoning }]);
  });

  it('have no reasoning that another format has signed', () => {
    const own = { index: 1, type: 'thinking', thinking: 'b' };
    const thinking_blocks = [{ index: 0, type: 'redacted_thinking', data: 'x', wire: 'openai-responses' }];
    const message: Message = said.assistant('Hi');
    expect(sent([{ ...message, thinking_blocks }])).toEqual([message]);
    const both = [{ ...message, thinking_blocks: [...thinking_blocks, own] }];
    expect(sent(both)).toEqual([{ ...message, thinking_blocks: [own] }]);
    expect(JSON.parse(JSON.stringify(sentMessages(both, [])))).toEqual([message]);
  });
});

describe('chatCompletionsRequest', () => {
  const chat: ChatGenerationRequest = { operation: 'chat', model: 'ours', stream: false, n: 1, messages: [said.user('x')] };
  const asked = (request: Parameters<typeof chatCompletionsRequest>[0]) =>
    JSON.parse(JSON.stringify(chatCompletionsRequest(request, 'theirs'))) as object;

  it('asks for the vendor’s model and for nothing that the client left to it', () => {
    expect(asked({ ...chat, temperature: undefined })).toEqual({ model: 'theirs', messages: chat.messages });
  });

  it('carries what the client sent, known or not', () => {
    const parameters = {
      temperature: 0,
      max_tokens: 5,
      stop: ['a'],
      seed: 1,
      tools: [{ type: 'function' as const, function: { name: 'f' } }],
      tool_choice: 'auto' as const,
      response_format: { type: 'json_object' as const },
      logprobs: true,
      top_logprobs: 2,
    };
    expect(asked({ ...chat, ...parameters, n: 3, extra: { top_k: 4, model: 'smuggled' } })).toEqual({
      model: 'theirs',
      messages: chat.messages,
      ...parameters,
      n: 3,
      top_k: 4,
    });
  });

  it('does not carry what other formats need', () => {
    const native = { wire: 'anthropic-messages' as const, body: { model: 'x' } };
    const custom_tools = [{ name: 'f' }];
    expect(asked({ ...chat, native, custom_tools })).toEqual({ model: 'theirs', messages: chat.messages });
  });

  it('always asks a stream for its usage', () => {
    expect(asked({ ...chat, stream: true })).toEqual({
      model: 'theirs',
      messages: chat.messages,
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it('carries a completion’s own parameters', () => {
    const completion = { operation: 'completion' as const, model: 'ours', stream: false, n: 1, prompt: 'p', suffix: 's', logprobs: 0 };
    expect(asked({ ...completion, echo: true })).toEqual({ model: 'theirs', prompt: 'p', suffix: 's', logprobs: 1, echo: true });
    expect(asked({ ...completion, echo: false })).not.toHaveProperty('echo');
  });
});
