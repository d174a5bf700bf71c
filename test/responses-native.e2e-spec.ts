import type { Responses } from 'openai/resources/responses/responses';
import { ApiKeyStore } from '../src/auth/api-key-store.js';
import type { Reply } from '../src/providers/testing/loopback-upstream.js';
import { Administration } from './support/administration.js';
import { Gateway } from './support/gateway.js';
import { chatReply } from './support/openai-bytes.js';
import { ResponseStreamMachine } from './support/response-stream.js';
import { useGateway, useLedgerChecks, useUpstream } from './support/started.js';
import { until } from './support/until.js';
import {
  called,
  customCalled,
  type Ending,
  refusal,
  streamedResponse,
  text,
  thought,
  VENDOR_ID,
  wholeResponse,
} from './support/vendor-response.js';
import { json, sse } from './vendors/vendor.js';

type Item = Parameters<typeof streamedResponse>[0][number];
type Answer = Responses.Response;

const pricing = { prompt: '0.001', completion: '0.004' };
const facts = { pricing, context_length: 100_000, max_tokens: 10_000, capabilities: { vision: true } };
const ask = { model: 'gpt-loopback', input: 'Ask.', max_output_tokens: 200 };
const failing = [
  'a failure',
  'an overload',
  'a rate limit',
  'a refused prompt',
  'an unknown end',
  'a cut connection',
  'an end in the middle',
];
const parameters = { type: 'object', properties: {}, additionalProperties: false };
const functions = [{ type: 'function', name: 'weather', parameters, strict: true }];

describe('Responses at a provider that has them', () => {
  const upstream = useUpstream();
  const gateway = useGateway(() => {
    const base_url = `${upstream.origin}/v1`;
    const entry = (model: string, more: object) => ({ base_url, api_key: 'key', models: { [model]: facts }, ...more });
    return Gateway.start({
      routing: { retries: 0 },
      providers: {
        openai: entry('gpt-loopback', { type: 'openai' }),
        azure: entry('on-azure', { type: 'azure' }),
        engine: entry('engine', { base_url: `${upstream.origin}/own-server/v1`, options: { responses: true } }),
        'mistral-engine': entry('mistral-engine', { base_url: `${upstream.origin}/vllm/v1`, options: { responses: true } }),
        off: entry('off', { type: 'openai', options: { responses: false } }),
        plain: entry('plain', {}),
        // Failures of several customers pause an offer for all.
        failing: { ...entry('', { type: 'openai' }), models: Object.fromEntries(failing.map((name) => [name, facts])) },
        tools: {
          ...entry('tools', { type: 'openai' }),
          models: { tools: { ...facts, pricing: { ...pricing, search: '10', hosted_call: '5' } } },
        },
      },
    });
  });
  useLedgerChecks(gateway);

  const sent = () => JSON.parse(upstream.requests.at(-1)!.body) as Record<string, unknown>;
  const play = (output: readonly Item[], ending: Ending = {}, more: Reply = {}): void =>
    upstream.replies(({ body }) => {
      const { stream } = JSON.parse(body) as { stream: boolean };
      const said = stream ? streamedResponse(output, ending) : wholeResponse(output, ending);
      return { headers: stream ? sse : json, body: said, cuts: stream ? [100, 901, 1_702] : [], ...more };
    });

  /** The answer, whole or from a stream that keeps all rules, without a trace of the vendor's ids. */
  async function answered(body: object, stream: boolean): Promise<Answer> {
    const said = stream
      ? await (await gateway.stream('responses', body)).text()
      : JSON.stringify((await gateway.post('responses', body).expect(200)).body);
    expect(said).not.toContain(VENDOR_ID);
    return stream ? ResponseStreamMachine.run(said) : (JSON.parse(said) as Answer);
  }

  const itemsOf = ({ output }: Answer): unknown[] =>
    output.map((item) => {
      if (item.type === 'message') return item.content.map((part) => ('text' in part ? part.text : part.refusal));
      if (item.type === 'reasoning') return [item.summary.map((part) => part.text), item.encrypted_content];
      return item.type === 'function_call' ? [item.name, item.call_id, item.arguments] : [item.type, (item as { input?: string }).input];
    });

  it('is asked so where its model takes one system message alone', async () => {
    play([text('Hi')]);
    const input = [
      { role: 'developer', content: 'Be brief.' },
      { role: 'user', content: 'Ask.' },
    ];
    await answered({ ...ask, model: 'engine', instructions: 'Help.', input }, false);
    expect(upstream.requests.at(-1)!.path).toBe('/own-server/v1/responses');
    expect(sent()).toMatchObject({ instructions: 'Help.\n\nBe brief.', input: [{ type: 'message', role: 'user', content: 'Ask.' }] });
  });

  it('is asked so where its template refuses ids, and as a chat where it refuses the order', async () => {
    const call = { call_id: 'call_1', type: 'function_call', name: 'weather', arguments: '{}' };
    const question = { role: 'user', content: 'Ask.' };
    const input = [question, call, { call_id: 'call_1', type: 'function_call_output', output: 'x' }];
    play([text('Hi')]);
    await answered({ ...ask, model: 'mistral-engine', input }, false);
    expect(upstream.requests.at(-1)!.path).toBe('/vllm/v1/responses');
    const call_id = expect.stringMatching(/^[a-z\d]{9}$/) as unknown;
    expect(sent()['input']).toMatchObject([question, { call_id }, { call_id }]);
    upstream.replies(chatReply('Hi'));
    await answered({ ...ask, model: 'mistral-engine', input: [...input, question] }, false);
    expect(upstream.requests.at(-1)!.path).toBe('/vllm/v1/chat/completions');
  });

  it('is asked so where ids and names are changed for it, with its own state and the client’s names in answers', async () => {
    const id = `toolu_${'0'.repeat(300)}`;
    const name = 'files.read';
    const state = { type: 'reasoning', summary: [], encrypted_content: 'gAAAAABvendor' };
    const input = [
      { role: 'user', content: 'Ask.' },
      state,
      { type: 'function_call', call_id: id, name, arguments: '{}' },
      { type: 'function_call_output', call_id: id, output: 'x' },
    ];
    const tools = [{ type: 'function', name, parameters: { anyOf: [{ type: 'object', properties: {} }] }, strict: false }];
    for (const stream of [false, true]) {
      upstream.replies(({ body }) => {
        const asked = JSON.parse(body) as { tools: { name: string }[] };
        const output = [called('call_1', asked.tools[0]!.name, {})];
        return { headers: stream ? sse : json, body: stream ? streamedResponse(output, {}) : wholeResponse(output, {}) };
      });
      expect(itemsOf(await answered({ ...ask, input, tools }, stream))).toEqual([[name, 'call_1', '{}']]);
      expect(upstream.requests.at(-1)!.path).toBe('/v1/responses');
      const call_id = expect.stringMatching(/^[a-z\d]{24}$/) as unknown;
      expect(sent()['input']).toEqual([
        { type: 'message', role: 'user', content: 'Ask.' },
        state,
        { type: 'function_call', call_id, name: expect.stringMatching(/^files_read_[a-z\d]{8}$/) as unknown, arguments: '{}' },
        { type: 'function_call_output', call_id, output: 'x' },
      ]);
    }
  });

  it.each<[string, readonly Item[], readonly unknown[]]>([
    ['text', [text('Žofia 👋 waits.')], [['Žofia 👋 waits.']]],
    ['a refusal', [refusal('I shall not.')], [['I shall not.']]],
    [
      'reasoning between calls',
      [
        thought('Two boats.', 'Seven crates.'),
        called('call_1', 'weather', { city: 'Žilina' }),
        thought('More.'),
        called('call_2', 'weather', {}),
      ],
      [
        [['Two boats.', 'Seven crates.'], 'gAAAAABvendor'],
        ['weather', 'call_1', '{"city":"Žilina"}'],
        [['More.'], 'gAAAAABvendor'],
        ['weather', 'call_2', '{}'],
      ],
    ],
    ['a custom tool', [customCalled('call_3', 'patch', '*** "é" \\ 😀\n')], [['custom_tool_call', '*** "é" \\ 😀\n']]],
  ])('%s comes back with ids of the gateway, streamed and whole', async (_what, output, items) => {
    play(output);
    const request = {
      ...ask,
      tools: [...functions, { type: 'custom', name: 'patch' }],
      reasoning: { effort: 'low', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
    };
    const [whole, streamed] = [await answered(request, false), await answered({ ...request, stream: true }, true)];
    expect(itemsOf(whole)).toEqual(items);
    expect(itemsOf(streamed)).toEqual(items);
    expect(streamed).toMatchObject({ status: 'completed', service_tier: 'default' });
    expect(streamed.usage).toEqual(whole.usage);
    expect(streamed.usage).toMatchObject({
      input_tokens: 200,
      input_tokens_details: { cached_tokens: 50 },
      output_tokens: 100,
      output_tokens_details: { reasoning_tokens: 40 },
    });
    for (const { id } of streamed.output) expect(id).toMatch(/^(msg|rs|fc|ctc)_[\da-f-]{36}_\d+$/);
    expect(upstream.requests.map(({ path }) => path)).toEqual(['/v1/responses', '/v1/responses']);
  });

  it('is asked with what the client has written, and stores nothing', async () => {
    play([text('Yes.')]);
    const schema = { type: 'object', properties: {}, additionalProperties: false };
    const input = [
      { role: 'user', content: [{ type: 'input_text', text: 'Hi', odd: 1 }], odd: 1 },
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: 'gAAAA', status: 'completed' },
      { type: 'reasoning', summary: [], encrypted_content: 'switchyard.1.s.theirs' },
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Nobody reads it.' }] },
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        phase: 'commentary',
        content: [{ type: 'output_text', text: 'Well.', annotations: [], logprobs: [] }],
      },
      { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'list', namespace: 'files', arguments: '{}', status: 'completed' },
      { type: 'function_call_output', id: 'fco_1', call_id: 'call_1', output: [{ type: 'input_text', text: 'a.txt' }] },
    ];
    const open = await gateway.stream('responses', {
      ...ask,
      model: 'engine',
      stream: false,
      input,
      instructions: 'Be brief.',
      temperature: 0.5,
      store: false,
      tools: [{ type: 'namespace', name: 'files', tools: [{ type: 'function', name: 'list', parameters: schema, strict: false, odd: 1 }] }],
      tool_choice: { type: 'function', name: 'list', namespace: 'files' },
      parallel_tool_calls: false,
      text: { verbosity: 'low', format: { type: 'json_schema', name: 'n', schema, strict: true } },
      reasoning: { effort: 'high', summary: 'auto' },
      include: ['reasoning.encrypted_content', 'file_search_call.results'],
      prompt_cache_key: 'k',
      metadata: { mine: 'yes' },
      odd: 1,
    });
    expect([open.status, (await open.text()).includes(VENDOR_ID)]).toEqual([200, false]);
    expect(sent()).toEqual({
      model: 'engine',
      stream: false,
      store: false,
      instructions: 'Be brief.',
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: 'gAAAA' },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Well.' }], phase: 'commentary' },
        { type: 'function_call', call_id: 'call_1', name: 'files__list', arguments: '{}' },
        { type: 'function_call_output', call_id: 'call_1', output: [{ type: 'input_text', text: 'a.txt' }] },
      ],
      tools: [{ type: 'function', name: 'files__list', parameters: schema, strict: false }],
      tool_choice: { type: 'function', name: 'files__list' },
      parallel_tool_calls: false,
      temperature: 0.5,
      text: { format: { type: 'json_schema', name: 'n', schema, strict: true }, verbosity: 'low' },
      reasoning: { effort: 'high', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
      prompt_cache_key: 'k',
      max_output_tokens: 200,
    });
  });

  const bare = { type: 'reasoning', summary: [] };
  const told = { ...bare, content: [{ type: 'reasoning_text', text: 'Hm.' }] };
  const sealed = { encrypted_content: 'gAAAA' };

  it.each<[string, string, object[]]>([
    ['gpt-loopback', 'OpenAI takes reasoning as it has encrypted it', [{ ...bare, ...sealed }]],
    ['on-azure', 'and Azure', [{ ...bare, ...sealed }]],
    ['engine', 'another server takes its text too', [told, { ...told, ...sealed }]],
  ])('%s: %s', async (model, _what, expected) => {
    play([text('Fine.')]);
    const input = [{ role: 'user', content: 'Hi' }, told, { ...told, ...sealed }, { role: 'user', content: 'On' }];
    await answered({ ...ask, model, input }, false);
    expect((sent()['input'] as { type: string }[]).filter(({ type }) => type === 'reasoning')).toEqual(expected);
  });

  it('is asked with an answer that the client sends back, reasoning and all', async () => {
    play([thought('Hm.'), called('call_1', 'weather', {})]);
    const request = { ...ask, tools: functions, reasoning: { summary: 'auto' }, include: ['reasoning.encrypted_content'] };
    const { output } = await answered({ ...request, stream: true }, true);
    play([text('Fine.')]);
    const result = { type: 'function_call_output', call_id: 'call_1', output: '21' };
    await answered({ ...request, input: [{ role: 'user', content: 'Hi' }, ...output, result] }, false);
    expect(sent()['input']).toEqual([
      { type: 'message', role: 'user', content: 'Hi' },
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: 'gAAAAABvendor' },
      { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{}' },
      { type: 'function_call_output', call_id: 'call_1', output: '21' },
    ]);
  });

  it.each([
    ['what its model does not take is left out, and the rest goes on', { ...ask, reasoning: { effort: 'low' } }, '/v1/responses'],
    ['as chat completions where less is asked for than the format has', { ...ask, max_output_tokens: 15 }, '/v1/chat/completions'],
    ['as chat completions where the operator says so', { ...ask, model: 'off' }, '/v1/chat/completions'],
    ['as chat completions where nobody says that it has the format', { ...ask, model: 'plain' }, '/v1/chat/completions'],
  ])('is asked at the right address: %s', async (_what, request, path) => {
    upstream.replies(({ path: asked }) => ({
      headers: json,
      body: asked.endsWith('responses')
        ? wholeResponse([text('Hi')])
        : JSON.stringify({ choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }] }),
    }));
    expect(itemsOf(await answered(request, false))).toEqual([['Hi']]);
    expect(upstream.requests.map((asked) => asked.path)).toEqual([path]);
  });

  it('a chat is asked as a chat', async () => {
    upstream.replies(chatReply('Hi'));
    await gateway.post('chat/completions', { model: 'gpt-loopback', messages: [{ role: 'user', content: 'Hi' }] }).expect(200);
    expect(upstream.requests[0]!.path).toBe('/v1/chat/completions');
  });

  it.each([
    ['max_output_tokens', 'incomplete', { reason: 'max_output_tokens' }],
    ['content_filter', 'incomplete', { reason: 'content_filter' }],
  ])('ends as the vendor ends: %s', async (reason, status, incomplete_details) => {
    play([text('Half an')], { status, incomplete_details: { reason } });
    for (const stream of [false, true])
      expect(await answered({ ...ask, stream }, stream)).toMatchObject({ status, incomplete_details, usage: { output_tokens: 100 } });
  });

  // 200 x 0.001 / 1,000 + 100 x 0.004 / 1,000
  it('costs what the vendor has counted', async () => {
    play([text('Hi')]);
    for (const stream of [false, true]) {
      const customer = await gateway.newCustomer('1');
      const before = await gateway.balance(customer);
      await (await gateway.stream('responses', { ...ask, stream }, { key: customer.liveKey })).text();
      expect(before - (await gateway.balance(customer))).toBe(600_000n);
      expect((await gateway.usage(1, customer))[0]).toMatchObject({ operation: 'responses', outcome: 'completed' });
    }
  });

  it.each<[string, number, string, Ending]>([
    ['a failure', 502, 'upstream_error', { status: 'failed', error: { code: 'data_residency_mismatch', message: 'No.' } }],
    ['an overload', 503, 'model_overloaded', { status: 'failed', error: { code: 'server_error', message: 'Busy.' } }],
    ['a rate limit', 429, 'rate_limit_exceeded', { status: 'failed', error: { code: 'rate_limit_exceeded', message: 'Wait.' } }],
    ['a refused prompt', 400, 'content_', { status: 'failed', error: { code: 'invalid_prompt', message: 'No.' } }],
    ['an unknown end', 502, 'upstream_error', { status: 'incomplete', incomplete_details: { reason: 'because' } }],
  ])('%s before any output is the error envelope', async (model, status, code, ending) => {
    play([], ending);
    for (const stream of [false, true]) {
      const customer = await gateway.newCustomer('1');
      const failed = await gateway.post('responses', { ...ask, model, stream }, customer.liveKey);
      expect([failed.status, (failed.body as { error: { code: string } }).error.code]).toEqual([status, expect.stringContaining(code)]);
    }
  });

  it.each<[string, Reply]>([
    ['a cut connection', { after: 1_500, ending: 'reset' }],
    ['an end in the middle', { after: 1_500 }],
  ])('%s ends in response.failed, and is charged as estimated', async (model, more) => {
    const customer = await gateway.newCustomer('1');
    play([text('A text that is long enough to be cut off in its middle, and goes on.'.repeat(3))], {}, more);
    const answer = ResponseStreamMachine.run(
      await (await gateway.stream('responses', { ...ask, model, stream: true }, { key: customer.liveKey })).text(),
    );
    expect(answer).toMatchObject({ status: 'failed', error: { code: 'server_error' } });
    expect((await gateway.usage(1, customer))[0]).toMatchObject({ outcome: 'provider_failed' });
  });

  it('an event of an error behind the first output ends in response.failed', async () => {
    const [begun] = streamedResponse([text('Half an answer')]).split('event: response.output_text.done');
    const error = { type: 'error', sequence_number: 99, code: 'server_error', message: 'The key key is odd.', param: null };
    upstream.replies({
      headers: sse,
      body: `${begun!.split('event: response.content_part.done')[0]!}event: error\ndata: ${JSON.stringify(error)}\n\n`,
    });
    const answer = await answered({ ...ask, stream: true }, true);
    expect(answer).toMatchObject({ status: 'failed' });
  });

  it('a client that leaves closes the provider’s connection', async () => {
    play([text('Hi '.repeat(200))], {}, { after: 3_000, ending: 'stall' });
    const coming = upstream.nextRequest();
    const open = await gateway.stream('responses', { ...ask, stream: true });
    const { closed } = await coming;
    open.leave();
    await closed;
  });

  it('a key that is revoked ends the stream and the provider’s connection', async () => {
    const customer = await gateway.newCustomer('1');
    const { apiKey, key } = await gateway.running.app.get(ApiKeyStore).create({ accountId: customer.accountId, environment: 'live' });
    play([text('Hi '.repeat(200))], {}, { after: 3_000, ending: 'stall' });
    const coming = upstream.nextRequest();
    const open = await gateway.stream('responses', { ...ask, stream: true }, { key });
    const { closed } = await coming;
    await gateway.running.app.get(ApiKeyStore).revoke(apiKey.id);
    expect(ResponseStreamMachine.run(await open.text())).toMatchObject({ status: 'failed' });
    await closed;
  });

  describe('hosted tools', () => {
    const search = { type: 'web_search_call', id: `ws_${VENDOR_ID}`, status: 'completed', action: { type: 'search', query: 'tides' } };
    const opened = { ...search, id: `ws_${VENDOR_ID}2`, action: { type: 'open_page', url: 'https://tides.example' } };
    const ran = {
      type: 'code_interpreter_call',
      id: `ci_${VENDOR_ID}`,
      status: 'completed',
      code: '1+1',
      container_id: `cntr_${VENDOR_ID}`,
      outputs: null,
    };
    const cited = {
      type: 'output_text',
      text: 'High at noon.',
      annotations: [
        { type: 'url_citation', start_index: 0, end_index: 4, title: 'Tides', url: 'https://tides.example' },
        { type: 'container_file_citation', container_id: `cntr_${VENDOR_ID}`, file_id: 'f', filename: 'a', start_index: 0, end_index: 1 },
      ],
      logprobs: [],
    };
    const output = [search, opened, ran, { ...text(''), phase: 'final_answer', content: [cited] }];
    const tools = [
      { type: 'web_search', search_context_size: 'low', odd: 1 },
      { type: 'code_interpreter', container: { type: 'auto' } },
    ];
    const request = { ...ask, model: 'tools', tools };

    // 600,000 for tokens, 10 / 1,000 for the search, 5 / 1,000 for the other call
    it('are passed on, and cost what the vendor has called', async () => {
      play(output);
      for (const stream of [false, true]) {
        const customer = await gateway.newCustomer('1');
        const before = await gateway.balance(customer);
        const open = await gateway.stream('responses', { ...request, stream }, { key: customer.liveKey });
        const said = await open.text();
        expect(said).not.toContain(VENDOR_ID);
        const answer = stream ? ResponseStreamMachine.run(said) : (JSON.parse(said) as Answer);
        expect(answer.output).toMatchObject([
          { type: 'web_search_call', status: 'completed', action: { query: 'tides' } },
          { type: 'web_search_call', action: { type: 'open_page' } },
          { type: 'code_interpreter_call', code: '1+1' },
          { type: 'message', phase: 'final_answer', content: [{ annotations: [{ type: 'url_citation', title: 'Tides' }] }] },
        ]);
        expect(answer.output.map(({ id }) => id!.slice(0, 3))).toEqual(['ws_', 'ws_', 'ci_', 'msg']);
        expect(before - (await gateway.balance(customer))).toBe(15_600_000n);
      }
      expect(sent()).toMatchObject({ max_tool_calls: 20, tools: [{ type: 'web_search', search_context_size: 'low' }, tools[1]] });
      expect(JSON.stringify(sent())).not.toContain('odd');
    });

    it('cost nothing where none is called', async () => {
      play([text('Hi')]);
      const customer = await gateway.newCustomer('1');
      const before = await gateway.balance(customer);
      await gateway.post('responses', { ...request, max_tool_calls: 3 }, customer.liveKey).expect(200);
      expect(before - (await gateway.balance(customer))).toBe(600_000n);
      expect(sent()['max_tool_calls']).toBe(3);
    });

    it.each<[string, string, number]>([
      ['before a call', 'response.output_item.added', 0],
      ['behind it', 'response.output_item.done', 1],
    ])('cost what has been made where the client leaves %s', async (_when, last, searches) => {
      const body = streamedResponse([search, text('Hi')]);
      upstream.replies({ headers: sse, body: body.slice(0, body.indexOf('\n\n', body.indexOf(last)) + 2), ending: 'stall' });
      const customer = await gateway.newCustomer('1');
      const answer = await gateway.stream('responses', request, { key: customer.liveKey });
      await until(() => answer.received.includes(last), 'the item');
      answer.leave();
      const [row] = await gateway.usage(1, customer);
      // A token is 1,000 or 4,000, and a search 10,000,000.
      expect([row!.outcome, Number(row!.amount / 10_000_000n)]).toEqual(['client_left', searches]);
    });

    it('are held for as many calls as there may be', async () => {
      play([text('Hi')]);
      const poor = await gateway.newCustomer('0.06');
      await gateway.post('responses', { ...request, max_tool_calls: 3 }, poor.liveKey).expect(200);
      await gateway.post('responses', request, poor.liveKey).expect(402);
    });

    it.each([false, true])('cost no more than as many as were asked for, if the vendor makes more; streamed: %p', async (stream) => {
      play([search, ran, search, ran, search, text('Hi')]);
      const customer = await gateway.newCustomer('1');
      const before = await gateway.balance(customer);
      for (const max_tool_calls of [1, 4]) {
        const body = { ...request, max_tool_calls, stream };
        await (await gateway.stream('responses', body, { key: customer.liveKey })).text();
      }
      // One search; three and another call.
      expect(before - (await gateway.balance(customer))).toBe(2n * 600_000n + 10_000_000n + 35_000_000n);
      await gateway.usage(2, customer);
      const operator = await Administration.as(gateway.running, 'operator');
      const { data } = (await operator.get(`accounts/${customer.accountId}/requests`)).body as { data: object[] };
      const dropped_parameters = ['tools.web_search.odd', 'max_tool_calls'];
      expect(data).toMatchObject([{ dropped_parameters }, { dropped_parameters }]);
    });

    it('leave their items in the conversation', async () => {
      play(output);
      const first = await answered({ ...request, stream: true }, true);
      await (await gateway.stream('responses', { ...request, input: [{ role: 'user', content: 'Hi' }, ...first.output] })).text();
      expect(sent()['input']).toEqual([
        { type: 'message', role: 'user', content: 'Hi' },
        { type: 'web_search_call', id: first.output[0]!.id, status: 'completed', action: search.action },
        { type: 'web_search_call', id: first.output[1]!.id, status: 'completed', action: opened.action },
        { type: 'message', role: 'assistant', phase: 'final_answer', content: [{ type: 'output_text', text: 'High at noon.' }] },
      ]);
    });

    it.each<[string, object, RegExp]>([
      [
        'that have no price',
        { model: 'gpt-loopback', tools: [{ type: 'web_search' }] },
        /has no price for calls of the hosted tool 'web_search'/,
      ],
      ['that the provider does not have', { model: 'engine', tools: [{ type: 'mcp', server_label: 'x' }] }, /hosted tool 'mcp'/],
      ['that nobody knows', { model: 'tools', tools: [{ type: 'time_travel' }] }, /tools\[0\].type: 'time_travel'/],
      [
        'with stores of the operator',
        { model: 'tools', tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] },
        /file_search.vector_store_ids/,
      ],
      ['in containers of the operator', { model: 'tools', tools: [{ type: 'code_interpreter', container: 'cntr_1' }] }, /container/],
      [
        'inside of a network',
        { model: 'tools', tools: [{ type: 'mcp', server_label: 'x', server_url: 'http://10.0.0.1/mcp' }] },
        /public web/,
      ],
    ])('are refused %s', async (_what, body, message) => {
      const { body: refused } = (await gateway.post('responses', { ...ask, ...body }).expect(400)) as {
        body: { error: { message: string } };
      };
      expect(refused.error.message).toMatch(message);
    });
  });
});
