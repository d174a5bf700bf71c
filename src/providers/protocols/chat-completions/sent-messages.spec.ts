import type { Message } from '../../../wire/chat-completion.js';
import { sentMessages } from './sent-messages.js';

const sent = (messages: Message[]) => JSON.parse(JSON.stringify(sentMessages(messages))) as unknown;
const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };

describe('messages in the format of chat completions', () => {
  it('go on as the same array where the format has all of it', () => {
    const messages: Message[] = [
      { role: 'user', content: [image] },
      { role: 'assistant', content: null, thinking_blocks: [null, { type: 'thinking', signature: 'b' }] },
      { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'x' }] },
    ];
    expect(sentMessages(messages)).toBe(messages);
  });

  it('show images of tools’ results behind all results of the turn', () => {
    const next: Message = { role: 'user', content: 'And now?' };
    expect(
      sent([
        { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'x' }, image], is_error: true },
        { role: 'tool', tool_call_id: 'b', content: [image] },
        next,
        { role: 'tool', tool_call_id: 'c', content: 'failed', is_error: true },
      ]),
    ).toEqual([
      { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'x' }] },
      { role: 'tool', tool_call_id: 'b', content: 'The result is in the next message of the user.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'The result of the tool call a:' },
          image,
          { type: 'text', text: 'The result of the tool call b:' },
          image,
        ],
      },
      next,
      { role: 'tool', tool_call_id: 'c', content: 'failed' },
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
    const message: Message = { role: 'assistant', content: 'Hi' };
    expect(sent([{ ...message, thinking_blocks }])).toEqual([message]);
    expect(sent([{ ...message, thinking_blocks: [...thinking_blocks, own] }])).toEqual([{ ...message, thinking_blocks: [own] }]);
  });
});
