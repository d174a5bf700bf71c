import type { ChatGenerationRequest } from '../../../wire/generation.js';
import { chatCompletionsRequest } from './request.js';

const chat: ChatGenerationRequest = { operation: 'chat', model: 'ours', stream: false, n: 1, messages: [{ role: 'user', content: 'x' }] };
const sent = (request: Parameters<typeof chatCompletionsRequest>[0]) =>
  JSON.parse(JSON.stringify(chatCompletionsRequest(request, 'theirs'))) as object;

describe('chatCompletionsRequest', () => {
  it('asks for the vendor’s model and for nothing that the client left to it', () => {
    expect(sent({ ...chat, temperature: undefined })).toEqual({ model: 'theirs', messages: chat.messages });
  });

  it('carries what the client sent, known or not', () => {
    const asked = {
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
    expect(sent({ ...chat, ...asked, n: 3, extra: { top_k: 4, model: 'smuggled' } })).toEqual({
      model: 'theirs',
      messages: chat.messages,
      ...asked,
      n: 3,
      top_k: 4,
    });
  });

  it('does not carry what other formats need', () => {
    const native = { wire: 'anthropic-messages' as const, body: { model: 'x' } };
    const custom_tools = [{ name: 'f' }];
    expect(sent({ ...chat, native, custom_tools })).toEqual({ model: 'theirs', messages: chat.messages });
  });

  it('always asks a stream for its usage', () => {
    expect(sent({ ...chat, stream: true })).toEqual({
      model: 'theirs',
      messages: chat.messages,
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it('carries a completion’s own parameters', () => {
    const completion = { operation: 'completion' as const, model: 'ours', stream: false, n: 1, prompt: 'p', suffix: 's', logprobs: 0 };
    expect(sent({ ...completion, echo: true })).toEqual({ model: 'theirs', prompt: 'p', suffix: 's', logprobs: 1, echo: true });
    expect(sent({ ...completion, echo: false })).not.toHaveProperty('echo');
  });
});
