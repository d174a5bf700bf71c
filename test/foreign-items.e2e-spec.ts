import { said } from '../src/wire/testing/said.js';
import { Gateway } from './support/gateway.js';
import { useLoopbackOnly } from './support/loopback-only.js';
import { noonChat as chat, noonMessage as message } from './support/vendor-answers.js';
import { chatEvents, jsonReply } from './support/openai-bytes.js';
import { ResponseStreamMachine } from './support/response-stream.js';
import { useGateway, useUpstream } from './support/started.js';
import { streamedResponse, text, VENDOR_ID, wholeResponse } from './support/vendor-response.js';
import { expectError } from './support/wire-schemas.js';
import { json, sse } from './vendors/vendor.js';

useLoopbackOnly();

const usage = { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 };
const query = '{"query":"issues"}';
const search = { type: 'tool_search', execution: 'client', description: 'Finds.', parameters: { type: 'object' } };
const searched = { type: 'tool_search_call', call_id: 'call_s', execution: 'client', status: 'completed', arguments: { query: 'issues' } };
const compaction = { type: 'compaction', encrypted_content: 'enc' };
const [ask, next] = [said.user('Ask.'), said.user('Next.')];

describe('Items and blocks that not every model knows', () => {
  const upstream = useUpstream();
  const gateway = useGateway(() => {
    const entry = (model: string, more: object = {}) => ({
      base_url: `${upstream.origin}/v1`,
      free: true,
      models: { [model]: {} },
      ...more,
    });
    return Gateway.start({
      providers: {
        engine: entry('engine'),
        openai: entry('gpt', { type: 'openai', api_key: 'key' }),
        plain: entry('plain', { options: { responses: true } }),
        some: entry('some', { options: { responses: true, hosted_tools: ['web_search'] } }),
        claude: { type: 'anthropic', base_url: upstream.origin, api_key: 'key', free: true, models: { 'claude-haiku-4-5': {} } },
      },
    });
  });
  beforeEach(() => {
    upstream.requests.length = 0;
  });

  const sent = () => JSON.parse(upstream.requests.at(-1)!.body) as { input?: object[]; messages?: object[]; tools?: object[] };
  const droppedBy = ({ headers }: { headers: Record<string, string> }) => headers['x-switchyard-dropped-parameters'];

  async function answerOf(body: object, stream: boolean) {
    const answer = await (await gateway.stream('responses', { ...body, stream })).text();
    expect(answer).not.toContain(VENDOR_ID);
    return (stream ? ResponseStreamMachine.run(answer) : JSON.parse(answer)) as { output: object[] };
  }

  it.each([false, true])('a chat model asks for a search of the client’s tools by a function; streamed: %p', async (stream) => {
    const calls = [{ ...said.call('call_s', 'tool_search', query), index: 0 }];
    const choice = { index: 0, finish_reason: 'tool_calls' };
    upstream.replies(() =>
      stream
        ? { headers: sse, body: `${chatEvents([{ ...choice, delta: { tool_calls: calls } }])}data: [DONE]\n\n` }
        : jsonReply({ choices: [{ ...choice, message: said.assistant(null, calls) }], usage }),
    );
    const { output } = await answerOf({ model: 'engine', input: 'Ask.', tools: [search] }, stream);
    expect(output).toEqual([{ ...searched, id: expect.stringMatching(/^tsc_/) as string }]);
  });

  it.each([false, true])('a vendor’s own search of the client’s tools comes back; streamed: %p', async (stream) => {
    const output = [{ ...searched, id: `tsc_${VENDOR_ID}` }, text('Wait.')];
    upstream.replies(() => ({ headers: stream ? sse : json, body: stream ? streamedResponse(output) : wholeResponse(output) }));
    const answer = await answerOf({ model: 'gpt', input: 'Ask.', tools: [search] }, stream);
    expect(answer.output[0]).toEqual({ ...searched, id: expect.stringMatching(/^tsc_/) as string });
    expect(sent().tools).toEqual([search]);
  });

  const later = {
    type: 'function',
    name: 'container_id',
    parameters: { type: 'object', properties: { file_id: {} } },
    defer_loading: true,
    strict: false,
  };
  const space = { type: 'namespace', name: 'jira', description: 'Issues.', tools: [{ ...later, name: 'find' }] };
  const searching = [{ type: 'tool_search' }, later, space];
  const own = { call_id: null, execution: 'server', status: 'completed' };
  const output = [
    { type: 'tool_search_call', id: `tsc_${VENDOR_ID}`, ...own, arguments: { paths: ['jira'] } },
    { type: 'tool_search_output', id: `tso_${VENDOR_ID}`, ...own, tools: [later] },
    text('Wait.'),
  ];

  describe.each([false, true])('tools that a vendor searches for itself; streamed: %p', (stream) => {
    it('go both ways at one that does, and on in the conversation', async () => {
      upstream.replies(() => ({ headers: stream ? sse : json, body: stream ? streamedResponse(output) : wholeResponse(output) }));
      const first = await answerOf({ model: 'gpt', input: [ask], tools: searching }, stream);
      expect(first.output.slice(0, 2)).toEqual([
        { ...output[0], id: expect.stringMatching(/^tsc_/) as string },
        { ...output[1], id: expect.stringMatching(/^tso_/) as string },
      ]);
      expect(sent().tools).toEqual([later, { ...later, name: 'jira__find' }, { type: 'tool_search' }]);
      await answerOf({ model: 'gpt', input: [ask, ...first.output, next], tools: searching }, stream);
      expect(sent().input).toMatchObject([
        ask,
        { type: 'tool_search_call', execution: 'server', arguments: { paths: ['jira'] } },
        { type: 'tool_search_output', execution: 'server', tools: [later] },
        { type: 'message' },
        next,
      ]);
    });
  });

  it.each(['plain', 'engine'])('tools that a vendor searches for itself are offered at once at %s', async (model) => {
    upstream.replies(() => jsonReply(chat));
    const input = [ask, ...output.slice(0, 2).map((item) => ({ ...item, id: undefined })), next];
    const answer = await gateway.post('responses', { model, input, tools: searching.slice(0, 1) }).expect(200);
    expect(droppedBy(answer)).toBe('input.tool_search_call, tools.tool_search, tools.function.defer_loading');
    expect(sent().tools).toMatchObject([{ type: 'function', function: { name: 'container_id' } }]);
  });

  it.each([
    ['gpt', '/v1/responses', undefined],
    ['plain', '/v1/chat/completions', 'input.compaction'],
    ['engine', '/v1/chat/completions', 'input.compaction'],
    ['claude-haiku-4-5', '/v1/messages', 'input.compaction'],
  ])('an item of a vendor’s reaches %s at %s; left out: %p', async (model, path, left) => {
    upstream.replies(() =>
      path.endsWith('/responses')
        ? { headers: json, body: wholeResponse([text('Noon.')]) }
        : jsonReply(path.endsWith('/messages') ? message : chat),
    );
    const answer = await gateway.post('responses', { model, input: [ask, compaction, next] }).expect(200);
    expect([upstream.requests.at(-1)!.path, droppedBy(answer)]).toEqual([path, left]);
    if (!left) expect(sent().input).toContainEqual(compaction);
    else expect(JSON.stringify(sent())).not.toContain('enc"');
  });

  const hologram = { type: 'input_hologram', data: 'unheard' };

  it.each(['gpt', 'engine', 'claude-haiku-4-5'])('an unknown part of an earlier turn is left out: %s', async (model) => {
    upstream.replies(({ path }) =>
      path.endsWith('/responses')
        ? { headers: json, body: wholeResponse([text('Noon.')]) }
        : jsonReply(path.endsWith('/messages') ? message : chat),
    );
    const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' };
    const result = { type: 'function_call_output', call_id: 'c', output: [hologram, { type: 'input_text', text: 'Found.' }] };
    const shown = said.user([{ type: 'input_text', text: 'Ask.' }, hologram]);
    const earlier = [shown, said.user([hologram]), call, result, said.assistant('Found.')];
    const answer = await gateway.post('responses', { model, input: [...earlier, next] }).expect(200);
    expect(droppedBy(answer)).toBe('input.content.input_hologram, input.output.input_hologram');
    expect(upstream.requests.at(-1)!.body).toMatch(/Ask\..*Found\./);
    expect(upstream.requests.at(-1)!.body).not.toContain('hologram');
    for (const input of [
      [next, shown],
      [...earlier, shown, next],
      [next, call, result, next],
    ])
      expectError(await gateway.post('responses', { model, input }), 400, 'invalid_request');
    const unnamed = said.user([{ type: 7 }]);
    expectError(await gateway.post('responses', { model, input: [unnamed, next] }), 400, 'invalid_request');
  });

  it('an item of a vendor’s is left out where its format cannot be asked', async () => {
    upstream.replies(() => jsonReply(chat));
    const answer = await gateway.post('responses', { model: 'gpt', max_output_tokens: 5, input: [ask, compaction, next] }).expect(200);
    expect(droppedBy(answer)).toBe('input.compaction');
  });

  it('the answer is to no item that the model does not read', async () => {
    const { body } = await gateway.post('responses', { model: 'engine', input: [ask, compaction] }).expect(400);
    expect(body).toMatchObject({
      error: { code: 'unsupported_parameter', message: expect.stringContaining("'input.compaction'") as string },
    });
    expect(upstream.requests).toEqual([]);
  });

  it.each([
    ['some', { type: 'web_search_call', action: { type: 'search', query: 'tides' }, status: 'completed' }, undefined],
    ['some', { type: 'file_search_call', queries: ['tides'], status: 'completed' }, 'input.file_search_call'],
    ['gpt', { type: 'file_search_call', queries: ['tides'], status: 'completed' }, undefined],
    ['gpt', { type: 'code_interpreter_call', code: '1+1', container_id: 'theirs', outputs: [] }, 'input.code_interpreter_call'],
  ])('a vendor gets the items of tools that it has: %s, %j', async (model, item, left) => {
    upstream.replies({ headers: json, body: wholeResponse([text('Noon.')]) });
    const answer = await gateway.post('responses', { model, input: [ask, item, next] }).expect(200);
    expect([droppedBy(answer), sent().input!.length]).toEqual([left, left ? 2 : 3]);
    const { status, body } = await gateway.post('responses', { model, input: [ask, item] });
    if (left) expectError({ status, body }, 400, 'unsupported_parameter');
    else expect(status).toBe(200);
  });

  describe('in Messages', () => {
    const reference = { type: 'tool_reference', tool_name: 'list_issues' };
    const tools = [
      { name: 'find', input_schema: { type: 'object', properties: {} } },
      { name: 'list_issues', input_schema: { type: 'object', properties: {} }, defer_loading: true },
    ];
    const unknown = { type: 'time_travel' };
    const conversation = (answer: object[], found: object[] = [reference]) => [
      ask,
      said.assistant([...answer, { type: 'tool_use', id: 't', name: 'find', input: {} }]),
      said.user([{ type: 'tool_result', tool_use_id: 't', content: found }]),
    ];

    it('go on as they came to Anthropic, and in words to others', async () => {
      upstream.replies(({ path }) => jsonReply(path.endsWith('/messages') ? message : chat));
      const messages = conversation([]);
      await gateway.post('messages', { model: 'claude-haiku-4-5', max_tokens: 50, tools, messages }).expect(200);
      expect(sent()).toMatchObject({ messages, tools });
      await gateway.post('messages', { model: 'engine', max_tokens: 50, tools, messages }).expect(200);
      expect(sent().messages!.at(-1)).toMatchObject({ role: 'tool', content: 'list_issues' });
      expect(JSON.stringify(sent().tools)).not.toContain('defer_loading');
    });

    it.each<[string, object | undefined, string | undefined]>([
      ['engine', { reasoning: 'Hm.', reasoning_content: 'Hm.' }, 'thinking.signature'],
      ['claude-haiku-4-5', undefined, undefined],
    ])('keep the text of signed thinking where the server reads it, and name the signature: %s', async (model, reasoning, left) => {
      upstream.replies(({ path }) => jsonReply(path.endsWith('/messages') ? message : chat));
      const thought = { type: 'thinking', thinking: 'Hm.', signature: 'c2lnbmVk' };
      const messages = [ask, said.assistant([thought, said.text('Noon.')]), next];
      const answer = await gateway.post('messages', { model, max_tokens: 50, messages }).expect(200);
      expect(droppedBy(answer)).toBe(left);
      if (reasoning) expect(sent().messages![1]).toEqual({ ...said.assistant('Noon.'), ...reasoning });
      else expect(sent().messages).toEqual(messages);
    });

    it.each(['messages', 'messages/count_tokens'])('are told at %s where they are left out', async (path) => {
      upstream.replies(() => jsonReply(chat));
      const body = { model: 'engine', tools, messages: conversation([unknown]), ...(path === 'messages' && { max_tokens: 50 }) };
      const left = path === 'messages' ? 'tools.defer_loading, messages.content.time_travel' : 'messages.content.time_travel';
      expect(droppedBy(await gateway.post(path, body).expect(200))).toBe(left);
    });
  });
});

describe('What nobody knows, where nothing may be left out', () => {
  const upstream = useUpstream();
  const gateway = useGateway(() =>
    Gateway.start({
      providers: { engine: { base_url: `${upstream.origin}/v1`, free: true, models: { engine: {} } } },
      routing: { strict_parameters: true },
    }),
  );

  it.each([
    ['responses', 'input', { input: [ask, { type: 'time_travel' }, next] }],
    [
      'messages',
      'messages.content',
      { max_tokens: 50, messages: [ask, said.assistant([said.text('Noon.'), { type: 'time_travel' }]), next] },
    ],
  ])('is refused by name: %s', async (path, where, body) => {
    const refusal = await gateway.post(path, { model: 'engine', ...body }).expect(400);
    expect(JSON.stringify(refusal.body)).toContain(`'${where}.time_travel'`);
    expect(upstream.requests.filter(({ method }) => method === 'POST')).toEqual([]);
  });
});
