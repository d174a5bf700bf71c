import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ManualClock } from '../../common/testing/manual-clock.js';
import { providerSchema } from '../../config/config.schema.js';
import type { ChatGenerationRequest } from '../../wire/generation.js';
import { usageOf } from '../../wire/usage.js';
import { GeminiGenerateContentProtocol } from '../protocols/gemini-generate-content/gemini-generate-content.protocol.js';
import { embeddings, testCall } from '../testing/call.js';
import { collect, readAll } from '../testing/collect.js';
import { describeProvider } from '../testing/describe-provider.js';
import { LoopbackUpstream, type Reply } from '../testing/loopback-upstream.js';
import type { ProviderFailure, ProviderFixture } from '../testing/provider-suite.js';
import { settled } from '../testing/settled.js';
import { HttpTransport } from '../transport/http-transport.js';
import { GeminiProvider } from './gemini.provider.js';

const fixture = (name: string): Buffer => readFileSync(join(import.meta.dirname, '__fixtures__', name));
/** Google ends lines with CRLF; the suite frames them anew. */
const lines = (name: string): Buffer => Buffer.from(fixture(name).toString().replaceAll('\r\n', '\n'));
const both = (name: string) => ({ name, whole: fixture(`${name}.json`), stream: lines(`${name}.sse`) });

const json = { 'content-type': 'application/json; charset=UTF-8' };
const sse = { 'content-type': 'text/event-stream' };

const chat: ChatGenerationRequest = { operation: 'chat', model: 'm', stream: false, n: 1, messages: [{ role: 'user', content: 'hello' }] };
const tide = (id: string, port: string) => ({ id, name: 'tide_table', arguments: JSON.stringify({ port, days: 2 }) });

const fixtures: ProviderFixture[] = [
  {
    ...both('text'),
    request: chat,
    expect: {
      choices: [{ text: 'The harbour lights of Göteborg — 灯火 — are lit at dusk. 🌆' }],
      usage: { ...usageOf(11, 17), prompt_tokens_details: { cached_tokens: 8 } },
    },
  },
  {
    ...both('reasoning'),
    request: { ...chat, reasoning_effort: 'low' },
    expect: {
      choices: [{ text: 'Fourteen crates.', reasoning: '**Weighing the boats**\n\nTwo boats carry seven crates each.\n\n' }],
      usage: { ...usageOf(21, 69), completion_tokens_details: { reasoning_tokens: 64 } },
    },
  },
  {
    ...both('tools'),
    request: { ...chat, tools: [{ type: 'function', function: { name: 'tide_table' } }] },
    expect: {
      choices: [{ toolCalls: [tide('x7c2m9qa', 'Göteborg'), tide('p0r4t8ws', 'Bergen')], finishReason: 'tool_calls' }],
      usage: { ...usageOf(88, 154), completion_tokens_details: { reasoning_tokens: 120 } },
    },
  },
];

const failures: ProviderFailure[] = [
  { name: 'the limit of a minute', status: 429, body: fixture('error-429-minute.json'), kind: 'rate_limited', retryAfterMs: 37_000 },
  { name: 'a blocked prompt', body: fixture('blocked.json'), kind: 'content_filtered', message: /PROHIBITED_CONTENT/ },
  {
    name: 'an error in the middle of a stream',
    streamed: true,
    body: fixture('in-band-error.sse'),
    kind: 'overloaded',
    message: /overloaded/,
  },
];

/** Names of gRPC codes, where the status has one. */
const names: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};

const clock = ManualClock.running();
const transport = new HttpTransport(undefined, clock);
const protocol = new GeminiGenerateContentProtocol(transport);

describeProvider({
  name: 'gemini',
  create: ({ config }) => new GeminiProvider('gemini', { ...config, type: 'gemini' }, protocol, transport),
  close: () => transport.onApplicationShutdown(),
  errorBody: (status, message) => JSON.stringify({ error: { code: status, message, status: names[status] } }),
  event: 'data: {"candidates": [{"content": {"parts": [{"text": "0123456789"}],"role": "model"},"index": 0}]}\n\n',
  modelList: fixture('models-2.json').toString(),
  embeddings: [
    {
      name: 'a batch',
      request: { ...embeddings, dimensions: 2, extra: { task_type: 'RETRIEVAL_QUERY' } },
      upstreamModel: 'models/gemini-embedding-001',
      sends: { requests: [{ model: 'models/gemini-embedding-001', taskType: 'RETRIEVAL_QUERY', outputDimensionality: 2 }, {}] },
      answer: '{"embeddings":[{"values":[0.25,1]},{"values":[0.5,-1]}],"usageMetadata":{"promptTokenCount":7}}',
      expect: { embeddings: [[0.25, 1], [0.5, -1]], usage: usageOf(7, 0) }, // prettier-ignore
    },
  ],
  fixtures,
  failures,
});

describe('GeminiProvider', () => {
  const key = 'AIzaSyTestTestTestTestTestTestTestTest0';
  const upstream = LoopbackUpstream.during(() => transport.onApplicationShutdown());

  function provider(entry: Record<string, unknown> = {}): GeminiProvider {
    const config = providerSchema.parse({ type: 'gemini', base_url: `${upstream.origin}/v1beta`, api_key: key, ...entry });
    return new GeminiProvider('gemini', config, protocol, transport);
  }

  function ask(reply: Reply, fields: Partial<ChatGenerationRequest> = {}, upstreamModel = 'gemini-3.8-flash', asked = provider()) {
    upstream.replies(reply);
    return readAll(asked.generate({ ...chat, ...fields }, testCall({ upstreamModel })));
  }

  it('asks at the configured address with the key in a header alone', async () => {
    await ask({ headers: json, body: fixture('text.json') });
    expect(upstream.requests[0]).toMatchObject({
      method: 'POST',
      path: '/v1beta/models/gemini-3.8-flash:generateContent',
      headers: { 'x-goog-api-key': key, 'content-type': 'application/json' },
    });
    expect(upstream.requests[0]?.headers).not.toHaveProperty('authorization');
    await ask({ headers: sse, body: fixture('text.sse') }, { stream: true });
    expect(upstream.requests[0]?.path).toBe('/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse');
    expect(JSON.parse(upstream.requests[0]?.body ?? '')).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'hello' }] }],
      generationConfig: {},
    });
  });

  it('speaks to other addresses as they are configured', async () => {
    const base_url = `${upstream.origin}/v1/projects/p/locations/global/publishers/google?trace=1`;
    const vertex = provider({ base_url, api_key: undefined, headers: { Authorization: 'Bearer ya29.token' } });
    await ask({ headers: sse, body: fixture('text.sse') }, { stream: true }, 'gemini-3.8-flash', vertex);
    expect(upstream.requests[0]?.path).toBe(
      '/v1/projects/p/locations/global/publishers/google/models/gemini-3.8-flash:streamGenerateContent?trace=1&alt=sse',
    );
    expect(upstream.requests[0]?.headers).toMatchObject({ authorization: 'Bearer ya29.token' });
    expect(upstream.requests[0]?.headers).not.toHaveProperty('x-goog-api-key');
  });

  it('adds the version where the address has no path', async () => {
    await ask({ headers: json, body: fixture('text.json') }, {}, 'm', provider({ base_url: upstream.origin }));
    expect(upstream.requests[0]?.path).toBe('/v1beta/models/m:generateContent');
  });

  it.each(['tunedModels/a b', 'gemini-3.8-flash:countTokens?x'])('keeps the model %j inside its path', async (upstreamModel) => {
    await ask({ headers: json, body: fixture('text.json') }, {}, upstreamModel);
    const [path] = (upstream.requests[0]?.path ?? '').split(':generateContent');
    expect(decodeURIComponent(path ?? '')).toBe(`/v1beta/${upstreamModel.includes('/') ? '' : 'models/'}${upstreamModel}`);
    expect(path).not.toMatch(/[ :?]/);
  });

  it('asks for no model outside', async () => {
    await expect(ask({}, {}, '../../v1/secrets')).rejects.toMatchObject({ kind: 'model_unavailable' });
    expect(upstream.requests).toHaveLength(0);
  });

  it('ends a stream that is complete although its connection stays open', async () => {
    upstream.replies({ headers: sse, body: fixture('text.sse'), ending: 'stall' });
    const arrived = upstream.nextRequest();
    const chunks = readAll(provider().generate({ ...chat, stream: true }, testCall()));
    const request = await arrived;
    await settled(() => request.sent());
    await clock.advance(1_000);
    const answer = collect(await chunks);
    expect(answer.choices[0]).toMatchObject({ finishReason: 'stop' });
    expect(answer.usage).toMatchObject(usageOf(11, 17));
  });

  it('has no legacy completions', async () => {
    const asked = provider().generate({ operation: 'completion', model: 'm', stream: false, n: 1, prompt: 'x' }, testCall());
    await expect(readAll(asked)).rejects.toMatchObject({ kind: 'invalid_request' });
  });

  describe('models', () => {
    const { signal } = new AbortController();

    it('are those of the API’s list that answer with text or embeddings, limits and prices added', async () => {
      upstream.replies(({ path }) => ({ headers: json, body: fixture(path.includes('pageToken=') ? 'models-2.json' : 'models-1.json') }));
      const offered = await provider({ prefix: 'g/' }).models(signal);
      expect(upstream.requests.map(({ path }) => path)).toEqual([
        '/v1beta/models?pageSize=1000',
        '/v1beta/models?pageSize=1000&pageToken=Ch9tb2RlbHM%3D',
      ]);
      expect(upstream.requests[0]?.headers).toMatchObject({ 'x-goog-api-key': key });
      expect(offered.map(({ id }) => id)).toEqual([
        'g/gemini-3.8-flash',
        'g/gemini-3.1-pro-preview',
        'g/gemini-embedding-001',
        'g/gemini-5-tide',
      ]);
      expect(offered[0]).toMatchObject({ upstreamModel: 'gemini-3.8-flash', contextLength: 1_048_576, maxTokens: 65_536 });
      expect(offered[0]?.price).toBeDefined();
      expect(offered[2]).toMatchObject({
        contextLength: 2_048,
        capabilities: { chat: false, embeddings: true },
        embeddings: { dimensions: 3_072, inputs: 100 },
        parameters: ['dimensions', 'task_type', 'title'],
      });
      expect(offered[3]).toMatchObject({ upstreamModel: 'gemini-5-tide', contextLength: 2_097_152, maxTokens: 131_072 });
      expect(offered[3]?.price).toBeUndefined();
    });

    it('are the configured ones where there are any, without asking for what is known', async () => {
      upstream.replies({ status: 500 });
      const offered = await provider({
        models: {
          fast: { upstream_model: 'gemini-2.5-flash-lite', pricing: { prompt: '0.1', completion: 1 }, max_tokens: 100 },
          own: { context_length: 1_000, max_tokens: 2_000, active: false },
        },
      }).models(signal);
      expect(upstream.requests).toHaveLength(0);
      expect(offered).toMatchObject([
        {
          id: 'fast',
          upstreamModel: 'gemini-2.5-flash-lite',
          price: { prompt: '0.1', completion: 1 },
          contextLength: 1_048_576,
          maxTokens: 100,
        },
        { id: 'own', contextLength: 1_000, maxTokens: 1_000, status: { active: false } },
      ]);
    });

    it('make do without the list where models are configured, and not where there are none', async () => {
      upstream.replies({ status: 403, headers: json, body: '{"error":{"code":403,"status":"PERMISSION_DENIED"}}' });
      const [unheard] = await provider({ models: { unheard: {} } }).models(signal);
      expect(unheard).toMatchObject({ id: 'unheard', contextLength: 32_768, maxTokens: 8_192 });
      await expect(provider().models(signal)).rejects.toMatchObject({ kind: 'authentication' });
    });

    it('cost nothing where the entry is free', async () => {
      const [offered] = await provider({ free: true, models: { 'gemini-3.8-flash': {} } }).models(signal);
      expect(offered?.price).toEqual({ prompt: 0, completion: 0 });
    });
  });
});
