import { said } from '../src/wire/testing/said.js';
import { Gateway } from './support/gateway.js';
import { vendor } from '../src/providers/testing/strict-vendors/strict-vendors.js';
import { useLoopbackOnly } from './support/loopback-only.js';
import { chatReply, jsonReply } from './support/openai-bytes.js';
import { useGateway, useUpstream } from './support/started.js';
import { expectError } from './support/wire-schemas.js';
import { chatCompletionsVendor } from './vendors/chat-completions-vendor.js';

useLoopbackOnly();

const price = { prompt: '1', completion: '1' };
const room = { context_length: 100_000, max_tokens: 1_000 };
const facts = { ...room, pricing: price };
const question = said.user('Read it.');

/** Its template takes each role anywhere. */
const liberal = { ...facts, upstream_model: 'openai-gpt-oss-120b' };

describe('What a vendor does not take', () => {
  const upstream = useUpstream();
  const gateway = useGateway(() =>
    Gateway.start({
      providers: {
        mistral: { type: 'mistral', base_url: `${upstream.origin}/v1`, api_key: 'key', models: { 'mistral-large-latest': facts } },
        package: {
          type: 'ai-sdk',
          base_url: `${upstream.origin}/v1`,
          api_key: 'key',
          options: { package: '@ai-sdk/mistral' },
          models: { 'mistral-large-2512': facts },
        },
        deepseek: { type: 'deepseek', base_url: `${upstream.origin}/v1`, api_key: 'key', models: { 'deepseek-chat': facts } },
        first: { base_url: `${upstream.origin}/first/v1`, api_key: 'key', models: { shared: facts } },
        second: { base_url: `${upstream.origin}/second/v1`, api_key: 'key', models: { shared: facts } },
        own: {
          base_url: `${upstream.origin}/v1`,
          api_key: 'key',
          models: { plain: facts, liberal: { ...liberal, system_messages: 'anywhere' }, named: liberal },
        },
        unlisted: { base_url: `${upstream.origin}/v1`, free: true, open: { ...room, system_messages: 'anywhere' } },
        ...Object.fromEntries(
          ['groq', 'cerebras', 'fireworks', 'xai', 'openai'].map((type) => [
            type,
            { type, base_url: `${upstream.origin}/v1`, api_key: 'key', prefix: `${type}/`, models: { m: facts } },
          ]),
        ),
        aws: {
          type: 'bedrock',
          base_url: upstream.origin,
          api_key: 'key',
          options: { region: 'us-east-1' },
          models: { 'amazon.nova-pro-v1:0': facts },
        },
      },
      models: { named: { system_messages: 'anywhere' }, 'deepseek-chat': { system_messages: 'one' } },
    }),
  );

  /** By its own wire, and by its package. */
  const mistrals = ['mistral-large-latest', 'mistral-large-2512'];
  const name = 'files.read';
  const id = `toolu_${'0'.repeat(300)}`;
  const parameters = { type: 'object', properties: {} };
  const result = 'It is empty.';

  /** The second turn of a conversation with a call. */
  const turns: Readonly<Record<string, object>> = {
    'chat/completions': {
      tools: [{ type: 'function', function: { name, parameters } }],
      tool_choice: { type: 'function', function: { name } },
      messages: [question, said.assistant(null, [said.call(id, name, '{}')]), said.result(id, result)],
    },
    messages: {
      max_tokens: 50,
      tools: [{ name, input_schema: parameters }],
      tool_choice: { type: 'tool', name },
      messages: [
        question,
        said.assistant([{ type: 'tool_use', id, name, input: {} }]),
        said.user([{ type: 'tool_result', tool_use_id: id, content: result }]),
      ],
    },
    responses: {
      tools: [{ type: 'function', name, parameters }],
      tool_choice: { type: 'function', name },
      input: [
        question,
        { type: 'function_call', call_id: id, name, arguments: '{}' },
        { type: 'function_call_output', call_id: id, output: result },
      ],
    },
  };

  const second = mistrals.flatMap((model) =>
    Object.keys(turns).flatMap((path) => [false, true].map((stream) => [model, path, stream] as const)),
  );
  it.each(second)('is changed for it, and changed back in answers: %s, %s (stream: %s)', async (model, path, stream) => {
    upstream.accepts = vendor('mistral');
    upstream.replies((request) => {
      const { tools } = chatCompletionsVendor.asked({ ...request, body: request.body.replaceAll(result, '{}') });
      return chatCompletionsVendor.answer({ calls: [{ id: 'abcdef123', name: tools[0]!.name, arguments: {} }] }, stream);
    });
    const body = { model, ...turns[path] };
    const answer = stream ? await (await gateway.stream(path, body)).text() : (await gateway.post(path, body).expect(200)).text;
    const { messages, tools, tool_choice } = JSON.parse(upstream.requests.at(-1)!.body) as {
      messages: { tool_calls?: { id: string; function: { name: string } }[]; tool_call_id?: string }[];
      tools: { function: { name: string } }[];
      tool_choice: object;
    };
    const sent = tools[0]!.function.name;
    expect(sent).toMatch(/^files_read_[a-z\d]{8}$/);
    expect(tool_choice).toEqual({ type: 'function', function: { name: sent } });
    const [call] = messages[1]!.tool_calls!;
    expect([call!.function.name, call!.id]).toEqual([sent, expect.stringMatching(/^[a-z\d]{9}$/)]);
    expect(messages[2]!.tool_call_id).toBe(call!.id);
    expect(answer).toContain(`"${name}"`);
    expect(answer).toContain('"abcdef123"');
    expect(answer).not.toContain(sent);
  });

  afterEach(() => {
    upstream.accepts = undefined;
  });

  it.each(mistrals)('is the user behind a result, where the assistant has said nothing: %s', async (model) => {
    upstream.accepts = vendor('mistral');
    upstream.replies(chatCompletionsVendor.answer({ text: 'Hi' }, false));
    const messages = [question, said.assistant(null, [said.call(id, 'f', '{}')]), said.result(id, result), question, question];
    await gateway.post('chat/completions', { model, messages }).expect(200);
    const sent = JSON.parse(upstream.requests.at(-1)!.body) as { messages: { role: string; content: unknown }[] };
    expect(sent.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
    expect(sent.messages[3]!.content).toBe('…');
  });

  it.each(mistrals)('is the user behind a message of the system alone: %s', async (model) => {
    upstream.accepts = vendor('mistral');
    upstream.replies(chatCompletionsVendor.answer({ text: 'Hi' }, false));
    await gateway.post('chat/completions', { model, messages: [said.system('Be brief.')] }).expect(200);
    const sent = JSON.parse(upstream.requests.at(-1)!.body) as { messages: object[] };
    expect(sent.messages.at(-1)).toMatchObject({ role: 'user' });
  });

  it.each<[string, object, object]>([
    ['groq/m', {}, { content: 'No' }],
    ['mistral-large-latest', {}, { content: 'No' }],
    ['fireworks/m', {}, { content: 'No' }],
    ['cerebras/m', { name: 'Eva' }, { content: 'No' }],
    ['openai/m', { name: 'Eva' }, { content: null, refusal: 'No' }],
    ['xai/m', { id: 'a' }, { content: '', refusal: 'No', id: 'b' }],
    ['plain', { name: 'Eva', id: 'a' }, { content: null, refusal: 'No', id: 'b' }],
  ])('are members of messages: %s', async (asked, user, assistant) => {
    upstream.replies(chatReply('Hi'));
    const members = { function_call: null, tool_calls: [], audio: null };
    const messages = [{ ...question, name: 'Eva', id: 'a' }, { ...said.assistant(null), refusal: 'No', id: 'b', ...members }, question];
    await gateway.post('chat/completions', { model: asked, messages }).expect(200);
    const sent = JSON.parse(upstream.requests.at(-1)!.body) as { messages: object[] };
    expect(sent.messages).toEqual([{ ...question, ...user }, { role: 'assistant', ...assistant }, question]);
  });

  it.each([
    ['plain', ['system', 'user']],
    ['liberal', ['user', 'developer', 'system']],
    ['unlisted/openai-gpt-oss-120b', ['user', 'developer', 'system']],
    ['named', ['user', 'developer', 'system']],
    ['deepseek-chat', ['system', 'user']],
  ])('are late system messages, as the operator or the provider says: %s', async (asked, roles) => {
    upstream.replies(chatReply('Hi'));
    const messages = [question, { role: 'developer', content: 'a' }, said.system('b')];
    await gateway.post('chat/completions', { model: asked, messages }).expect(200);
    const sent = JSON.parse(upstream.requests.at(-1)!.body) as { messages: { role: string }[] };
    expect(sent.messages.map(({ role }) => role)).toEqual(roles);
  });

  it('is asked of another offer where the limit was not known, and refused by its name where each has it', async () => {
    const refusal = jsonReply({ error: { message: "Invalid 'messages[1].name': string too long.", code: 'string_above_max_length' } }, 400);
    upstream.replies(({ path }) => (path.startsWith('/first') ? refusal : chatReply('Hi')));
    const body = { model: 'shared', messages: [question, { ...question, name: 'a'.repeat(70) }] };
    for (let n = 0; n < 3; n++) await gateway.post('chat/completions', body).expect(200);
    upstream.replies(refusal);
    expectError(await gateway.post('chat/completions', body), 400, 'invalid_request');
  });

  it.each([
    ['deepseek-chat', 'response_format', { response_format: { type: 'json_schema', json_schema: { name: 'a', schema: parameters } } }],
    ['amazon.nova-pro-v1:0', 'messages', { messages: [question, said.assistant('{')] }],
  ])('is refused by name before a credit is held: %s, %s', async (asked, named, more) => {
    const { liveKey } = await gateway.newCustomer('0');
    const answer = await gateway.post('chat/completions', { model: asked, messages: [question], ...more }, liveKey);
    expectError(answer, 400, 'unsupported_parameter');
    expect((answer.body as { error: { message: string } }).error.message).toContain(named);
  });
});

const matching = "string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.";
const google = (message: string) => ({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } });
const naming = 'Invalid function name. Must start with a letter or an underscore. Must be a-z, A-Z, 0-9, with a maximum length of 64.';

/** What vendors say to a value beyond a limit of theirs, as their users have reported it (github.com/OWNER/NAME#ISSUE). */
const limits: readonly (readonly [type: string, where: string, body: object])[] = [
  [
    'openai',
    'xinnan-tech/xiaozhi-esp32-server#1466',
    { error: { message: `Invalid 'tools[8].function.name': ${matching}`, code: 'invalid_value' } },
  ],
  ['openai', 'langchain-ai/opengpts#11', { error: { message: "'a b' does not match '^[a-zA-Z0-9_-]{1,64}$' - 'functions.0.name'" } }],
  [
    'azure',
    'vishalmysore/Tools4AI#16',
    { error: { message: "Invalid 'tools': array too long. Expected an array with maximum length 128." } },
  ],
  [
    'deepseek',
    'zed-industries/zed#57531',
    { error: { message: `Invalid 'tools[11].function.name': ${matching}`, code: 'invalid_request_error' } },
  ],
  [
    'deepseek',
    'mrexodia/ida-pro-mcp#129',
    { error: { message: "Invalid 'tools[43].function.name': string too long. Expected a string with maximum length 64." } },
  ],
  [
    'groq',
    'HunorLaczko/ha-groq-cloud-api#25',
    { error: { message: "'tools' : maximum number of items is 128", type: 'invalid_request_error' } },
  ],
  ['xai', 'anomalyco/opencode#28911', { error: 'Maximum tools limit reached. 219 tools have been provided but the maximum is 200.' }],
  ['mistral', 'anomalyco/opencode#1680', { message: 'Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.' }],
  ['vllm', 'vllm-project/vllm#9739', { object: 'error', message: 'At most 1 image(s) may be provided in one request.', code: 400 }],
  ['vllm', 'vllm-project/vllm#31870', { error: { message: 'Requested sample logprobs of 25, which is greater than max allowed: 20' } }],
  ['gemini', 'google-gemini/gemini-cli#7878', google(`* tools[0].function_declarations[12].name: [FIELD_INVALID] ${naming}`)],
  ['gemini', 'google-gemini/gemini-cli#19083', google('* tools[0]: [FIELD_INVALID] At most 512 function declarations can be specified.')],
  ['gemini', 'google-gemini/gemini-cli#6031', google('A FunctionDeclaration in the request exceeds the maximum allowed nesting depth.')],
  ['vertex', 'googleapis/python-genai#660', google('The specified schema produces a constraint that has too many states for serving.')],
  [
    'cohere',
    'langflow-ai/langflow#5465',
    { message: "invalid request: tool names can only contain certain characters (provided name: 'a-b')." },
  ],
  [
    'ollama',
    'ollama/ollama#10328',
    { error: 'json: cannot unmarshal array into Go struct field .tools.function.parameters of type string' },
  ],
  [
    'anthropic',
    'github/copilot-cli#454',
    {
      type: 'error',
      error: { type: 'invalid_request_error', message: "tools.8.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'" },
    },
  ],
  ['bedrock', 'openclaw/openclaw#12892', { message: "Value at 'toolUse.name' failed: Member must have length less than or equal to 64" }],
];

describe('A limit of one vendor', () => {
  const upstream = useUpstream();
  const types = [...new Set(limits.map(([type]) => type))];
  const gateway = useGateway(() => {
    const entries = types.map((type) => [
      type,
      {
        type,
        base_url: `${upstream.origin}/first${type === 'gemini' ? '/v1beta' : '/v1'}`,
        api_key: 'key',
        options: type === 'bedrock' ? { region: 'us-east-1' } : type === 'vertex' ? { project: 'p-1', location: 'global' } : {},
        models: { [`by-${type}`]: { ...facts, upstream_model: type === 'gemini' || type === 'vertex' ? 'gemini-2.5-flash' : 'm' } },
      },
    ]);
    const second = {
      base_url: `${upstream.origin}/second/v1`,
      api_key: 'key',
      models: Object.fromEntries(types.map((type) => [`by-${type}`, facts])),
    };
    return Gateway.start({ providers: { ...(Object.fromEntries(entries) as object), second } });
  });

  it.each(limits)('is asked of another: %s (%s)', async (type, _where, body) => {
    const asked: string[] = [];
    upstream.replies(({ path }) => {
      asked.push(path);
      return path.startsWith('/second') ? chatReply('Hi') : jsonReply(body, 400);
    });
    await gateway.post('chat/completions', { model: `by-${type}`, messages: [question] }).expect(200);
    expect(asked).toEqual([expect.stringMatching(/^\/first/), '/second/v1/chat/completions']);
  });
});
