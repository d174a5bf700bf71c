import fc from 'fast-check';
import { of } from 'rxjs';
import { type Offer, offerOf } from '../../catalogue/offer.js';
import { keepSource, sourceBytes } from '../../json/json-source.js';
import type { ModelProvider } from '../../providers/contract/model-provider.js';
import type { NameRule, RequestRules } from '../../providers/contract/request-rules.js';
import type { Message, Role, Tool } from '../../wire/chat-completion.js';
import type { ChatGenerationRequest, GenerationChunk } from '../../wire/generation.js';
import { said } from '../../wire/testing/said.js';
import { asPlanned } from '../attempts/as-planned.js';
import { toObservable } from '../attempts/to-observable.js';
import { fitRequest } from './fit-request.js';
import { keyedNames } from '../planning/testing/keyed-names.js';

const offer = (rules: RequestRules | undefined): Offer =>
  offerOf(
    { id: 'p', name: 'P' } as ModelProvider,
    {
      id: 'm',
      created: 1,
      contextLength: 1_000,
      maxTokens: 100,
      capabilities: { chat: true, completion: false, function_calling: true, vision: false, embeddings: false, json_mode: true },
      parameters: ['*'],
      rules,
    },
    {},
  );

const hello = said.user('Hi');

const chat = (more: Partial<ChatGenerationRequest> = {}): ChatGenerationRequest => ({
  operation: 'chat',
  model: 'm',
  stream: false,
  n: 1,
  messages: [hello],
  ...more,
});

const fit = (rules: RequestRules | undefined, request: ChatGenerationRequest) => {
  const dropped: string[] = [];
  return { ...fitRequest(offer(rules), request, keyedNames, (parameter) => dropped.push(parameter)), dropped };
};

const fittedMessages = (rules: RequestRules, messages: readonly Message[]) => fit(rules, chat({ messages })).request.messages;

const tool = (parameters?: Record<string, unknown>, name = 'f'): Tool => ({
  type: 'function',
  function: { name, ...(parameters && { parameters }) },
});

const nine: NameRule = { pattern: /^[a-z\d]{9}$/i, length: 9 };
const words: NameRule = { pattern: /^[\w-]+$/, length: 20 };
const made = (pattern: RegExp) => expect.stringMatching(pattern) as unknown as string;
const asked = (...messages: Message[]): Partial<ChatGenerationRequest> => ({ messages });
const called = said.assistant(null, [said.call('call_abc', 'f', '{}')]);
const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } };
const file = (more: object) => said.user([{ type: 'file', file: { file_data: 'data:application/pdf;base64,AA', ...more } }]);
const schema = (name: string) => ({ type: 'json_schema' as const, json_schema: { name } });

const twice = <T>(same: T): [T, T] => [same, same];

type Row = [what: string, rules: RequestRules, given: Partial<ChatGenerationRequest>, sent: object, reported?: string[]];

const rows: Row[] = [
  ['developer', { developer: false }, asked({ role: 'developer', content: 'a' }, hello), asked(said.system('a'), hello)],
  [
    'system, of texts',
    { system: 'one' },
    asked(hello, said.system('a'), said.assistant('b'), said.system('c')),
    asked(said.system('a\n\nc'), hello, said.assistant('b')),
  ],
  [
    'system, of parts',
    { system: 'one' },
    asked(said.system([said.text('a')]), hello, said.system('c')),
    asked(said.system([said.text('a'), said.text('c')]), hello),
  ],
  [
    'system: user',
    { system: 'user', alternate: true },
    asked(said.system('a'), hello, said.assistant('b'), said.system('c')),
    asked(said.user('a\n\nc\n\nHi'), said.assistant('b')),
  ],
  [
    'alternate',
    { alternate: true },
    asked(hello, said.user([said.text('a')]), said.assistant('b'), { ...called, reasoning_content: 'r' }, said.result('call_abc', 'c')),
    asked(said.user([said.text('Hi'), said.text('a')]), { ...called, content: 'b', reasoning_content: 'r' }, said.result('call_abc', 'c')),
  ],
  [
    'alternate, with reasoning of both',
    { alternate: true },
    asked(
      { ...said.assistant('a'), reasoning_content: 'r', thinking_blocks: [1] },
      { ...said.assistant('b'), reasoning_content: 's', thinking_blocks: [2] },
    ),
    asked({ ...said.assistant('a\n\nb'), reasoning_content: 'r\n\ns', thinking_blocks: [1, 2] }),
  ],
  ['silentAssistant', { silentAssistant: false }, asked(hello, said.assistant(''), called), asked(hello, called)],
  ['userFirst, of nobody', { userFirst: '…' }, asked(said.system('a')), asked(said.system('a'), said.user('…'))],
  ['someUser', { someUser: '…' }, asked(said.system('a'), called), asked(said.system('a'), said.user('…'), called)],
  [
    'oneCall',
    { oneCall: true },
    asked(said.assistant('a', [said.call('1', 'f', '{}'), said.call('2', 'f', '{}')]), said.result('2', 'c'), said.result('1', 'b'), hello),
    asked(
      said.assistant('a', [said.call('1', 'f', '{}')]),
      said.result('1', 'b'),
      said.assistant(null, [said.call('2', 'f', '{}')]),
      said.result('2', 'c'),
      hello,
    ),
  ],
  [
    'oneCall, beside what is no call',
    { oneCall: true },
    asked({ ...hello, tool_calls: null } as never, said.assistant('a', [said.call('1', 'f', '{}'), said.call('2', 'f', '{}')])),
    asked(
      { ...hello, tool_calls: null } as never,
      said.assistant('a', [said.call('1', 'f', '{}')]),
      said.assistant(null, [said.call('2', 'f', '{}')]),
    ),
  ],
  ['userFirst', { userFirst: '…' }, asked(said.system('a'), called, hello), asked(said.system('a'), said.user('…'), called, hello)],
  [
    'behindResult',
    { behindResult: 'Well.' },
    asked(hello, called, said.result('call_abc', 'a'), hello),
    asked(hello, called, said.result('call_abc', 'a'), said.assistant('Well.'), hello),
  ],
  [
    'assistantLast: prefix',
    { assistantLast: 'prefix' },
    asked(hello, said.assistant('{ ')),
    asked(hello, { ...said.assistant('{ '), prefix: true }),
  ],
  ['assistantLast: trimmed', { assistantLast: 'trimmed' }, asked(hello, said.assistant('{ \n')), asked(hello, said.assistant('{'))],
  [
    'assistantLast: trimmed, of parts',
    { assistantLast: 'trimmed' },
    asked(said.assistant([said.text('a '), said.text('b ')])),
    asked(said.assistant([said.text('a '), said.text('b')])),
  ],
  [
    'callIds',
    { callIds: nine },
    asked(called, said.result('call_abc', 'a'), said.assistant('b', [said.call('abcdef123', 'f', '{}')])),
    asked(
      { ...called, tool_calls: [{ ...called.tool_calls![0]!, id: made(/^[a-z\d]{9}$/) }] },
      said.result(made(/^[a-z\d]{9}$/), 'a'),
      said.assistant('b', [said.call('abcdef123', 'f', '{}')]),
    ),
  ],
  [
    'functionNames',
    { functionNames: words },
    { tools: [tool({}, 'a.b'), tool({}, 'c')], ...asked(said.assistant(null, [said.call('1', 'a.b', '{}')])) },
    {
      tools: [tool({}, made(/^a_b_[a-z\d]{8}$/)), tool({}, 'c')],
      ...asked(said.assistant(null, [said.call('1', made(/^a_b_[a-z\d]{8}$/), '{}')])),
    },
  ],
  [
    'functionNames, of a schema',
    { functionNames: words },
    { response_format: schema('a b') },
    { response_format: schema(made(/^a_b_[a-z\d]{8}$/)) },
  ],
  [
    'messageNames',
    { messageNames: words },
    asked({ ...hello, name: 'Eva Nová' }, { ...hello, name: 'Bob' }),
    asked({ ...hello, name: made(/^Eva_Nov__[a-z\d]{8}$/) }, { ...hello, name: 'Bob' }),
  ],
  ['messageNames: false', { messageNames: false }, asked({ ...hello, name: 'Bob' }), asked(hello)],
  [
    'messageFields',
    { messageFields: ['a'] },
    asked({ ...hello, a: 1, b: 2 }, { ...called, refusal: 'No' }, { ...called, content: 'Well', refusal: 'No' }),
    asked({ ...hello, a: 1 }, { ...called, content: 'No' }, { ...called, content: [said.text('Well'), said.text('No')] }),
  ],
  [
    'resultMedia',
    { resultMedia: 'behind', plainText: ['tool'], alternate: true, behindResult: 'Well.' },
    asked(called, said.result('call_abc', [said.text('a'), image]), hello),
    asked(
      called,
      said.result('call_abc', 'a'),
      said.assistant('Well.'),
      said.user([said.text('The result of the tool call call_abc:'), image, said.text('Hi')]),
    ),
  ],
  ['noContent', { noContent: '' }, asked(called), asked({ ...called, content: '' })],
  [
    'plainText',
    { plainText: ['tool'] },
    asked(said.result('a', [said.text('b'), said.text('c')]), said.user([said.text('d')])),
    asked(said.result('a', 'b\n\nc'), said.user([said.text('d')])),
  ],
  ...(
    [
      ['null', '{}'],
      ['[1]', '{"arguments":"[1]"}'],
      ['{"a', '{"arguments":"{\\"a"}'],
    ] as const
  ).map(([given, sent]): Row => [
    `argumentsObject, ${given}`,
    { argumentsObject: true },
    asked(said.assistant(null, [said.call('1', 'f', given)])),
    asked(said.assistant(null, [said.call('1', 'f', sent)])),
  ]),
  ['fileNames', { fileNames: true }, asked(file({})), asked(file({ filename: 'file' }))],
  [
    'files',
    { files: { type: 'document_url', name: 'document_name' } },
    asked(file({ filename: 'a.pdf' })),
    asked(said.user([{ type: 'document_url', document_url: 'data:application/pdf;base64,AA', document_name: 'a.pdf' }])),
  ],
  [
    'files, bare',
    { files: { type: 'file_url', name: 'file_name', bare: true } },
    asked(file({})),
    asked(said.user([{ type: 'file_url', file_url: { url: 'AA' } }])),
  ],
  ['efforts', { efforts: ['low', 'high'] }, { reasoning_effort: 'medium' }, { reasoning_effort: 'high' }, ['reasoning_effort']],
  ['efforts, of another word', { efforts: ['low'] }, { reasoning_effort: 'huge' }, { reasoning_effort: undefined }, ['reasoning_effort']],
  ['temperature', { temperature: 1 }, { temperature: 1.5 }, { temperature: 1 }, ['temperature']],
  ['toolSchema: required', { toolSchema: { required: true } }, { tools: [tool()] }, { tools: [tool({ type: 'object', properties: {} })] }],
  [
    'toolSchema: rootObject',
    { toolSchema: { rootObject: true } },
    { tools: [tool({ $defs: {} })] },
    { tools: [tool({ $defs: {}, type: 'object', properties: {} })] },
  ],
  ['toolSchema: rootObject, of another type', { toolSchema: { rootObject: true } }, ...twice({ tools: [tool({ type: 'string' })] })],
  [
    'toolSchema: rootObject, of several types',
    { toolSchema: { rootObject: true } },
    { tools: [tool({ type: ['object', 'null'] })] },
    { tools: [tool({ type: 'object', properties: {} })] },
  ],
  [
    'toolSchema: noRootUnions, of which all hold',
    { toolSchema: { noRootUnions: true } },
    { tools: [tool({ allOf: [{ required: ['a'] }, { required: ['b'] }] })] },
    { tools: [tool({ description: made(/"allOf"/), properties: {}, required: ['a', 'b'] })] },
    ['tools.parameters.allOf'],
  ],
  [
    'toolSchema: noRootUnions',
    { toolSchema: { noRootUnions: true } },
    {
      tools: [
        tool({
          type: 'object',
          oneOf: [
            { properties: { a: {} }, required: ['a'] },
            { properties: { b: {} }, required: ['a', 'b'] },
          ],
        }),
      ],
    },
    { tools: [tool({ type: 'object', description: made(/"oneOf"/), properties: { a: {}, b: {} }, required: ['a'] })] },
    ['tools.parameters.oneOf'],
  ],
  [
    'toolSchema: objectProperties',
    { toolSchema: { objectProperties: true } },
    { tools: [tool({ properties: { a: true, b: { type: 'array' } } })] },
    { tools: [tool({ properties: { a: {}, b: { type: 'array', items: {} } } })] },
  ],
  [
    'toolSchema: objectProperties, at any depth',
    { toolSchema: { objectProperties: true } },
    {
      tools: [
        tool({
          items: { type: 'array' },
          anyOf: [{ type: ['array', 'null'] }],
          properties: { a: { type: 'array', prefixItems: [{ type: 'array' }] } },
        }),
      ],
    },
    {
      tools: [
        tool({
          items: { type: 'array', items: {} },
          anyOf: [{ type: ['array', 'null'], items: {} }],
          properties: { a: { type: 'array', prefixItems: [{ type: 'array', items: {} }] } },
        }),
      ],
    },
  ],
];

/** What every rule takes. */
const taken: Partial<ChatGenerationRequest> = {
  messages: [
    said.system('a'),
    { ...hello, content: [{ type: 'file', file: { file_data: 'data:', filename: 'b' } }] },
    { ...said.assistant(''), tool_calls: [said.call('abcdef123', 'f', '{"a": 1}')] },
    said.result('abcdef123', 'c'),
    said.assistant('d'),
    hello,
  ],
  tools: [tool({ type: 'object', properties: { a: { type: 'array', items: {} } } })],
  tool_choice: { type: 'function', function: { name: 'f' } },
  reasoning_effort: 'low',
  temperature: 1,
  response_format: schema('a'),
};

describe('fitRequest', () => {
  it.each(rows)('changes what a vendor does not take: %s', (_what, rules, given, sent, reported = []) => {
    const { request, dropped } = fit(rules, chat(given));
    expect({ request, dropped }).toEqual({ request: chat(sent), dropped: reported });
  });

  it.each(rows)('gives the same request where the vendor takes it: %s', (_what, { files: _files, system, ...rules }) => {
    const request = chat(taken);
    expect(fit({ ...rules, ...(system === 'one' && { system }) }, request).request).toBe(request);
  });

  it('gives the same request where no limit is known', () => {
    const request = chat({ messages: [called, { role: 'developer', content: null }] });
    expect(fit(undefined, request).request).toBe(request);
  });

  it.each<[string, RequestRules, Partial<ChatGenerationRequest>]>([
    ['type', { formats: ['text', 'json_object'] }, { response_format: schema('a') }],
    ['assistant', { assistantLast: 'refused' }, asked(hello, said.assistant('a'))],
  ])('refuses what a vendor cannot take: %s', (named, rules, given) => {
    const refusal = { code: 'unsupported_parameter', message: expect.stringContaining(named) as unknown };
    expect(() => fit(rules, chat(given))).toThrow(expect.objectContaining(refusal));
  });

  it('changes no more ids than can be hashed in a turn', () => {
    const calls = (count: number) => [
      said.assistant(
        null,
        Array.from({ length: count }, (_, n) => said.call(`call_${n}`, 'f', '{}')),
      ),
    ];
    expect(fittedMessages({ callIds: nine }, calls(10_000))[0]!.tool_calls).toHaveLength(10_000);
    expect(() => fittedMessages({ callIds: nine }, calls(10_001))).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });

  it('puts the variants of a property side by side, however many there are', () => {
    const anyOf = Array.from({ length: 50_000 }, (_, minimum) => ({ properties: { a: { minimum } }, required: ['a'] }));
    const { tools } = fit({ toolSchema: { noRootUnions: true } }, chat({ tools: [tool({ anyOf })] })).request;
    const properties = { a: { anyOf: anyOf.map((variant) => variant.properties.a) } };
    expect(tools![0]!.function.parameters).toEqual({ properties, required: ['a'] });
  });

  it('changes the client’s own form in the same way, where it is that of Responses', () => {
    const id = 'a'.repeat(300);
    const name = 'a.b';
    const hosted = { type: 'web_search', name: 'a.b' };
    const kept = { type: 'reasoning', summary: [], encrypted_content: 'x' };
    const call = said.call(id, name, '{}');
    const choice = { type: 'function' as const, function: { name } };
    const body = {
      tools: [{ type: 'function', name, parameters: { anyOf: [] } }, { type: 'custom', name }, hosted],
      tool_choice: { type: 'function', name },
      text: { format: { type: 'json_schema', name, schema: {} } },
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_file', file_data: 'data:' }] },
        kept,
        { type: 'function_call', call_id: id, name, arguments: '{}' },
        { type: 'function_call_output', call_id: id, output: [{ type: 'input_file', file_data: 'data:' }] },
        { type: 'tool_search_output', call_id: id, tools: [{ type: 'custom', name }] },
      ],
    };
    const request = chat({
      messages: [said.assistant(null, [call]), said.result(id, 'x')],
      tools: [tool({}, name)],
      tool_choice: choice,
      native: { wire: 'openai-responses', body },
    });
    const rules: RequestRules = {
      callIds: nine,
      functionNames: words,
      fileNames: true,
      toolSchema: { rootObject: true, noRootUnions: true },
    };
    const { request: fitted, fitsNative } = fit(rules, request);
    const { name: sent } = (fitted.tool_choice as typeof choice).function;
    const call_id = fitted.messages[1]!.tool_call_id;
    const named = [{ type: 'input_file', file_data: 'data:', filename: 'file' }];
    expect([fitsNative, fitted.native!.body]).toEqual([
      true,
      {
        tools: [
          { type: 'function', name: sent, parameters: expect.objectContaining({ type: 'object', properties: {} }) as unknown },
          { type: 'custom', name: sent },
          hosted,
        ],
        tool_choice: { type: 'function', name: sent },
        text: { format: { type: 'json_schema', name: sent, schema: {} } },
        input: [
          { type: 'message', role: 'user', content: named },
          kept,
          { type: 'function_call', call_id, name: sent, arguments: '{}' },
          { type: 'function_call_output', call_id, output: named },
          { type: 'tool_search_output', call_id, tools: [{ type: 'custom', name: sent }] },
        ],
      },
    ]);
    expect(fit({ ...rules, alternate: true }, request).fitsNative).toBe(true);
    expect(fit({ ...rules, someUser: '…' }, request).fitsNative).toBeUndefined();
    expect(fit(rules, { ...request, native: { wire: 'anthropic-messages', body } }).fitsNative).toBeUndefined();
  });

  it.each<[string, object, object | undefined]>([
    ['one at the beginning', { input: [{ role: 'developer', content: 'a' }, hello] }, { input: [said.system('a'), hello] }],
    [
      'several, of texts and parts',
      { instructions: 'a', input: [{ role: 'developer', content: [{ type: 'input_text', text: 'b' }] }, hello, said.system('c')] },
      { instructions: 'a\n\nb\n\nc', input: [hello] },
    ],
    ['one with an image', { input: [hello, said.system([{ type: 'input_image', image_url: 'data:' }])] }, undefined],
    [
      'none, and loaded tools',
      { input: [{ type: 'additional_tools', role: 'developer', tools: [] }, hello] },
      { input: [{ type: 'additional_tools', role: 'developer', tools: [] }, hello] },
    ],
    ['none', { instructions: 'a', input: 'b' }, { instructions: 'a', input: 'b' }],
    [
      'none, and no arguments',
      { input: [{ type: 'function_call', call_id: 'a', name: 'f', arguments: 'null' }] },
      { input: [{ type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' }] },
    ],
  ])('has system messages in the instructions of the client’s own form: %s', (_what, body, sent) => {
    const messages: Message[] = [{ role: 'developer', content: 'x' }, hello];
    const request = chat({ messages, native: { wire: 'openai-responses', body: body as Record<string, unknown> } });
    const fitted = fit({ developer: false, system: 'one', argumentsObject: true }, request);
    expect(fitted.fitsNative && fitted.request.native!.body).toEqual(sent);
  });

  it('keeps how large the messages and tools are that it changes', () => {
    const request = chat({ messages: [{ role: 'developer', content: 'a' }], tools: [tool()] });
    keepSource(request.messages, [Buffer.alloc(100)]);
    keepSource(request.tools!, [Buffer.alloc(50)]);
    const { messages, tools } = fit({ developer: false, toolSchema: { required: true } }, request).request;
    expect([sourceBytes(messages), sourceBytes(tools)]).toEqual([100, 50]);
  });

  const id = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.stringMatching(/^[a-z\d]{9}$/),
    fc.string({ maxLength: 1 }).map((end) => 'a'.repeat(6_000) + end),
  );
  const turns = (ids: readonly string[]): Message[] => [
    said.assistant(
      null,
      ids.map((each) => said.call(each, 'f', '{}')),
    ),
    ...ids.map((each) => said.result(each, each)),
  ];

  it('gives each call an id of its own that the vendor takes, to its result too, and the same in each turn', () => {
    fc.assert(
      fc.property(fc.uniqueArray(id, { minLength: 1, maxLength: 6 }), fc.array(id, { maxLength: 4 }), (ids, later) => {
        const given = turns(ids);
        const [{ tool_calls: calls }, ...results] = fittedMessages({ callIds: nine }, given) as [Message, ...Message[]];
        const sent = calls!.map((call) => call.id);
        expect(sent.every((each) => nine.pattern.test(each))).toBe(true);
        expect(new Set(sent).size).toBe(ids.length);
        expect(results.map((result) => result.tool_call_id)).toEqual(sent);
        const next = fittedMessages({ callIds: nine }, [...given, hello, ...turns(later)]);
        expect(next[0]!.tool_calls!.map((call) => call.id)).toEqual(sent);
      }),
    );
  });

  it('refuses an id that is too long to be read in one turn', () => {
    const code = expect.objectContaining({ code: 'invalid_request' }) as unknown;
    expect(() => fittedMessages({ callIds: nine }, [said.result('x'.repeat(70_000), 'a')])).toThrow(code as Error);
  });

  const name = fc.oneof(fc.string({ minLength: 1, maxLength: 30 }), fc.stringMatching(/^[a-z.]{1,40}$/));

  it('gives functions names that the vendor takes, and the client’s own back, streamed too', () => {
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 6 }), (names) => {
        const given = chat({
          tools: names.map((each) => tool({}, each)),
          tool_choice: { type: 'function', function: { name: names[0]! } },
          messages: [
            said.assistant(
              null,
              names.map((each) => said.call(each, each, '{}')),
            ),
          ],
        });
        const { request, functionNames } = fit({ functionNames: words }, given);
        const sent = request.tools!.map((each) => each.function.name);
        expect(sent.every((each) => words.pattern.test(each) && each.length <= words.length)).toBe(true);
        expect(new Set(sent).size).toBe(names.length);
        expect(request.messages[0]!.tool_calls!.map((call) => call.function.name)).toEqual(sent);
        expect(request.tool_choice).toEqual({ type: 'function', function: { name: sent[0] } });

        const calls = sent.map((each, index) => ({ index, id: 'c', type: 'function' as const, function: { name: each, arguments: '{' } }));
        const begun: GenerationChunk = { choices: [{ index: 0, delta: { tool_calls: calls }, finish_reason: null }] };
        const rest: GenerationChunk = {
          choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '}' } }] }, finish_reason: null }],
        };
        const answered: GenerationChunk[] = [];
        toObservable(asPlanned(of(begun, rest), { firstIndex: 0, functionNames })).subscribe((chunk) => answered.push(chunk));
        expect(answered.map(({ choices }) => choices[0]!.delta!.tool_calls!.map((call) => call.function?.name))).toEqual([
          names,
          [undefined],
        ]);
        expect(answered[0]!.choices[0]!.delta!.tool_calls!.map((call) => call.function?.arguments)).toEqual(names.map(() => '{'));
      }),
    );
  });

  const content = fc.oneof(fc.nat(), fc.array(fc.nat(), { maxLength: 3 }), fc.constant(null));
  const message = fc.record({
    role: fc.constantFrom<Role>('system', 'developer', 'user', 'assistant', 'tool'),
    content,
    thought: fc.option(fc.nat()),
  });
  const textsOf = (messages: readonly Message[]): string[] =>
    messages
      .flatMap(({ content: texts, reasoning_content: thought }) => [
        ...(Array.isArray(texts) ? texts.map(({ text }) => text) : [texts]),
        thought,
      ])
      .flatMap((text) => text?.split('\n\n') ?? [])
      .filter((text) => /^[tr]\d/.test(text))
      .sort();

  it('loses no text and adds none but its own where it orders messages', () => {
    const orders = fc.record(
      {
        system: fc.constantFrom('one' as const, 'user' as const),
        alternate: fc.constant(true as const),
        userFirst: fc.constant('…'),
        someUser: fc.constant('…'),
        behindResult: fc.constant('Well.'),
        assistantLast: fc.constantFrom('prefix' as const, 'trimmed' as const),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(orders, fc.array(message, { maxLength: 8 }), (rules, described) => {
        const messages = described.map(({ role, content: given, thought }, n): Message => {
          const texts = Array.isArray(given)
            ? given.map((text, i) => said.text(`t${n}.${i}.${text}`))
            : given === null
              ? null
              : `t${n}.${given}`;
          if (role === 'assistant') return { ...said.assistant(texts), ...(thought !== null && { reasoning_content: `r${n}.${thought}` }) };
          return role === 'tool' ? said.result('a', texts) : { role, content: texts };
        });
        const sent = fittedMessages(rules, messages);
        expect(textsOf(sent)).toEqual(textsOf(messages));
        if (rules.system) expect(sent.findLastIndex(({ role }) => role === 'system' || role === 'developer')).toBeLessThanOrEqual(0);
        if (rules.alternate) expect(sent.some(({ role }, n) => role === 'user' && sent[n - 1]?.role === 'user')).toBe(false);
        if (rules.userFirst) expect(sent.find(({ role }) => !['system', 'developer'].includes(role))?.role).not.toBe('assistant');
        if (rules.behindResult) expect(sent.some(({ role }, n) => role === 'user' && sent[n - 1]?.role === 'tool')).toBe(false);
      }),
    );
  });
});
