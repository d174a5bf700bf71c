import type { Message } from '../../../wire/chat-completion.js';
import { toolResultText } from './tool-result.js';

const asked: Message[] = [
  { role: 'user', content: 'How is the weather?' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [
      { id: 'a', type: 'function', function: { name: 'get_weather', arguments: '{}' } },
      { id: 'b', type: 'function', function: { name: 'get_time', arguments: '{}' } },
    ],
  },
];
const answerTo = (...results: Message[]) => toolResultText([...asked, ...results]);

describe('an answer with the results of tools', () => {
  it('says what each of them returned', () => {
    expect(
      answerTo(
        { role: 'tool', tool_call_id: 'a', content: '{"temp_c": 18, "sky": ["clear", "windy"], "wind": {"speed": 3}}' },
        { role: 'tool', tool_call_id: 'b', content: 'It is noon.' },
      ),
    ).toBe('According to get_weather: temp c is 18, sky is clear, windy, wind is speed is 3. According to get_time: It is noon.');
  });

  it('makes something of any result', () => {
    expect(answerTo({ role: 'tool', tool_call_id: 'x', content: '42' })).toBe('The result is: 42.');
    expect(answerTo({ role: 'tool', tool_call_id: 'a', content: '' })).toBe('According to get_weather: nothing was returned.');
    expect(answerTo({ role: 'tool', tool_call_id: 'a', content: 'null' })).toBe('According to get_weather: null.');
    expect(answerTo({ role: 'tool', tool_call_id: 'a', content: 'x'.repeat(100_000) }).length).toBeLessThan(1_000);
  });
});
