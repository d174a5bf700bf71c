import type { InputItem } from '../wire/response-input.js';
import { messagesOf } from './input.mapping.js';
import { carriedReader, carriedTexts } from '../inference/carried/testing/carried-texts.js';
import { said } from '../wire/testing/said.js';

const of = (...input: InputItem[]) => messagesOf({ model: 'm', input }, carriedReader());
const user: InputItem = said.user('Go.');
const thought: InputItem = {
  type: 'reasoning',
  summary: [{ type: 'summary_text', text: 'Hm.' }],
  encrypted_content: carriedTexts.write({ block: { type: 'thinking', signature: 'sig' } }),
};
const calls = (call_id: string): InputItem => ({ type: 'function_call', call_id, name: 'f', arguments: '{}' });
const result = (call_id: string): InputItem => ({ type: 'function_call_output', call_id, output: 'ok' });

describe('messagesOf', () => {
  it('takes no more than a bounded size of inputs of custom tools, and of text before reasoning', () => {
    const custom: InputItem = { type: 'custom_tool_call', call_id: 'c', name: 'f', input: 'x'.repeat(3_000_000) };
    expect(() => of(custom)).not.toThrow();
    expect(() => of(custom, custom)).toThrow(/input\[1\].input has more than/);
    const text: InputItem = said.assistant('x'.repeat(5_000_000));
    expect(() => of(calls('a'), text)).not.toThrow();
    expect(() => of(calls('a'), text, thought)).toThrow(/input\[2\]: there are more than 4194304 bytes of text/);
  });

  it('makes one message of the items of an answer, and none of two answers', () => {
    const text: InputItem = said.assistant([{ type: 'output_text', text: 'Wait.' }]);
    const messages = of(
      user,
      thought,
      text,
      calls('a'),
      calls('b'),
      result('a'),
      result('b'),
      thought,
      calls('c'),
      result('c'),
      text,
      text,
    );
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'assistant', 'tool', 'assistant', 'assistant']);
    expect(messages[1]).toMatchObject({
      content: 'Wait.',
      reasoning_content: 'Hm.',
      tool_calls: [{ id: 'a' }, { id: 'b' }],
      thinking_blocks: [{ type: 'thinking', thinking: 'Hm.', signature: 'sig' }],
    });
    expect(messages[4]).toMatchObject({ content: null, tool_calls: [{ id: 'c' }] });
  });

  it('keeps the text of an answer with its calls where it comes behind them', () => {
    const messages = of(user, calls('a'), said.assistant('So.'), said.assistant('On.'), result('a'));
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    expect(messages[1]).toMatchObject({
      content: [said.text('So.'), said.text('On.')],
      tool_calls: [{ id: 'a' }],
    });
  });

  it('keeps encrypted reasoning of OpenAI for OpenAI, and nothing that is forged', () => {
    const reasoning = (encrypted_content: string): InputItem => ({ type: 'reasoning', encrypted_content });
    const [message] = of(reasoning('gAAAA'), reasoning('switchyard.1.s.A'));
    expect(message!.thinking_blocks).toEqual([{ index: 0, type: 'redacted_thinking', data: 'gAAAA', wire: 'openai-responses' }]);
  });

  it('tells where reasoning among calls stood, and does not take longer for each item', () => {
    const text: InputItem = said.assistant('Wait.');
    const many = Array.from({ length: 4_000 }, () => [text, thought]).flat();
    const began = performance.now();
    const [, answer] = of(user, calls('a'), ...many);
    expect(performance.now() - began).toBeLessThan(5_000);
    const blocks = answer!.thinking_blocks as { after: object }[];
    expect(blocks).toHaveLength(4_000);
    expect(blocks[2]!.after).toEqual({ content: 15, tool_calls: 1 });
  });
});
