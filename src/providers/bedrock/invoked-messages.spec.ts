import type { ChatGenerationRequest } from '../../wire/generation.js';
import { InvokedMessagesDecoder, invokedBody } from './invoked-messages.js';
import { traitsOf } from './model-traits.js';

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

  it('with a frame of another kind is an error', () => {
    expect(() => new InvokedMessagesDecoder([]).event('messageStart', '{}')).toThrow('no part of a message');
  });
});
