import type { Message } from '../../wire/chat-completion.js';
import { type Ceiling, promptSize } from './token-counter.js';

const sizeOf = (message: Message, ceiling: Ceiling = () => 1_500) =>
  promptSize({ operation: 'chat', model: 'm', stream: false, n: 1, messages: [message] }, ceiling);
const bytesOf = (message: Message) => sizeOf(message).bytes;

describe('promptSize', () => {
  it('counts text in UTF-8 bytes, and images separately', () => {
    expect(bytesOf({ role: 'user', content: 'Göteborg' })).toBe(9);
    const content = [
      { type: 'text', text: 'ab' },
      { type: 'image_url', image_url: { url: 'https://example.com/x.png' } },
    ];
    const { bytes, bound } = sizeOf({ role: 'user', content });
    expect(bytes).toBe(2);
    expect(bound).toBeGreaterThan(1_500);
  });

  it('counts fields that vendors add to a message', () => {
    const thinking_blocks = [{ type: 'thinking', thinking: 'x'.repeat(5_000), signature: 'y'.repeat(400) }];
    expect(bytesOf({ role: 'assistant', content: 'ok', thinking_blocks })).toBeGreaterThan(5_402);
    expect(bytesOf({ role: 'assistant', content: 'ok', reasoning_content: 'four' })).toBe(6);
    expect(bytesOf({ role: 'assistant', content: 'ok', refusal: null })).toBe(2);
  });
});
