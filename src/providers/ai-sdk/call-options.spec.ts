import type { ContentPart, Message } from '../../wire/chat-completion.js';
import type { ChatGenerationRequest } from '../../wire/generation.js';
import { callOptions, versionOptions } from './call-options.js';
import { said } from '../../wire/testing/said.js';

const urls = { 'image/*': [/^https:\/\/.*$/], 'application/pdf': [/^https:\/\//] };
const user: Message = said.user('hello');
const nested = `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;

const optionsOf = (request: Partial<ChatGenerationRequest>, dropped: string[] = []) =>
  callOptions({ operation: 'chat', model: 'm', stream: true, n: 1, messages: [user], ...request }, urls, undefined, (name) =>
    dropped.push(name),
  );
const promptOf = (...messages: Message[]) => optionsOf({ messages }).prompt;
const partOf = (part: ContentPart) => {
  const [message] = promptOf(said.user([part]));
  return message?.role === 'user' ? message.content[0] : undefined;
};

describe('a request as options of a call', () => {
  it('has its messages in their order', () => {
    const prompt = promptOf(
      said.system('rule'),
      {
        role: 'developer',
        content: [said.text('ru'), said.text('le')],
      },
      user,
      {
        role: 'assistant',
        content: 'I look',
        reasoning_content: 'Why?',
        tool_calls: [said.call('1', 'look', '{"a":1}'), said.call('2', 'now', '')],
      },
      said.result('1', 'seen'),
      said.result('2', [said.text('12:00')]),
      { role: 'assistant', content: null, refusal: 'No.' },
      said.user([said.text('Why?')]),
    );
    expect(prompt).toEqual([
      said.system('rule'),
      said.system('rule'),
      said.user([said.text('hello')]),
      said.assistant([
        { type: 'reasoning', text: 'Why?' },
        said.text('I look'),
        { type: 'tool-call', toolCallId: '1', toolName: 'look', input: { a: 1 } },
        { type: 'tool-call', toolCallId: '2', toolName: 'now', input: {} },
      ]),
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: '1', toolName: 'look', output: { type: 'text', value: 'seen' } },
          { type: 'tool-result', toolCallId: '2', toolName: 'now', output: { type: 'text', value: '12:00' } },
        ],
      },
      said.assistant([said.text('No.')]),
      said.user([said.text('Why?')]),
    ]);
  });

  it('has the proofs of reasoning and calls that a client sends back, and none of its ids', () => {
    const signed = { anthropic: { signature: 'S', itemId: 'rs_1' } };
    const reasoning = [{ length: 6, signed }, { length: 0, signed: { anthropic: { redactedData: 'R' } } }, { length: 7 }];
    const call = said.call('1', 'look', '{}');
    const message: Message = {
      role: 'assistant',
      content: null,
      reasoning_content: 'First.\n\nSecond.',
      extra_content: { ai_sdk: { reasoning } },
      tool_calls: [{ ...call, extra_content: { ai_sdk: { google: { thoughtSignature: 'T', itemId: 'fc_1' } } } }],
    };
    expect(promptOf(message)).toEqual([
      said.assistant([
        { type: 'reasoning', text: 'First.', providerOptions: { anthropic: { signature: 'S' } } },
        { type: 'reasoning', text: '', providerOptions: { anthropic: { redactedData: 'R' } } },
        { type: 'reasoning', text: 'Second.' },
        { type: 'tool-call', toolCallId: '1', toolName: 'look', input: {}, providerOptions: { google: { thoughtSignature: 'T' } } },
      ]),
    ]);
    for (const changed of ['First, Second.', 'First.\n\nSecond. Third.', 'First.']) {
      const [one] = promptOf({ ...message, reasoning_content: changed, tool_calls: [] });
      expect(one?.content).toEqual([{ type: 'reasoning', text: changed }]);
    }
    for (const broken of [[{ length: -1 }], [{ length: 1.5 }], ['x'], 'x']) {
      const [one] = promptOf({ ...message, extra_content: { ai_sdk: { reasoning: broken } }, tool_calls: [] });
      expect(one?.content).toEqual([{ type: 'reasoning', text: 'First.\n\nSecond.' }]);
    }
  });

  it('has images, sound, video and files', () => {
    const inline = (mediaType: string) => ({ type: 'file', mediaType, data: { type: 'data', data: 'AAAA' } });
    expect(partOf({ type: 'image_url', image_url: { url: 'data:image/PNG;base64,AAAA' } })).toEqual(inline('image/png'));
    expect(partOf({ type: 'video_url', video_url: { url: 'data:video/mp4;base64,AAAA' } })).toEqual(inline('video/mp4'));
    expect(partOf({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } })).toEqual(inline('audio/mpeg'));
    expect(partOf({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } })).toEqual(inline('audio/wav'));
    const file = { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' };
    expect(partOf({ type: 'file', file })).toEqual({ ...inline('application/pdf'), filename: 'a.pdf' });
    expect(partOf({ type: 'image_url', image_url: { url: 'https://example.com/a.png' } })).toEqual({
      type: 'file',
      mediaType: 'image/*',
      data: { type: 'url', url: new URL('https://example.com/a.png') },
    });
  });

  it.each<[string, ContentPart]>([
    ['an address that the model does not take', { type: 'image_url', image_url: { url: 'http://example.com/a.png' } }],
    ['an address of a kind that it does not take', { type: 'video_url', video_url: { url: 'https://example.com/a.mp4' } }],
    ['no address', { type: 'image_url' }],
    ['an address that is none', { type: 'image_url', image_url: { url: 'a.png' } }],
    ['a file of this machine', { type: 'image_url', image_url: { url: 'file:///etc/passwd' } }],
    ['data that is not base64', { type: 'image_url', image_url: { url: 'data:image/png,AAAA' } }],
    ['the id of a file', { type: 'file', file: { file_id: 'file-1' } }],
    ['sound without its format', { type: 'input_audio', input_audio: { data: 'AAAA' } }],
    ['a part of another type', { type: 'hologram' }],
  ])('is refused with %s', (_, part) => {
    expect(() => partOf(part)).toThrow(
      expect.objectContaining({ kind: 'invalid_request', message: expect.stringContaining('messages[0].content[0] ') as string }),
    );
  });

  it.each<[string, Message[], RegExp]>([
    ['arguments that are no JSON', [{ role: 'assistant', tool_calls: [said.call('x', 'f', '{')] }], /tool call 'x' are not a JSON object/],
    [
      'arguments that are too deep to be written again',
      [{ role: 'assistant', tool_calls: [said.call('x', 'f', nested)] }],
      /tool call 'x' are not a JSON object of at most 100 levels/,
    ],
    ['the result of no call', [said.result('y', 'seen')], /messages\[0\] is the result of a tool call that no message before it has/],
    [
      'an image among tool results',
      [{ role: 'tool', tool_call_id: 'y', name: 'f', content: [{ type: 'image_url' }] }],
      /messages\[0\]\.content\[0\] has the type 'image_url'/,
    ],
  ])('is refused with %s', (_, messages, message) => {
    expect(() => promptOf(...messages)).toThrow(message);
  });

  it('has what the request asks for, and nothing else', () => {
    expect(Object.keys(optionsOf({}))).toEqual(['prompt']);
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    const dropped: string[] = [];
    const options = optionsOf(
      {
        max_tokens: 7,
        temperature: 0.5,
        top_p: 0.25,
        presence_penalty: 0.1,
        frequency_penalty: 0.2,
        seed: 3,
        stop: ['.'],
        reasoning_effort: 'low',
        tools: [
          { type: 'function', function: { name: 'look', description: 'looks', parameters: schema, strict: true } },
          { type: 'function', function: { name: 'now' } },
        ],
        tool_choice: { type: 'function', function: { name: 'look' } },
        response_format: { type: 'json_schema', json_schema: { name: 'form', description: 'a form', schema, strict: true } },
        extra: { top_k: 40 },
      },
      dropped,
    );
    expect({ ...options, prompt: undefined }).toEqual({
      maxOutputTokens: 7,
      temperature: 0.5,
      topP: 0.25,
      topK: 40,
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
      seed: 3,
      stopSequences: ['.'],
      reasoning: 'low',
      tools: [
        { type: 'function', name: 'look', description: 'looks', inputSchema: schema, strict: true },
        { type: 'function', name: 'now', inputSchema: { type: 'object', properties: {} } },
      ],
      toolChoice: { type: 'tool', toolName: 'look' },
      responseFormat: { type: 'json', name: 'form', description: 'a form', schema },
    });
    expect(dropped).toEqual([]);
    for (const choice of ['none', 'auto', 'required'] as const) {
      const tools = [{ type: 'function' as const, function: { name: 'now' } }];
      expect(optionsOf({ tools, tool_choice: choice }).toolChoice).toEqual({ type: choice });
    }
    expect(optionsOf({ response_format: { type: 'text' } }).responseFormat).toEqual({ type: 'text' });
    expect(optionsOf({ response_format: { type: 'json_object' } }).responseFormat).toEqual({ type: 'json' });
  });

  it('names what the AI SDK has no place for', () => {
    const dropped: string[] = [];
    optionsOf(
      { user: 'u', logit_bias: { '1': 2 }, parallel_tool_calls: false, reasoning_effort: 'extreme', extra: { min_p: 0.1 } },
      dropped,
    );
    expect(dropped).toEqual(['reasoning_effort', 'user', 'logit_bias', 'parallel_tool_calls', 'min_p']);
  });

  it('has files without a tag and no reasoning in version v3', () => {
    const images: ContentPart[] = ['data:image/png;base64,AAAA', 'https://example.com/a.png'].map((url) => ({
      type: 'image_url',
      image_url: { url },
    }));
    const options = optionsOf({
      reasoning_effort: 'low',
      seed: 1,
      messages: [said.user([...images, said.text('See?')])],
    });
    expect(versionOptions(options, { specificationVersion: 'v4' })).toBe(options);
    expect(versionOptions(options, { specificationVersion: 'v3' })).toEqual({
      seed: 1,
      prompt: [
        said.user([
          { type: 'file', mediaType: 'image/png', data: 'AAAA' },
          { type: 'file', mediaType: 'image/*', data: new URL('https://example.com/a.png') },
          said.text('See?'),
        ]),
      ],
    });
  });
});
