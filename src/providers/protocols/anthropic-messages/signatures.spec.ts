import type { Message } from '../../../wire/chat-completion.js';
import { placedBlocks } from './signatures.js';

const blocks = (fields: Partial<Message>) => placedBlocks({ role: 'assistant', content: 'x', ...fields });

describe('placedBlocks', () => {
  it('reads our own blocks with their place, and those of other gateways without', () => {
    const thinking = { type: 'thinking', thinking: 'Hm', signature: 's' };
    const redacted = { type: 'redacted_thinking', data: 'd' };
    expect(
      blocks({
        thinking_blocks: [
          { index: 0, ...thinking, after: { content: 3, tool_calls: 1 } },
          redacted,
          { ...redacted, wire: 'openai-responses' },
        ],
      }),
    ).toEqual([
      { block: thinking, content: 3, toolCalls: 1 },
      { block: redacted, content: 0, toolCalls: 0 },
    ]);
  });

  it('reads the reasoning details of OpenRouter', () => {
    const reasoning_details = [
      { type: 'reasoning.text', text: 'Hm', signature: 's', format: 'anthropic-claude-v1', index: 0 },
      { type: 'reasoning.encrypted', data: 'd' },
      { type: 'reasoning.summary', summary: 'Hm' },
    ];
    expect(blocks({ reasoning_details }).map(({ block }) => block)).toEqual([
      { type: 'thinking', thinking: 'Hm', signature: 's' },
      { type: 'redacted_thinking', data: 'd' },
    ]);
  });

  it('leaves out what is not signed and what is no block', () => {
    const unsigned = { type: 'thinking', thinking: 'Hm' };
    for (const thinking_blocks of [undefined, null, 'x', [unsigned, { ...unsigned, signature: '' }, 1, null, {}]]) {
      expect(blocks({ thinking_blocks, reasoning_content: 'Hm' })).toEqual([]);
    }
    const odd = { type: 'thinking', signature: 's', after: { content: -1, tool_calls: 'many' } };
    expect(blocks({ thinking_blocks: [odd] })).toEqual([
      { block: { type: 'thinking', thinking: '', signature: 's' }, content: 0, toolCalls: 0 },
    ]);
  });
});
