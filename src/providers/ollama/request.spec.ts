import type * as ollama from 'ollama';
import type * as ours from './wire.js';
import type { ChatGenerationRequest, CompletionGenerationRequest } from '../../wire/generation.js';
import { describeLongTexts } from '../testing/describe-long-texts.js';
import { ollamaOptions, type OllamaOptions } from './ollama.type.js';
import { unknownTraits } from './offered-models.js';
import { chatBody, generateBody } from './request.js';
import { said } from '../../wire/testing/said.js';

const chat: ChatGenerationRequest = { operation: 'chat', model: 'm', stream: false, n: 1, messages: [said.user('hi')] };
const completion: CompletionGenerationRequest = { operation: 'completion', model: 'm', stream: true, n: 1, prompt: 'The' };
const png = 'iVBORw0KGgo=';

const terms = (options: Partial<OllamaOptions> = {}, traits = unknownTraits) => ({
  upstreamModel: 'qwen3:latest',
  options: ollamaOptions.parse(options),
  traits,
});

function body(fields: Partial<ChatGenerationRequest>, given = terms()) {
  const dropped: string[] = [];
  const built = chatBody({ ...chat, ...fields }, given, (name) => dropped.push(name));
  return { ...(JSON.parse(JSON.stringify(built)) as typeof built), dropped };
}

const refusal = (fields: Partial<ChatGenerationRequest>): unknown => {
  try {
    return body(fields);
  } catch (error) {
    return error;
  }
};

describe('chatBody', () => {
  it('has nothing that the client has not said, but the stream and what becomes of a long conversation', () => {
    expect(body({})).toEqual({
      model: 'qwen3:latest',
      stream: false,
      truncate: false,
      options: {},
      messages: [said.user('hi')],
      dropped: [],
    });
  });

  it('translates sampling and limits to options', () => {
    const same = { temperature: 0, top_p: 0.5, seed: 7, presence_penalty: 1, frequency_penalty: -1, stop: ['a', 'b'] };
    const own = { top_k: 40, min_p: 0.1, repeat_penalty: 1.1 };
    const { options } = body({ ...same, max_tokens: 9, extra: { ...own, repeat_last_n: null, other: 1 } });
    expect(options).toEqual({ ...same, ...own, num_predict: 9 });
  });

  it('has what the entry’s options say', () => {
    const options = { keep_alive: '30m', num_ctx: 16_384, truncate: true };
    expect(body({}, terms(options))).toMatchObject({ keep_alive: '30m', truncate: true, options: { num_ctx: 16_384 } });
    expect(body({}, terms({ keep_alive: -1 }))).toMatchObject({ keep_alive: -1 });
  });

  it('keeps the order of the messages, and the roles', () => {
    const { messages } = body({
      messages: [
        { role: 'developer', content: 'Be brief.' },
        said.user([said.text('one'), said.text('two')]),
        { role: 'assistant', content: null, refusal: 'No.' },
        said.system('Still.'),
      ],
    });
    expect(messages).toEqual([said.system('Be brief.'), said.user('one\ntwo'), said.assistant('No.'), said.system('Still.')]);
  });

  it('tells tools, their calls with arguments as objects, and the names of their results', () => {
    const { messages, tools } = body({
      tools: [
        {
          type: 'function',
          function: { name: 'tide', description: 'Looks.', parameters: { type: 'object', required: ['port'] }, strict: true },
        },
      ],
      messages: [
        {
          role: 'assistant',
          content: null,
          reasoning_content: 'Let me see.',
          tool_calls: [said.call('c1', 'tide', '{"port":"Bergen"}'), said.call('c2', 'now', '')],
        },
        said.result('c2', 'noon'),
        said.result('c1', [said.text('2 m')]),
        { role: 'tool', tool_call_id: 'c9', name: 'other', content: 'x' },
        { ...said.assistant('Two metres.'), tool_calls: null as never },
      ],
    });
    expect(tools).toEqual([
      {
        type: 'function',
        function: { name: 'tide', description: 'Looks.', parameters: { type: 'object', properties: {}, required: ['port'] } },
      },
    ]);
    expect(messages).toEqual([
      {
        role: 'assistant',
        content: '',
        thinking: 'Let me see.',
        tool_calls: [
          { id: 'c1', function: { name: 'tide', arguments: { port: 'Bergen' } } },
          { id: 'c2', function: { name: 'now', arguments: {} } },
        ],
      },
      { role: 'tool', content: 'noon', tool_name: 'now', tool_call_id: 'c2' },
      { role: 'tool', content: '2 m', tool_name: 'tide', tool_call_id: 'c1' },
      { role: 'tool', content: 'x', tool_name: 'other', tool_call_id: 'c9' },
      said.assistant('Two metres.'),
    ]);
  });

  it('takes images and sound out of data: URLs', () => {
    const content = [
      { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
      said.text('What is it?'),
      { type: 'image_url', image_url: { url: `DATA:;BASE64,${png}` } },
      { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
    ];
    expect(body({ messages: [said.user(content)] }).messages).toEqual([
      { role: 'user', content: 'What is it?', images: [png, png, 'UklGRg=='] },
    ]);
  });

  it.each([
    [
      'an address of an image',
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
      /content\[0\] has an image .* data: URL/,
    ],
    ['a path', { type: 'image_url', image_url: { url: '/etc/passwd' } }, /data: URL/],
    ['a data: URL that is no base64', { type: 'image_url', image_url: { url: 'data:image/svg+xml,<svg/>' } }, /data: URL/],
    ['sound without data', { type: 'input_audio', input_audio: {} }, /input_audio/],
    ['a file', { type: 'file', file: { file_data: `data:application/pdf;base64,${png}` } }, /'file'/],
  ])('refuses %s', (_, part, message) => {
    const error = refusal({ messages: [said.user([part])] });
    expect(error).toMatchObject({ name: 'ProviderError', kind: 'invalid_request', message: expect.stringMatching(message) as string });
  });

  it('refuses arguments that are no object', () => {
    const tool_calls = [said.call('c', 'f', '[1]')];
    expect(refusal({ messages: [said.assistant(null, tool_calls)] })).toMatchObject({
      kind: 'invalid_request',
      message: 'messages[0].tool_calls[0].function.arguments is not a JSON object of at most 100 levels',
    });
  });

  it.each([
    [{ type: 'text' }, undefined],
    [{ type: 'json_object' }, 'json'],
    [{ type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } }, { type: 'object' }],
    [{ type: 'json_schema', json_schema: { name: 'a' } }, 'json'],
  ] as const)('has the format of %j', (response_format, format) => {
    expect(body({ response_format }).format).toEqual(format);
  });

  it('asks for log probabilities as the vendor counts them', () => {
    expect(body({ logprobs: true })).toMatchObject({ logprobs: true });
    expect(body({ logprobs: true, top_logprobs: 3 })).toMatchObject({ logprobs: true, top_logprobs: 3 });
    expect(body({ logprobs: false })).not.toHaveProperty('logprobs');
  });

  const booleans = [false, true];
  const levels = ['low', 'medium', 'high'];
  const all = [false, 'low', 'high', 'max'];
  it.each([
    ['none', booleans, false],
    ['low', booleans, true],
    ['max', booleans, true],
    ['none', levels, 'low'],
    ['minimal', levels, 'low'],
    ['medium', levels, 'medium'],
    ['xhigh', levels, 'high'],
    ['none', all, false],
    ['medium', all, 'low'],
    ['max', all, 'max'],
    ['xhigh', all, 'high'],
    ['high', unknownTraits.thinking, 'high'],
    ['max', unknownTraits.thinking, 'high'],
  ])('has an effort of %s among %j as %j', (reasoning_effort, thinking, think) => {
    expect(body({ reasoning_effort }, terms({}, { thinking }))).toMatchObject({ think, dropped: [] });
    expect(body({ extra: { reasoning: { effort: reasoning_effort } } }, terms({}, { thinking }))).toMatchObject({ think });
  });

  it('drops an effort that the model has nothing for', () => {
    expect(body({ reasoning_effort: 'high' }, terms({}, { thinking: [] })).dropped).toEqual(['reasoning_effort']);
    expect(body({ reasoning_effort: 'none' }, terms({}, { thinking: [true] })).dropped).toEqual(['reasoning_effort']);
    expect(body({ extra: { reasoning: { effort: 'wild' } } }).dropped).toEqual(['reasoning']);
    expect(body({ extra: { reasoning: { enabled: true }, think: 7 } }).dropped).toEqual(['reasoning', 'think']);
    expect(body({ extra: { reasoning: null, think: null } }).dropped).toEqual([]);
  });

  it('passes on the vendor’s own word for it, unless the client says both', () => {
    expect(body({ extra: { think: 'ultra' } }).think).toBe('ultra');
    expect(body({ extra: { think: false } }).think).toBe(false);
    expect(body({ extra: { think: false }, reasoning_effort: 'low' }).think).toBe('low');
  });
});

describe('chatBody of a large request', () => {
  describeLongTexts((request) => chatBody(request, terms(), () => undefined));
});

describe('generateBody', () => {
  it('has the prompt, and switches thoughts off where the model can do without', () => {
    expect(generateBody(completion, terms())).toMatchObject({ prompt: 'The', stream: true, think: false });
    expect(generateBody(completion, terms({}, { thinking: ['low'] }))).not.toHaveProperty('think');
  });

  it('leaves the template out where the entry says so, unless a suffix needs it', () => {
    expect(generateBody(completion, terms())).not.toHaveProperty('raw');
    expect(generateBody(completion, terms({ raw_completions: true }))).toMatchObject({ raw: true });
    const filled = generateBody({ ...completion, suffix: 'end' }, terms({ raw_completions: true }));
    expect([filled.suffix, filled.raw]).toEqual(['end', undefined]);
  });

  it('asks for log probabilities, also for none but the chosen', () => {
    expect(generateBody({ ...completion, logprobs: 0 }, terms())).toMatchObject({ logprobs: true });
    expect(generateBody({ ...completion, logprobs: 0 }, terms())).not.toHaveProperty('top_logprobs');
    expect(generateBody({ ...completion, logprobs: 5 }, terms())).toMatchObject({ logprobs: true, top_logprobs: 5 });
  });
});

/** Fails to compile where `A` is not a `B`. */
type Is<A extends B, B> = A;

/** What its client's types lack, and its server reads: api/types.go of github.com/ollama/ollama. */
type Unlisted = 'truncate' | 'tool_call_id';

/** What we send, the vendor's own client may send. The words of `think` are each model's own. */
type Sent = [
  Is<Exclude<keyof ours.ChatBody, Unlisted>, keyof ollama.ChatRequest>,
  Is<Omit<ours.ChatBody, Unlisted | 'think'>, ollama.ChatRequest>,
  Is<Exclude<keyof ours.GenerateBody, Unlisted>, keyof ollama.GenerateRequest>,
  Is<Omit<ours.GenerateBody, Unlisted | 'think'>, ollama.GenerateRequest>,
  Is<Exclude<keyof ours.OllamaMessage, Unlisted>, keyof ollama.Message>,
  Is<Exclude<keyof ours.OllamaToolCall, 'id'>, keyof ollama.ToolCall>,
  Is<ours.OllamaTool, ollama.Tool>,
  Is<KnownKeys<ours.ModelOptions>, keyof ollama.Options>,
  Is<(typeof import('./model-options.js').optionNames)[number], keyof ollama.Options>,
];

/** The names of a type that has others, too. */
type KnownKeys<T> = keyof { [Name in keyof T as string extends Name ? never : Name]: T[Name] };

/** What the vendor's own client reads, we read. */
type Read = [
  Is<ollama.ChatResponse, ours.OllamaResponse>,
  Is<ollama.GenerateResponse, ours.OllamaResponse>,
  Is<Exclude<keyof ours.OllamaResponse, 'error' | 'prompt_eval_cached_count'>, keyof ollama.ChatResponse | keyof ollama.GenerateResponse>,
  Is<ollama.ListResponse, ours.TagsResponse>,
  Is<keyof ours.TagsResponse['models'][number], keyof ollama.ModelResponse>,
  Is<ollama.ShowResponse, ours.ShowResponse>,
  Is<Exclude<keyof ours.ShowResponse, 'thinking'>, keyof ollama.ShowResponse>,
];

it('the wire types are those of Ollama’s own client, which the compiler checks', () => {
  const checked: [Sent, Read] | undefined = undefined;
  expect(checked).toBeUndefined();
});
