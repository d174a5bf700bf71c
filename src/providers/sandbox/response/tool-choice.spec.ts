import type { Tool } from '../../../wire/chat-completion.js';
import type { ChatGenerationRequest } from '../../../wire/generation.js';
import { chooseTools } from './tool-choice.js';

const tool = (name: string, description?: string): Tool => ({ type: 'function', function: { name, description } });
const weather = tool('get_weather', 'Get the current temperature and sky of a city');
const time = tool('getLocalTime', 'What the clock says somewhere');
const mail = tool('sendEmail');

function chosen(content: string, more: Partial<ChatGenerationRequest> = {}): string[] {
  const messages = [{ role: 'user' as const, content }];
  const request: ChatGenerationRequest = {
    operation: 'chat',
    model: 'm',
    stream: false,
    n: 1,
    messages,
    tools: [weather, time, mail],
    ...more,
  };
  return chooseTools(request).map(({ tool: { function: called } }) => called.name);
}

describe('the choice of tools', () => {
  it.each([
    ['How is the weather in Oslo?', ['get_weather']],
    ['please call getLocalTime', ['getLocalTime']],
    ['Send two emails to Eve', ['sendEmail']],
    ['Which temperature does the city have?', ['get_weather']],
    ['What time is it, and how is the weather?', ['getLocalTime', 'get_weather']],
    ['Tell me a joke', []],
    ['Get me what you can find', []],
    ['', []],
  ])('for %j is %j', (question, names) => {
    expect(chosen(question).sort()).toEqual([...names].sort());
  });

  it('obeys tool_choice', () => {
    expect(chosen('How is the weather?', { tool_choice: 'none' })).toEqual([]);
    expect(chosen('Hello', { tool_choice: 'required' })).toEqual(['get_weather']);
    expect(chosen('What time is it?', { tool_choice: 'required' })).toEqual(['getLocalTime']);
    expect(chosen('How is the weather?', { tool_choice: { type: 'function', function: { name: 'sendEmail' } } })).toEqual(['sendEmail']);
    expect(() => chosen('Hello', { tool_choice: { type: 'function', function: { name: 'nope' } } })).toThrow(
      expect.objectContaining({ kind: 'invalid_request' }),
    );
  });

  it('is one at most where calls must not be parallel', () => {
    expect(chosen('What time is it, and how is the weather?', { parallel_tool_calls: false })).toHaveLength(1);
  });

  it('is none after a tool has answered, unless one is required', () => {
    const messages: ChatGenerationRequest['messages'] = [
      { role: 'user', content: 'How is the weather?' },
      { role: 'tool', tool_call_id: 'c', content: 'fine' },
    ];
    expect(chosen('', { messages })).toEqual([]);
    expect(chosen('', { messages, tool_choice: 'required' })).toEqual(['get_weather']);
  });

  it('takes no longer for a very long message', () => {
    const started = performance.now();
    chosen('word '.repeat(1_000_000));
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});
