import { longTextAt, putLongText } from '../json/long-text.js';
import { unreadText } from '../json/testing/unread-text.js';
import { canonicalMessages, type ClientMessage } from './client-messages.js';

const canonical = (messages: ClientMessage[]) => JSON.parse(JSON.stringify(canonicalMessages(messages))) as unknown;

describe('canonicalMessages', () => {
  it('is the same array where nothing changes', () => {
    const messages: ClientMessage[] = [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b', reasoning_content: 'r', tool_calls: null },
      { role: 'tool', tool_call_id: 'c', content: 'd' },
    ];
    expect(canonicalMessages(messages)).toBe(messages);
  });

  it('gives calls and results of functions ids of their own', () => {
    const called = (name: string) => ({ name, arguments: '{}' });
    expect(
      canonical([
        { role: 'assistant', content: null, function_call: called('f') },
        { role: 'function', name: 'f', content: '1' },
        { role: 'assistant', content: null, function_call: called('f') },
        { role: 'function', name: 'f', content: '2' },
        { role: 'function', name: 'g', content: '3' },
      ]),
    ).toEqual([
      { role: 'assistant', content: null, tool_calls: [{ id: 'call_0', type: 'function', function: called('f') }] },
      { role: 'tool', tool_call_id: 'call_0', content: '1' },
      { role: 'assistant', content: null, tool_calls: [{ id: 'call_1', type: 'function', function: called('f') }] },
      { role: 'tool', tool_call_id: 'call_1', content: '2' },
      { role: 'tool', tool_call_id: 'call_2', content: '3' },
    ]);
  });

  it('makes calls of custom tools those of functions, beside others', () => {
    const other = { id: 'b', type: 'function' as const, function: { name: 'g', arguments: '{}' } };
    const custom = { id: 'a', type: 'custom' as const, custom: { name: 'f', input: 'x "y"' } };
    expect(canonical([{ role: 'assistant', content: null, tool_calls: [custom, other] }])).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"input":"x \\"y\\""}' } }, other],
      },
    ]);
  });

  it('gives reasoning one name, whichever the client has sent, and does not decode it', () => {
    const said = { role: 'assistant' as const, content: 'a' };
    expect(canonical([{ ...said, reasoning: 'r' }])).toEqual([{ ...said, reasoning_content: 'r' }]);
    expect(canonical([{ ...said, reasoning: 'r', reasoning_content: 'r' }])).toEqual([{ ...said, reasoning_content: 'r' }]);
    expect(canonical([{ ...said, reasoning: 'r', reasoning_content: null }])).toEqual([{ ...said, reasoning_content: 'r' }]);
    const long: ClientMessage = { ...said };
    putLongText(long, 'reasoning', unreadText({ bytes: 70_000 }));
    const [message] = canonicalMessages([long]);
    expect(longTextAt(message!, 'reasoning_content')).toBeDefined();
    expect(longTextAt(message!, 'reasoning')).toBeUndefined();
  });
});
