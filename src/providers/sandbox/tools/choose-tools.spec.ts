import type { Tool, Message } from '../../../wire/chat-completion.js';
import type { ChatGenerationRequest } from '../../../wire/generation.js';
import { chooseTools } from './choose-tools.js';
import { scriptOf } from './script.js';
import { toolResultText } from './tool-result.js';
import { marker } from '../language/documents.js';
import { messageText, transcript } from '../response/transcript.js';
import { said } from '../../../wire/testing/said.js';

const tool = (name: string, description?: string): Tool => ({ type: 'function', function: { name, description } });
const weather = tool('get_weather', 'Get the current temperature and sky of a city');
const time = tool('getLocalTime', 'What the clock says somewhere');
const mail = tool('sendEmail');

const asking = (content: string): ChatGenerationRequest => ({
  operation: 'chat',
  model: 'm',
  stream: false,
  n: 1,
  messages: [said.user(content)],
  tools: [weather, time, mail],
});

function chosen(content: string, more: Partial<ChatGenerationRequest> = {}): string[] {
  return chooseTools({ ...asking(content), ...more }).map(({ tool: { function: called } }) => called.name);
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
    const messages: ChatGenerationRequest['messages'] = [said.user('How is the weather?'), said.result('c', 'fine')];
    expect(chosen('', { messages })).toEqual([]);
    expect(chosen('', { messages, tool_choice: 'required' })).toEqual(['get_weather']);
  });

  it('takes no longer for a very long message', () => {
    const started = performance.now();
    chosen('word '.repeat(1_000_000));
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});

const asked: Message[] = [
  said.user('How is the weather?'),
  said.assistant(null, [said.call('a', 'get_weather', '{}'), said.call('b', 'get_time', '{}')]),
];
const answerTo = (...results: Message[]) => toolResultText([...asked, ...results]);

describe('a script', () => {
  const script = ['call getLocalTime {"zone": "UTC"}', 'call sendEmail {}', 'then', 'call get_weather {"city": "Oslo"}', 'say Done.'];
  const content = `<context>\ncall sendEmail {}\n</context>\n${script.join('\n')}`;
  const after = (results: number, more: Partial<ChatGenerationRequest> = {}) =>
    chosen('', { messages: [said.user(content), ...Array.from({ length: results }, () => said.result('c', 'fine'))], ...more });

  it('is played round by round, as the results come', () => {
    expect([0, 1, 2, 3].map((results) => after(results))).toEqual([['getLocalTime', 'sendEmail'], ['sendEmail'], ['get_weather'], []]);
    expect(after(0, { parallel_tool_calls: false })).toEqual(['getLocalTime']);
    expect(after(0, { tool_choice: 'none' })).toEqual([]);
  });

  it('has the arguments and the last answer as they stand', () => {
    const read = scriptOf({ text: script.join('\n'), results: [] }, [weather, time, mail])!;
    expect(read.rounds.flat().map((call) => call.arguments)).toEqual(['{"zone": "UTC"}', '{}', '{"city": "Oslo"}']);
    expect(read.answer).toBe('Done.');
  });

  it('calls nothing that is not there, and is bounded', () => {
    expect(() => chosen('call nope {}')).toThrow(expect.objectContaining({ kind: 'invalid_request' }));
    expect(chosen('call sendEmail {not JSON}\nthen')).toEqual(['sendEmail']);
    expect(chosen(Array.from({ length: 60 }, () => 'call sendEmail {}').join('\n'))).toHaveLength(24);
  });

  it('alone calls what takes a command', () => {
    const shell: Tool = {
      type: 'function',
      function: { name: 'run_tests', parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] } },
    };
    expect(chosen('Please run the tests with run_tests "rm -rf"', { tools: [shell] })).toEqual([]);
    const [call] = chooseTools({ ...asking('Say "rm -rf"'), tools: [shell], tool_choice: 'required' });
    expect(call!.values).toEqual({ command: 'pwd' });
  });
});

describe('an answer with the results of tools', () => {
  it('says what each of them returned', () => {
    expect(
      answerTo(said.result('a', '{"temp_c": 18, "sky": ["clear", "windy"], "wind": {"speed": 3}}'), said.result('b', 'It is noon.')),
    ).toBe('According to get_weather: temp c is 18, sky is clear, windy, wind is speed is 3. According to get_time: It is noon.');
  });

  it('makes something of any result', () => {
    expect(answerTo(said.result('x', '42'))).toBe('The result is: 42.');
    expect(answerTo(said.result('a', ''))).toBe('According to get_weather: nothing was returned.');
    expect(answerTo(said.result('a', 'null'))).toBe('According to get_weather: null.');
    expect(answerTo(said.result('a', 'x'.repeat(100_000))).length).toBeLessThan(1_000);
  });
});

describe('the transcript', () => {
  it('is one turn a message', () => {
    expect([
      ...transcript([{ role: 'developer', content: 'Be kind.' }, said.user('Hello'), said.assistant('Hi'), said.result('c', '3')]),
    ]).toEqual([
      { marker: marker.system, text: 'Be kind.' },
      { marker: marker.user, text: 'Hello' },
      { marker: marker.assistant, text: 'Hi' },
      { marker: marker.tool, text: '3' },
    ]);
  });

  it('has the text of every kind of content', () => {
    expect(messageText(said.user([said.text('a'), { type: 'image_url', image_url: { url: 'u' } }]))).toBe('a\n[image_url]');
    expect(messageText({ role: 'assistant', content: null, refusal: 'No.' })).toBe('No.');
    expect(messageText({ role: 'assistant' })).toBe('');
    const call = said.call('c', 'add', '{"a":1}');
    expect(messageText(said.assistant(null, [call]))).toBe('add({"a":1})');
  });
});
