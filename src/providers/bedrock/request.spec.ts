import type * as aws from '@aws-sdk/client-bedrock-runtime';
import type * as ours from './wire.js';
import fc from 'fast-check';
import { deepFreeze } from '../../config/deep-freeze.js';
import type { Message, Tool } from '../../wire/chat-completion.js';
import type { ChatGenerationRequest } from '../../wire/generation.js';
import { describeLongTexts } from '../testing/describe-long-texts.js';
import { ConverseDecoder } from './decoder.js';
import { traitsOf } from './model-traits.js';
import { converseRequest } from './request.js';
import { said } from '../../wire/testing/said.js';

const models = {
  claude: 'anthropic.claude-sonnet-4-5-20250929-v1:0',
  adaptive: 'anthropic.claude-opus-4-6-v1',
  newest: 'anthropic.claude-opus-5-5',
  nova: 'amazon.nova-2-lite-v1:0',
  oss: 'openai.gpt-oss-120b-1:0',
  llama: 'meta.llama3-3-70b-instruct-v1:0',
};

const user = (content: Message['content'], more: object = {}): Message => ({ role: 'user', content, ...more });
const mark = { cache_control: { type: 'ephemeral' } };
const hour = { cache_control: { type: 'ephemeral', ttl: '1h' } };
const point = { cachePoint: { type: 'default' } };
const weather: Tool = {
  type: 'function',
  function: { name: 'weather', description: 'Tells it', parameters: { type: 'object', properties: {} } },
};

function converted(
  more: Partial<ChatGenerationRequest>,
  model: keyof typeof models = 'claude',
  options: Parameters<typeof converseRequest>[2] = {},
) {
  const request: ChatGenerationRequest = { operation: 'chat', model: 'm', stream: true, n: 1, messages: [user('Hello')], ...more };
  const dropped: string[] = [];
  const { body, jsonTool } = converseRequest(deepFreeze(request), traitsOf(models[model]), options, (name) => dropped.push(name));
  return { ...body, jsonTool, dropped };
}
const turnsOf = (messages: Message[], more: Partial<ChatGenerationRequest> = {}) => converted({ messages, ...more }).messages;

describe('converseRequest', () => {
  it('asks for at most what the client or the model allows', () => {
    expect(converted({}).inferenceConfig).toEqual({ maxTokens: 64_000 });
    expect(converted({ max_tokens: 37, stop: ['END'] }).inferenceConfig).toEqual({ maxTokens: 37, stopSequences: ['END'] });
    expect(() => converted({ stop: ['END', ' '] })).toThrow('stop sequence without a visible character');
  });

  it('has a turn of the user where there are system prompts alone', () => {
    const { system, messages } = converted({ messages: [said.system('One')] });
    expect([system, messages]).toEqual([undefined, [said.user([{ text: 'One' }])]]);
  });

  it('has one system prompt and alternating turns', () => {
    const messages = [
      said.system('One'),
      user('a'),
      user('b'),
      { role: 'developer' as const, content: 'Two' },
      said.assistant('c'),
      user(' '),
    ];
    expect(converted({ messages })).toMatchObject({
      system: [{ text: 'One' }, { text: 'Two' }],
      messages: [said.user([{ text: 'a' }, { text: 'b' }]), said.assistant([{ text: 'c' }])],
    });
  });

  it('sends images and documents as their bytes', () => {
    const file = (file_data: string, filename?: string) => ({ type: 'file', file: { file_data, filename } });
    const content = [
      { type: 'image_url', image_url: { url: 'data:image/jpg;base64,AAAA' } },
      said.text('Compare them.'),
      file('data:application/pdf;base64,BBBB', 'Quarter_1/report.pdf'),
      file('data:text/markdown;charset=utf-8;base64,CCCC'),
      file('data:text/csv;base64,DDDD'),
    ];
    expect(turnsOf([user(content)])[0]!.content).toEqual([
      { image: { format: 'jpeg', source: { bytes: 'AAAA' } } },
      { text: 'Compare them.' },
      { document: { format: 'pdf', name: 'Quarter 1 report pdf', source: { bytes: 'BBBB' } } },
      { document: { format: 'md', name: 'document', source: { bytes: 'CCCC' } } },
      { document: { format: 'csv', name: 'document 2', source: { bytes: 'DDDD' } } },
    ]);
  });

  it('says a text beside documents that come alone', () => {
    const file = { type: 'file', file: { file_data: 'data:text/csv;base64,AA' } };
    const call = said.call('c', 'weather', '{}');
    const result: Message = { role: 'tool', tool_call_id: 'c', content: 'Rain.' };
    const turns = turnsOf([user([file, file]), said.assistant(null, [call]), result, user([file])], { tools: [weather] });
    expect(turns.map(({ content }) => content.map((block) => Object.keys(block)[0]))).toEqual([
      ['text', 'document', 'document'],
      ['toolUse'],
      ['toolResult', 'text', 'document'],
    ]);
  });

  it('takes seconds, and not minutes, for as many parts as a large body has', () => {
    const file = { type: 'file', file: { file_data: 'data:text/csv;base64,AA' } };
    const count = 64_000;
    const calls = Array.from({ length: count }, (_, index) => `c${index}`);
    const messages: Message[] = [
      user(Array.from({ length: count }, () => file)),
      said.assistant(
        null,
        calls.map((id) => ({ id, type: 'function', function: { name: 'weather', arguments: '' } })),
      ),
      user(Array.from({ length: count }, () => ({ type: 'text', text: 'a' }))),
      ...calls.map((id): Message => ({ role: 'tool', tool_call_id: id, content: 'b' })),
    ];
    const since = performance.now();
    const { messages: turns } = converted({ messages, tools: [weather] });
    expect(turns.map(({ content }) => content.length)).toEqual([count + 1, count, 2 * count]);
    expect(performance.now() - since).toBeLessThan(20_000);
  });

  it.each([
    ['an address', { type: 'image_url', image_url: { url: 'https://example.com/a.png' } }, /^Images must be/],
    ['another kind of image', { type: 'image_url', image_url: { url: 'data:image/tiff;base64,AA' } }, /^Images must be/],
    ['a file of an account', { type: 'file', file: { file_id: 'file-1' } }, /^Files must be one of pdf, csv/],
    ['sound', { type: 'input_audio', input_audio: { data: 'AA', format: 'wav' } }, /'input_audio' are not supported/],
  ])('refuses %s', (_, part, message) => {
    expect(() => turnsOf([user([part])])).toThrow(
      expect.objectContaining({ kind: 'invalid_request', message: expect.stringMatching(message) }),
    );
  });

  it('refuses a system prompt that is no text', () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } };
    expect(() => turnsOf([said.system([image]), user('a')])).toThrow(/may contain text only/);
  });

  it('keeps signed reasoning at its place, text and redacted', () => {
    const assistant: Message = {
      role: 'assistant',
      content: 'First. Then.',
      tool_calls: [said.call('a', 'weather', '{"city":"Žilina"}')],
      thinking_blocks: [
        { index: 0, type: 'thinking', thinking: 'Hm', signature: 'c2ln' },
        { index: 1, type: 'redacted_thinking', data: 'cmVk', after: { content: 6, tool_calls: 0 } },
        { index: 2, type: 'thinking', thinking: 'unsigned' },
      ],
    };
    expect(turnsOf([user('a'), assistant], { tools: [weather] })[1]!.content).toEqual([
      { reasoningContent: { reasoningText: { text: 'Hm', signature: 'c2ln' } } },
      { text: 'First.' },
      { reasoningContent: { redactedContent: 'cmVk' } },
      { text: ' Then.' },
      { toolUse: { toolUseId: 'a', name: 'weather', input: { city: 'Žilina' } } },
    ]);
  });

  it('sends back what was answered, block by block', () => {
    const word = fc.stringMatching(/^[a-zA-Zž .]{0,8}[a-z]$/);
    const signed = fc.record({ text: word, signature: word }).map((reasoningText) => ({ reasoningContent: { reasoningText } }));
    const thought = fc.oneof(
      signed,
      word.map((redactedContent) => ({ reasoningContent: { redactedContent } })),
    );
    // Texts stand before the calls, and two of them are told apart by what stands between them.
    const spoken = fc
      .array(
        fc.tuple(
          word.map((text) => ({ text })),
          thought,
        ),
        { maxLength: 3 },
      )
      .map((pairs) => pairs.flat());
    const input = fc.dictionary(word, fc.oneof(word, fc.integer()), { maxKeys: 2 });
    const call = fc.record({ toolUseId: fc.uuid(), name: fc.constant('weather'), input }).map((toolUse) => ({ toolUse }));
    const called = fc.array(fc.oneof(call, thought), { maxLength: 4 });
    fc.assert(
      fc.property(spoken, called, (texts, calls) => {
        const content = [...texts, ...calls];
        fc.pre(content.length > 0);
        const chunk = new ConverseDecoder(false).whole({ output: { message: said.assistant(content) }, stopReason: 'end_turn' });
        const assistant = JSON.parse(JSON.stringify(chunk.choices[0]!.delta)) as Message;
        expect(turnsOf([user('a'), assistant, user('b')], { tools: [weather] })[1]!.content).toEqual(content);
      }),
    );
  });

  describe('tools', () => {
    const long = `call.${'x'.repeat(80)}`;
    const calls = (...ids: string[]): Message => ({
      role: 'assistant',
      content: null,
      tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'weather', arguments: '' } })),
    });
    const result = (id: string, content: Message['content']): Message => ({ role: 'tool', tool_call_id: id, content });
    const history = [
      user('a'),
      calls('one', long),
      { ...result('one', 'Rain'), is_error: true },
      user('also'),
      result(long, [said.text('Sun')]),
    ];

    it('are declared, and their results come first in a turn', () => {
      const { toolConfig, messages } = converted({ tools: [weather], messages: history });
      expect(toolConfig).toEqual({
        tools: [{ toolSpec: { name: 'weather', description: 'Tells it', inputSchema: { json: { type: 'object', properties: {} } } } }],
      });
      const { toolUseId } = (messages[1]!.content[1] as { toolUse: { toolUseId: string } }).toolUse;
      expect(toolUseId).toMatch(/^call_x+[0-9a-f]{16}$/);
      expect(toolUseId).toHaveLength(64);
      expect(messages[2]!.content).toEqual([
        { toolResult: { toolUseId: 'one', content: [{ text: 'Rain' }], status: 'error' } },
        { toolResult: { toolUseId, content: [{ text: 'Sun' }] } },
        { text: 'also' },
      ]);
    });

    it('is said to have failed where the model’s format has a word for it', () => {
      const results = (model: keyof typeof models) => JSON.stringify(converted({ tools: [weather], messages: history }, model).messages);
      expect(results('nova')).toContain('"status":"error"');
      expect(results('llama')).not.toContain('"status"');
    });

    it('has a text where it has failed without one', () => {
      const messages = [user('a'), calls('one'), { ...result('one', ''), is_error: true }];
      expect(converted({ tools: [weather], messages }, 'nova').messages[2]!.content).toEqual([
        { toolResult: { toolUseId: 'one', content: [{ text: 'The call failed.' }], status: 'error' } },
      ]);
    });

    it.each([
      ['auto', undefined],
      ['required', { any: {} }],
      [{ type: 'function' as const, function: { name: 'weather' } }, { tool: { name: 'weather' } }],
    ] as const)('are free or not: %j', (tool_choice, toolChoice) => {
      expect(converted({ tools: [weather], tool_choice }).toolConfig?.toolChoice).toEqual(toolChoice);
    });

    it('cannot be required of every model', () => {
      for (const model of ['newest', 'llama'] as const)
        expect(() => converted({ tools: [weather], tool_choice: 'required' }, model)).toThrow(/cannot be made to call a tool/);
    });

    it.each([
      ['are forbidden', { tools: [weather], tool_choice: 'none' as const }],
      ['are gone', {}],
    ])('are told in words where they %s, so that none can be called', (_, more) => {
      const { toolConfig, messages } = converted({ ...more, messages: history.slice(0, 3) });
      expect(toolConfig).toBeUndefined();
      expect(messages[1]!.content).toEqual([{ text: '[Called weather: {}]' }, { text: '[Called weather: {}]' }]);
      expect(messages[2]!.content).toEqual([{ text: '[Result of the call:]' }, { text: 'Rain' }]);
    });

    it('are strict where the model is', () => {
      const strict: Tool = { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} }, strict: true } };
      expect(converted({ tools: [strict] }).toolConfig!.tools[0]).toMatchObject({ toolSpec: { strict: true } });
      expect(converted({ tools: [strict] }, 'llama').dropped).toEqual(['tools.strict']);
    });
  });

  it('puts cache points behind what is marked', () => {
    const tool = { ...weather, ...mark } as Tool;
    const messages: Message[] = [
      { role: 'system', content: 'One', ...hour },
      user([{ type: 'text', text: 'a', ...mark }, said.text('b')], mark),
      {
        role: 'assistant',
        content: null,
        tool_calls: [said.call('x', 'weather', '{}')],
        ...mark,
      },
      said.result('x', [{ type: 'text', text: 'Rain', ...hour }]),
    ];
    const body = converted({ messages, tools: [tool] });
    expect(body.toolConfig!.tools).toEqual([expect.objectContaining({ toolSpec: expect.anything() }), point]);
    expect(body.system).toEqual([{ text: 'One' }, { cachePoint: { type: 'default', ttl: '1h' } }]);
    expect(body.messages.map(({ content }) => content)).toEqual([
      [{ text: 'a' }, point, { text: 'b' }, point],
      [expect.objectContaining({ toolUse: expect.anything() }), point],
      [{ toolResult: { toolUseId: 'x', content: [{ text: 'Rain' }] } }, { cachePoint: { type: 'default', ttl: '1h' } }],
    ]);
    expect(converted({ extra: mark }).messages).toEqual([said.user([{ text: 'Hello' }, point])]);
    expect(converted({ tools: [tool] }, 'nova').toolConfig!.tools).toHaveLength(1);
  });

  describe('JSON', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false };
    const response_format = { type: 'json_schema' as const, json_schema: { name: 'n', schema } };

    it('is demanded by a schema where the model answers by one', () => {
      const { outputConfig, jsonTool } = converted({ response_format });
      expect(jsonTool).toBe(false);
      expect(JSON.parse(outputConfig!.textFormat.structure.jsonSchema.schema)).toEqual(schema);
    });

    it('is the input of a tool elsewhere, or asked for in words, or refused', () => {
      const { toolConfig, jsonTool } = converted({ response_format }, 'nova');
      expect(jsonTool).toBe(true);
      expect(toolConfig).toMatchObject({
        tools: [{ toolSpec: { inputSchema: { json: schema } } }],
        toolChoice: { tool: { name: expect.any(String) } },
      });
      expect(converted({ response_format: { type: 'json_object' } }, 'llama').system).toEqual([
        { text: expect.stringMatching(/one JSON object/) },
      ]);
      expect(() => converted({ response_format }, 'llama')).toThrow(/cannot keep to the schema/);
    });
  });

  describe('reasoning', () => {
    const fields = (effort: string, model: keyof typeof models) => {
      const { additionalModelRequestFields, dropped } = converted({ reasoning_effort: effort, max_tokens: 40_000 }, model);
      return [additionalModelRequestFields, dropped];
    };

    it.each([
      ['claude', 'low', { thinking: { type: 'enabled', budget_tokens: 2_048 } }, []],
      ['claude', 'none', undefined, []],
      ['adaptive', 'high', { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'high' } }, []],
      ['nova', 'low', { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'low' } }, []],
      ['nova', 'high', { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'medium' } }, ['reasoning_effort']],
      ['nova', 'none', { reasoningConfig: { type: 'disabled' } }, []],
      ['oss', 'minimal', { reasoning_effort: 'low' }, []],
      ['oss', 'none', undefined, ['reasoning_effort']],
      ['llama', 'low', undefined, ['reasoning_effort']],
    ] as const)('of %s: %s', (model, effort, expected, dropped) => {
      expect(fields(effort, model)).toEqual([expected, dropped]);
    });

    it('is Claude’s own where the client writes it', () => {
      const thinking = { type: 'enabled', budget_tokens: 5_000 };
      expect(converted({ extra: { thinking }, max_tokens: 5_000 })).toMatchObject({
        additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 2_500 } },
        dropped: ['thinking'],
      });
      expect(converted({ extra: { thinking }, temperature: 0.5, top_p: 0.5 })).toMatchObject({
        additionalModelRequestFields: { thinking },
        inferenceConfig: { maxTokens: 64_000 },
        dropped: ['temperature', 'top_p'],
      });
    });
  });

  it('samples as the model takes it', () => {
    expect(converted({ temperature: 1.5, top_p: 0.5, extra: { top_k: 5 } })).toMatchObject({
      inferenceConfig: { maxTokens: 64_000, temperature: 1 },
      additionalModelRequestFields: { top_k: 5 },
      dropped: ['temperature', 'top_p'],
    });
    expect(converted({ temperature: 0.5, top_p: 0.25, extra: { top_k: 5 } }, 'nova')).toMatchObject({
      inferenceConfig: { temperature: 0.5, topP: 0.25 },
      additionalModelRequestFields: { inferenceConfig: { topK: 5 } },
      dropped: [],
    });
    expect(converted({ extra: { top_k: 5 } }, 'llama').dropped).toEqual(['top_k']);
  });

  it('passes the entry’s guardrail', () => {
    const guardrail = { id: 'gr-1', version: '3', stream: 'async' as const };
    const config = { guardrailIdentifier: 'gr-1', guardrailVersion: '3' };
    expect(converted({}, 'claude', { guardrail }).guardrailConfig).toEqual({ ...config, streamProcessingMode: 'async' });
    expect(converted({ stream: false }, 'claude', { guardrail }).guardrailConfig).toEqual(config);
    expect(converted({}).guardrailConfig).toBeUndefined();
  });

  it('names the user and the service tier', () => {
    expect(converted({ user: 'user-1', extra: { service_tier: 'priority' } })).toMatchObject({
      requestMetadata: { user: 'user-1' },
      serviceTier: { type: 'priority' },
    });
    expect(converted({ user: 'čí', extra: { service_tier: 'standard' } })).toMatchObject({
      serviceTier: { type: 'default' },
      dropped: ['user'],
    });
    expect(converted({ extra: { service_tier: 'auto' } }).serviceTier).toBeUndefined();
  });
});

describe.each(['claude', 'newest', 'nova'] as const)('converseRequest of a large request for %s', (model) => {
  const body = (request: ChatGenerationRequest) => converseRequest(request, traitsOf(models[model]), {}, () => undefined).body;
  describeLongTexts(body, { response_format: undefined });
});

it('refuses a schema of more than a megabyte, which would be made a text at once', () => {
  const formatOf = (description: string) => ({
    type: 'json_schema' as const,
    json_schema: { name: 'n', schema: { type: 'object', properties: { a: { type: 'string', description } }, additionalProperties: false } },
  });
  expect(() => converted({ response_format: formatOf('x'.repeat(1024 * 1024)) })).toThrow(/has more than 1048576 bytes/);
  expect(converted({ response_format: formatOf('x'.repeat(1_000_000)) }).outputConfig).toBeDefined();
});

/** Fails to compile where `A` is not a `B`. */
type Is<A extends B, B> = A;

/** The client's type with bytes in base64 and its JSON documents as any JSON, as both travel. */
type Sent<T> = T extends Uint8Array
  ? string
  : T extends (infer Item)[]
    ? Sent<Item>[]
    : T extends object
      ? { [Key in keyof T]: Sent<T[Key]> }
      : T;

type AwsBody = Omit<aws.ConverseRequest & aws.ConverseStreamRequest, 'modelId'>;

/** What we send, AWS's own client may send. */
type Requests = [
  Is<keyof ours.ConverseBody, keyof AwsBody>,
  Is<ours.ConverseBody['inferenceConfig'], aws.InferenceConfiguration>,
  Is<ours.ConverseBody['outputConfig'], aws.OutputConfig | undefined>,
  Is<ours.ConverseBody['requestMetadata'], AwsBody['requestMetadata']>,
  Is<NonNullable<ours.ConverseBody['guardrailConfig']>, aws.GuardrailStreamConfiguration>,
  Is<keyof ours.ConverseMessage, keyof aws.Message>,
  Is<ours.ConverseMessage['role'], aws.ConversationRole>,
  Is<keyof ours.ImageBlock['image'], keyof aws.ImageBlock>,
  Is<ours.ImageBlock['image']['format'], aws.ImageFormat>,
  Is<ours.ImageBlock['image']['source'], Sent<aws.ImageSource.BytesMember>>,
  Is<keyof ours.DocumentBlock['document'], keyof aws.DocumentBlock>,
  Is<ours.DocumentFormat, aws.DocumentFormat>,
  Is<ours.DocumentBlock['document']['source'], Sent<aws.DocumentSource.BytesMember>>,
  Is<keyof ours.ToolUseBlock['toolUse'], keyof aws.ToolUseBlock>,
  Is<keyof ours.ToolResultBlock['toolResult'], keyof aws.ToolResultBlock>,
  Is<KeysOf<ours.ReasoningBlock['reasoningContent']>, KeysOf<aws.ReasoningContentBlock>>,
  Is<ours.CachePointBlock['cachePoint'], aws.CachePointBlock>,
  Is<KeysOf<ours.ConverseBlock>, KeysOf<aws.ContentBlock>>,
  Is<KeysOf<ours.SystemBlock>, KeysOf<aws.SystemContentBlock>>,
  Is<KeysOf<ours.ToolSpec | ours.CachePointBlock>, KeysOf<aws.Tool>>,
  Is<keyof ours.ToolSpec['toolSpec'], keyof aws.ToolSpecification>,
  Is<KeysOf<NonNullable<ours.ToolConfig['toolChoice']>>, KeysOf<aws.ToolChoice>>,
];

type KeysOf<Union> = Union extends unknown ? keyof Union : never;

/** What we read, AWS's own client reads too. */
type Responses = [
  Is<keyof ours.ResponseBlock, KeysOf<aws.ContentBlock>>,
  Is<keyof NonNullable<ours.ResponseBlock['reasoningContent']>, KeysOf<aws.ReasoningContentBlock>>,
  Is<keyof NonNullable<ours.ConverseEvent['delta']>, KeysOf<aws.ContentBlockDelta>>,
  Is<keyof NonNullable<NonNullable<ours.ConverseEvent['delta']>['reasoningContent']>, KeysOf<aws.ReasoningContentBlockDelta>>,
  Is<keyof NonNullable<ours.ConverseEvent['start']>, KeysOf<aws.ContentBlockStart>>,
  Is<
    keyof ours.ConverseEvent,
    keyof aws.ContentBlockStartEvent | keyof aws.ContentBlockDeltaEvent | keyof aws.MessageStopEvent | keyof aws.ConverseStreamMetadataEvent
  >,
];

it('the wire types are those of AWS’s own client, which the compiler checks', () => {
  const checked: [Requests, Responses] | undefined = undefined;
  expect(checked).toBeUndefined();
});
