import type { Message, Tool } from '../../wire/chat-completion.js';
import type { ChatGenerationRequest } from '../../wire/generation.js';
import { describeLongTexts } from '../testing/describe-long-texts.js';
import { chatBody } from './request.js';
import { said } from '../../wire/testing/said.js';

const user: Message = said.user('Ahoj');
const base: ChatGenerationRequest = { operation: 'chat', model: 'm', stream: true, n: 1, messages: [user] };

function sent(more: Partial<ChatGenerationRequest>, upstreamModel = 'command-a-03-2025') {
  const dropped: string[] = [];
  const body = chatBody({ ...base, ...more }, upstreamModel, {}, (parameter) => dropped.push(parameter));
  return { body: JSON.parse(JSON.stringify(body)) as Record<string, unknown>, dropped };
}

const messages = (...given: Message[]) => sent({ messages: given }).body['messages'];

const call = (text: string) => ({ id: 'c1', type: 'function' as const, function: { name: 'look', arguments: text } });
const result: Message = said.result('c1', 'fog');

describe('the messages', () => {
  it('keep their order and their roles; a developer is a system', () => {
    const system = said.system('Be brief.');
    expect(messages({ role: 'developer', content: 'Be brief.' }, user, said.assistant('Hi'), user)).toEqual([
      system,
      user,
      said.assistant('Hi'),
      user,
    ]);
  });

  it('have parts of text and images, with the details that Cohere knows', () => {
    const image = (url: string, detail?: string) => ({ type: 'image_url', image_url: { url, ...(detail && { detail }) } });
    const text = said.text('What is it?');
    const content = [text, image('https://pictures.example/1.png', 'low'), image('data:image/png;base64,AAAA', 'original')];
    expect(messages(said.user(content))).toEqual([
      said.user([text, image('https://pictures.example/1.png', 'low'), image('data:image/png;base64,AAAA')]),
    ]);
  });

  it.each<[string, Message, RegExp]>([
    ['sound', said.user([{ type: 'input_audio', input_audio: {} }]), /^messages\[0\]\.content\[0\] has the type 'input_audio'/],
    ['a file', said.user([{ type: 'file', file: {} }]), /'file'/],
    ['an image of a system', said.system([{ type: 'image_url', image_url: { url: 'data:,' } }]), /'image_url'/],
    ['an image in a result', { ...result, content: [{ type: 'image_url', image_url: { url: 'data:,' } }] }, /'image_url'/],
    ['another scheme', said.user([{ type: 'image_url', image_url: { url: 'gs://b/1.png' } }]), /must be http/],
  ])('refuse %s', (_, message, why) => {
    expect(() => messages(message)).toThrow(expect.objectContaining({ kind: 'invalid_request', message: expect.stringMatching(why) }));
  });

  it('take the text beside calls for their plan', () => {
    const turn: Message = said.assistant([said.text('I look.')], [call('{"at":"sea"}')]);
    expect(messages(user, turn, result)).toEqual([
      user,
      { role: 'assistant', tool_plan: 'I look.', tool_calls: [call('{"at":"sea"}')] },
      result,
    ]);
    expect(messages(user, said.assistant(null, [call(' ')]), result)).toEqual([
      user,
      { role: 'assistant', tool_calls: [call('{}')] },
      result,
    ]);
  });

  it('give thoughts back before calls alone, and only to models that think', () => {
    const turn = (tool_calls?: Message['tool_calls']): Message => ({
      role: 'assistant',
      content: 'Fog.',
      reasoning_content: 'Hm.',
      tool_calls,
    });
    const given = { messages: [user, turn([call('{}')]), result, turn(), user] };
    const [, first, , last] = sent(given, 'command-a-reasoning-08-2025').body['messages'] as object[];
    expect(first).toMatchObject({ content: [{ type: 'thinking', thinking: 'Hm.' }], tool_plan: 'Fog.' });
    expect(last).toEqual(said.assistant('Fog.'));
    expect(JSON.stringify(sent(given).body)).not.toContain('Hm.');
  });

  it('leave out an assistant that said nothing, and keep a refusal', () => {
    expect(messages(user, said.assistant(''), user)).toEqual([user, user]);
    expect(messages(user, { role: 'assistant', content: null, refusal: 'No.' })).toEqual([user, said.assistant('No.')]);
  });
});

describe('the tools', () => {
  const tool = (name: string, strict?: boolean): Tool => ({
    type: 'function',
    function: { name, description: 'Looks', parameters: { type: 'object' }, ...(strict !== undefined && { strict }) },
  });
  const names = (body: Record<string, unknown>) => (body['tools'] as Tool[]).map(({ function: { name } }) => name);

  it('are declared in Cohere’s form', () => {
    const { body, dropped } = sent({ tools: [tool('look')], parallel_tool_calls: false });
    expect(body['tools']).toEqual([{ type: 'function', function: { name: 'look', description: 'Looks', parameters: { type: 'object' } } }]);
    expect(body).not.toHaveProperty('tool_choice');
    expect(dropped).toEqual(['parallel_tool_calls']);
  });

  it.each([
    ['auto', undefined, ['a', 'b']],
    ['none', 'NONE', ['a', 'b']],
    ['required', 'REQUIRED', ['a', 'b']],
    [{ type: 'function', function: { name: 'b' } }, 'REQUIRED', ['b']],
  ] as const)('are chosen from as %j says', (tool_choice, expected, offered) => {
    const { body } = sent({ tools: [tool('a'), tool('b')], tool_choice });
    expect([body['tool_choice'], names(body)]).toEqual([expected, offered]);
  });

  it('are strict where all of them are', () => {
    expect(sent({ tools: [tool('a', true), tool('b', true)] }).body['strict_tools']).toBe(true);
    const some = sent({ tools: [tool('a', true), tool('b')] });
    expect([some.body['strict_tools'], some.dropped]).toEqual([undefined, ['tools.strict']]);
    expect(sent({ tools: [tool('a', false)] })).toMatchObject({ dropped: [] });
  });
});

describe('the parameters', () => {
  it('have Cohere’s names', () => {
    expect(sent({ max_tokens: 9, stop: ['a'], temperature: 0, top_p: 0.5, seed: 7, presence_penalty: 1, frequency_penalty: 0 })).toEqual({
      body: {
        model: 'command-a-03-2025',
        stream: true,
        messages: [user],
        max_tokens: 9,
        stop_sequences: ['a'],
        temperature: 0,
        p: 0.5,
        seed: 7,
        presence_penalty: 1,
        frequency_penalty: 0,
      },
      dropped: [],
    });
  });

  it('are moved into Cohere’s range, and told to be', () => {
    const { body, dropped } = sent({ top_p: 1, presence_penalty: 2, frequency_penalty: -0.5 });
    expect(body).toMatchObject({ p: 0.99, presence_penalty: 1, frequency_penalty: 0 });
    expect(dropped).toEqual(['top_p', 'presence_penalty', 'frequency_penalty']);
    expect(sent({ top_p: 0 }).body['p']).toBe(0.01);
  });

  it('stop at five sequences at most', () => {
    expect(() => sent({ stop: ['1', '2', '3', '4', '5', '6'] })).toThrow(/at most 5 stop sequences, not 6/);
  });

  it.each([
    ['none', { type: 'disabled' }],
    ['minimal', { type: 'disabled' }],
    ['low', { type: 'enabled', token_budget: 2_048 }],
    ['medium', { type: 'enabled', token_budget: 8_192 }],
    ['high', { type: 'enabled' }],
    ['constructor', { type: 'enabled' }],
  ])('make of the effort %s the thinking %j', (reasoning_effort, thinking) => {
    expect(sent({ reasoning_effort }).body['thinking']).toEqual(thinking);
    const own = { type: 'enabled', token_budget: 500 };
    expect(sent({ reasoning_effort, extra: { thinking: own } }).body['thinking']).toEqual(own);
  });

  it('demand JSON, with a schema and without', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
    const format = (response_format: ChatGenerationRequest['response_format']) => sent({ response_format }).body['response_format'];
    expect(format({ type: 'json_schema', json_schema: { name: 'n', schema } })).toEqual({ type: 'json_object', json_schema: schema });
    expect(format({ type: 'json_schema', json_schema: { name: 'n' } })).toEqual({ type: 'json_object' });
    expect(format({ type: 'json_object' })).toEqual({ type: 'json_object' });
    expect(format({ type: 'text' })).toBeUndefined();
  });

  it('are Cohere’s own as the client says them, and nothing else', () => {
    const own = { documents: ['x'], citation_options: { mode: 'FAST' }, safety_mode: 'STRICT', k: 7, priority: 3, strict_tools: true };
    const { body, dropped } = sent({ user: 'u', extra: { ...own, top_k: 40, raw_prompting: true, thinking: null } });
    expect(body).toMatchObject(own);
    expect(body).not.toHaveProperty('raw_prompting');
    expect(body).not.toHaveProperty('thinking');
    expect(dropped).toEqual(['user', 'raw_prompting']);
    expect(sent({ extra: { top_k: 40 } }).body['k']).toBe(40);
  });
});

describe('chatBody of a large request', () => {
  describeLongTexts((request) => chatBody(request, 'command-a-reasoning-08-2025', {}, () => undefined));
});
