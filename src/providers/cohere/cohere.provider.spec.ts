import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { providerSchema } from '../../config/config.schema.js';
import type { ChatGenerationRequest } from '../../wire/generation.js';
import { usageOf } from '../../wire/usage.js';
import { embeddings, testCall } from '../testing/call.js';
import { collect, readAll } from '../testing/collect.js';
import { describeProvider } from '../testing/describe-provider.js';
import { LoopbackUpstream, type Reply } from '../testing/loopback-upstream.js';
import type { ProviderFailure, ProviderFixture } from '../testing/provider-suite.js';
import { HttpTransport } from '../transport/http-transport.js';
import { CohereProvider } from './cohere.provider.js';

const fixture = (name: string): Buffer => readFileSync(join(import.meta.dirname, '__fixtures__', name));
const both = (name: string) => ({ name, whole: fixture(`${name}.json`), stream: fixture(`${name}.sse`) });

const json = { 'content-type': 'application/json' };
const sse = { 'content-type': 'text/event-stream' };

const chat: ChatGenerationRequest = { operation: 'chat', model: 'm', stream: false, n: 1, messages: [{ role: 'user', content: 'hello' }] };
const timetable = { type: 'function', function: { name: 'timetable' } } as const;

const fixtures: ProviderFixture[] = [
  {
    ...both('text'),
    request: chat,
    sends: { messages: [{ role: 'user', content: 'hello' }] },
    expect: {
      choices: [{ text: 'The ferry to Ærø — 渡し船 — sails at "nine". ⛴' }],
      usage: usageOf(7, 14),
    },
  },
  {
    ...both('reasoning'),
    request: { ...chat, reasoning_effort: 'low' },
    sends: { thinking: { type: 'enabled', token_budget: 2_048 } },
    expect: {
      choices: [{ text: 'Fourteen cars.', reasoning: 'Two ferries of seven cars each.' }],
      usage: usageOf(18, 41),
    },
  },
  {
    ...both('tools'),
    request: { ...chat, tools: [timetable] },
    sends: { tools: [{ type: 'function', function: { name: 'timetable', parameters: { type: 'object', properties: {} } } }] },
    expect: {
      choices: [
        {
          text: 'I will look up both timetables.',
          toolCalls: [
            { id: 'timetable_k3v9w2m0qx7a', name: 'timetable', arguments: '{"port": "Svendborg", "days": 2}' },
            { id: 'timetable_b7h1n5c8ty4d', name: 'timetable', arguments: '{"port": "Søby"}' },
          ],
          finishReason: 'tool_calls',
        },
      ],
      usage: { ...usageOf(59, 46), prompt_tokens_details: { cached_tokens: 41 } },
    },
  },
  {
    ...both('tool-without-arguments'),
    request: { ...chat, tools: [timetable], tool_choice: 'required' },
    sends: { tool_choice: 'REQUIRED' },
    expect: {
      choices: [{ toolCalls: [{ id: 'now_c4d8x1p6za0s', name: 'now', arguments: '{}' }], finishReason: 'tool_calls' }],
      usage: usageOf(31, 9),
    },
  },
];

const message = (text: string): string => JSON.stringify({ id: '8b2f', message: text });

const failures: ProviderFailure[] = [
  { name: 'a wrong value', status: 400, body: message('invalid request: p must be below 0.99'), kind: 'invalid_request', message: /0\.99/ },
  {
    name: 'a prompt too long',
    status: 400,
    body: message('too many tokens: total number of tokens in the prompt cannot exceed 288000 - received 290001.'),
    kind: 'context_length_exceeded',
    message: /290001/,
  },
  { name: 'a wrong key', status: 401, body: message('invalid api token'), kind: 'authentication', message: /^(?!.*token)/ },
  { name: 'no means of payment', status: 402, body: message('Please add or update your payment method'), kind: 'insufficient_quota' },
  { name: 'an unknown model', status: 404, body: message("model 'x' not found"), kind: 'model_unavailable' },
  {
    name: 'the limit of a minute',
    status: 429,
    body: message('You are using a Trial key, which is limited to 40 API calls / minute.'),
    kind: 'rate_limited',
  },
  {
    name: 'the quota of a month',
    status: 429,
    body: message('You are using a Trial key, which is limited to 1000 API calls / month.'),
    kind: 'insufficient_quota',
  },
  { name: 'content that is refused', status: 498, body: message('blocked output'), kind: 'content_filtered', message: /blocked output/ },
  { name: 'a request that Cohere has cancelled', status: 499, body: message('request cancelled'), kind: 'overloaded' },
  { name: 'what Cohere does not have', status: 501, body: message('not implemented'), kind: 'invalid_request' },
  { name: 'a deadline', status: 504, body: message('timeout'), kind: 'timeout' },
  { name: 'an answer that failed', body: fixture('error.json'), kind: 'overloaded' },
  {
    name: 'an answer that failed, streamed',
    streamed: true,
    body: fixture('error.sse'),
    kind: 'overloaded',
    message: /internal generation/,
  },
  { name: 'an answer that took too long', streamed: true, body: fixture('timeout.sse'), kind: 'timeout' },
  { name: 'an error in the place of an answer', body: message('too many tokens: received 9.'), kind: 'context_length_exceeded' },
  {
    name: 'an error in the place of an event',
    streamed: true,
    body: `${fixture('error.sse').toString().split('event: message-end')[0]}data: {"message":"server_error","code":503}\n\n`,
    kind: 'overloaded',
  },
  {
    name: 'an event of the type error',
    streamed: true,
    body: `${fixture('error.sse').toString().split('event: message-end')[0]}data: {"type":"error","message":"server_error","code":503}\n\n`,
    kind: 'overloaded',
  },
  { name: 'a stream without a finish reason', streamed: true, body: fixture('no-finish-reason.sse'), kind: 'bad_response' },
  {
    name: 'a second answer',
    streamed: true,
    body: Buffer.concat([cutBeforeEnd('length.sse'), fixture('length.sse')]),
    kind: 'bad_response',
  },
  {
    name: 'a call without a name',
    streamed: true,
    body: fixture('tools.sse').toString().replaceAll('"name":"timetable"', '"name":""'),
    kind: 'bad_response',
  },
  { name: 'an answer without a message', body: '{"id":"1","finish_reason":"COMPLETE"}', kind: 'bad_response' },
  { name: 'an event that is no JSON', streamed: true, body: 'event: message-start\ndata: {"type":\n\n', kind: 'bad_response' },
  { name: 'a page instead of an answer', headers: { 'content-type': 'text/html' }, body: '<html>', kind: 'bad_response' },
];

function cutBeforeEnd(name: string): Buffer {
  return Buffer.from(fixture(name).toString().split('event: message-end')[0]!);
}

const transport = new HttpTransport();

describeProvider({
  embeddings: [
    {
      name: 'numbers',
      request: { ...embeddings, dimensions: 256, extra: { input_type: 'search_query' } },
      upstreamModel: 'embed-v4.0',
      sends: { input_type: 'search_query', embedding_types: ['float'], output_dimension: 256, truncate: 'NONE' },
      answer: '{"id":"1","embeddings":{"float":[[0.25,1],[0.5,-1]]},"texts":["a","b"],"meta":{"billed_units":{"input_tokens":7}}}',
      expect: { embeddings: [[0.25, 1], [0.5, -1]], usage: usageOf(7, 0) }, // prettier-ignore
    },
    {
      name: 'base64',
      request: { ...embeddings, encoding_format: 'base64' },
      upstreamModel: 'embed-v4.0',
      sends: { input_type: 'search_document', embedding_types: ['base64'] },
      answer: '{"id":"1","embeddings":{"base64":["AACAPwAAAAA=","AAAAPwAAAAA="]}}',
      expect: { embeddings: ['AACAPwAAAAA=', 'AAAAPwAAAAA='] },
    },
  ],
  name: 'cohere',
  create: ({ config }) => new CohereProvider('cohere', { ...config, type: 'cohere' }, transport),
  close: () => transport.onApplicationShutdown(),
  errorBody: (_status, text) => message(text),
  event: 'event: content-delta\ndata: {"type":"content-delta","index":0,"delta":{"message":{"content":{"text":"0123456789"}}}}\n\n',
  modelList: fixture('models-2.json').toString(),
  fixtures,
  failures,
});

describe('CohereProvider', () => {
  const key = 'co-Test0123456789Test0123456789Test0123';
  const upstream = LoopbackUpstream.during(() => transport.onApplicationShutdown());

  function provider(entry: Record<string, unknown> = {}): CohereProvider {
    const config = providerSchema.parse({ type: 'cohere', base_url: upstream.origin, api_key: key, ...entry });
    return new CohereProvider('cohere', config, transport);
  }

  function ask(reply: Reply, fields: Partial<ChatGenerationRequest> = {}, asked = provider()) {
    upstream.replies(reply);
    return readAll(asked.generate({ ...chat, ...fields }, testCall({ upstreamModel: 'command-a-03-2025' })));
  }

  it.each(['text', 'reasoning', 'tools'])('joins what one read brings of %s', async (name) => {
    const chunks = await ask({ headers: sse, body: fixture(`${name}.sse`) }, { stream: true });
    expect(chunks.some(({ run }) => run && run.literals.length > 1)).toBe(true);
  });

  it('tells calls apart that have one index', async () => {
    const body = fixture('tools.sse').toString().replaceAll('"index":1', '"index":0');
    const [choice] = collect(await ask({ headers: sse, body }, { stream: true })).choices;
    expect(choice?.toolCalls.map((call) => call.arguments)).toEqual(['{"port": "Svendborg", "days": 2}', '{"port": "Søby"}']);
  });

  it('adds nothing to a call that has ended, however it is cut', async () => {
    const body = fixture('tools.sse').toString();
    const [begin, end] = body.split('event: message-end');
    const late = begin!.slice(begin!.lastIndexOf('event: tool-call-delta'), begin!.lastIndexOf('event: tool-call-end'));
    const whole = `${begin}${late}event: message-end${end}`;
    for (const cuts of [[], [...Buffer.from(whole).keys()]]) {
      const [choice] = collect(await ask({ headers: sse, body: whole, cuts }, { stream: true })).choices;
      expect(choice?.toolCalls.at(-1)?.arguments).toBe('{"port": "Søby"}');
    }
  });

  it('finds the place of a citation behind text that came in one read', async () => {
    const [text, end] = fixture('text.sse').toString().split('event: message-end');
    const start = { type: 'content-start', index: 1, delta: { message: { content: { type: 'text', text: 'Daily.' } } } };
    const source = { type: 'document', id: 'd', document: { url: 'https://ferries.example', title: 'Ferries' } };
    const cited = { start: 0, end: 5, content_index: 1, sources: [source] };
    const events = [start, { type: 'citation-start', index: 0, delta: { message: { citations: cited } } }];
    const body = `${text}${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}event: message-end${end}`;
    const chunks = await ask({ headers: sse, body }, { stream: true });
    const annotations = chunks.flatMap(({ choices }) => choices[0]?.delta?.['annotations'] ?? []);
    const start_index = 'The ferry to Ærø — 渡し船 — sails at "nine". ⛴'.length;
    expect(annotations).toMatchObject([{ url_citation: { start_index, end_index: start_index + 5, url: 'https://ferries.example' } }]);
  });

  it.each(['', '/v2', '/v1/', '/compatibility/v1'])('asks at the address with %j behind it', async (path) => {
    await ask({ headers: json, body: fixture('text.json') }, {}, provider({ base_url: `${upstream.origin}/at${path}` }));
    expect(upstream.requests[0]).toMatchObject({
      method: 'POST',
      path: '/at/v2/chat',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    });
  });

  it('has no legacy completions', async () => {
    const asked = provider().generate({ operation: 'completion', model: 'm', stream: false, n: 1, prompt: 'x' }, testCall());
    await expect(readAll(asked)).rejects.toMatchObject({ kind: 'invalid_request' });
  });

  const documents = [{ id: 'doc:1', data: { text: 'x' } }];

  it.each([
    ['is the entry’s', { safety_mode: 'STRICT' }, {}, 'STRICT'],
    ['is left out beside tools', { safety_mode: 'STRICT' }, { tools: [timetable] }, undefined],
    ['is left out beside documents', { safety_mode: 'STRICT' }, { extra: { documents } }, undefined],
    ['is the client’s where the entry has none', {}, { extra: { safety_mode: 'CONTEXTUAL' } }, 'CONTEXTUAL'],
    ['is Cohere’s where nobody says one', {}, {}, undefined],
  ])('the safety mode %s', async (_, options, fields, expected) => {
    await ask({ headers: json, body: fixture('text.json') }, fields, provider({ options }));
    expect((JSON.parse(upstream.requests[0]!.body) as Record<string, unknown>)['safety_mode']).toBe(expected);
  });

  describe('models', () => {
    const { signal } = new AbortController();

    it('are those of Cohere’s list that chat or make embeddings, with what is known of them', async () => {
      upstream.replies(({ path }) => ({ headers: json, body: fixture(path.includes('page_token=') ? 'models-2.json' : 'models-1.json') }));
      const offered = await provider({ prefix: 'c/' }).models(signal);
      expect(upstream.requests.map(({ path }) => path)).toEqual([
        '/v1/models?page_size=1000',
        '/v1/models?page_size=1000&page_token=cGFnZTI%3D',
      ]);
      expect(upstream.requests[0]?.headers).toMatchObject({ authorization: `Bearer ${key}` });
      expect(offered).toMatchObject([
        { id: 'c/command-a-03-2025', contextLength: 288_000, capabilities: { function_calling: true, vision: false } },
        { id: 'c/command-a-vision-07-2025', capabilities: { function_calling: false, vision: true }, inputCeilings: { image: 3_328 } },
        {
          id: 'c/embed-v4.0',
          contextLength: 128_000,
          capabilities: { chat: false, embeddings: true },
          embeddings: { dimensions: 1_536, inputs: 96 },
          parameters: ['dimensions', 'input_type', 'truncate'],
        },
        { id: 'c/command-r-08-2024', contextLength: 132_096 },
        { id: 'c/command-z-01-2027', contextLength: 512_000, maxTokens: 4_096, capabilities: { function_calling: false, vision: true } },
      ]);
      const taken = offered.filter(({ capabilities }) => capabilities.chat).map(({ parameters }) => parameters);
      expect(taken.map((names) => names.includes('tools'))).toEqual([true, false, true, false]);
      expect(taken.map((names) => names.includes('tool_choice'))).toEqual([true, false, false, false]);
      for (const names of taken)
        expect(names).toEqual(expect.arrayContaining(['seed', 'response_format', 'documents', 'safety_mode', 'k']));
      for (const name of ['n', 'logprobs', 'logit_bias', 'user', 'parallel_tool_calls', 'priority'])
        expect(taken.flat()).not.toContain(name);
    });

    it('leave the safety mode to the entry that has one', async () => {
      const [offered] = await provider({ options: { safety_mode: 'STRICT' }, models: { m: { context_length: 9, max_tokens: 9 } } }).models(
        signal,
      );
      expect(offered?.parameters).not.toContain('safety_mode');
    });

    it('are the configured ones where there are any, and make do without the list', async () => {
      upstream.replies({ status: 401, headers: json, body: message('invalid api token') });
      const offered = await provider({
        models: {
          own: { upstream_model: 'ft-1', pricing: { prompt: '0.1', completion: 1 } },
          known: { context_length: 1_000, max_tokens: 500 },
        },
      }).models(signal);
      expect(offered).toMatchObject([
        { id: 'own', upstreamModel: 'ft-1', contextLength: 32_768, maxTokens: 4_096, price: { prompt: '0.1' } },
        { id: 'known', contextLength: 1_000, maxTokens: 500 },
      ]);
      await expect(provider().models(signal)).rejects.toMatchObject({ kind: 'authentication' });
    });

    it('are any names where the entry is open', () => {
      expect(provider({ open: { context_length: 1_000, max_tokens: 500 } }).open('any-1')).toMatchObject({ id: 'any-1', maxTokens: 500 });
      expect(provider().open('any-1')).toBeUndefined();
    });
  });
});
