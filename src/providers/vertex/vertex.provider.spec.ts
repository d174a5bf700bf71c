import { readFileSync } from 'node:fs';
import type { EmbeddingRequest } from '../../wire/embedding.js';
import type { ChatGenerationRequest } from '../../wire/generation.js';
import { usageOf } from '../../wire/usage.js';
import { AccessToken, bearer } from '../credentials/access-token.js';
import { testCall } from '../testing/call.js';
import { readAll } from '../testing/collect.js';
import { describeProvider } from '../testing/describe-provider.js';
import { LoopbackUpstream } from '../testing/loopback-upstream.js';
import type { SuiteEntry } from '../testing/provider-suite.js';
import { json } from '../testing/suite-context.js';
import { suiteEntry } from '../testing/suite-entry.js';
import { VertexProvider } from './vertex.provider.js';
import { said } from '../../wire/testing/said.js';

const fixture = (name: string): Buffer => readFileSync(new URL(`__fixtures__/${name}`, import.meta.url));
const lines = (name: string): Buffer => Buffer.from(fixture(name).toString().replaceAll('\r\n', '\n'));
const chat: ChatGenerationRequest = { operation: 'chat', model: 'm', stream: false, n: 1, messages: [said.user('hello')] };
const embeddings: EmbeddingRequest = {
  operation: 'embeddings',
  model: 'm',
  stream: false,
  n: 1,
  encoding_format: 'float',
  input: ['high water'],
};
const now = new AbortController().signal;
const modelList = JSON.stringify({
  publisherModels: [
    { name: 'publishers/google/models/gemini-3.5-flash', versionId: 'default' },
    { name: 'publishers/google/models/imagen-4' },
  ],
});
const options = { project: 'harbour-1', location: 'global' };

/**
 * A provider whose token is the entry's key. The key stands among the options instead, so that the provider knows what
 * must not show, as the registry does of tokens.
 */
function withToken({ config: { api_key: key = '', ...config }, services }: SuiteEntry): VertexProvider {
  const token = new AccessToken(
    () => Promise.resolve({ token: key, expiresAt: Date.now() + 3_600_000 }),
    (secret) => services.hide(secret),
  );
  return new VertexProvider('vertex', { ...config, type: 'vertex', options: { ...options, token: key } }, services, bearer(token));
}

describeProvider({
  name: 'vertex, Google’s models',
  create: withToken,
  errorBody: (status, message) => JSON.stringify({ error: { code: status, message } }),
  event: 'data: {"candidates":[{"content":{"role":"model","parts":[{"text":"0123456789"}]},"index":0}]}\n\n',
  modelList,
  fixtures: [
    {
      name: 'text',
      request: chat,
      whole: fixture('gemini.json'),
      stream: lines('gemini.sse'),
      expect: {
        choices: [{ text: 'High water at noon – 灯火.' }],
        usage: { ...usageOf(12, 25), completion_tokens_details: { reasoning_tokens: 21 }, service_tier: 'standard' },
      },
    },
  ],
  embeddings: [
    {
      name: 'by predict',
      request: { ...embeddings, dimensions: 2, extra: { task_type: 'RETRIEVAL_QUERY' } },
      upstreamModel: 'gemini-embedding-001',
      sends: {
        instances: [{ content: 'high water', task_type: 'RETRIEVAL_QUERY' }],
        parameters: { autoTruncate: false, outputDimensionality: 2 },
      },
      answer: '{"predictions":[{"embeddings":{"values":[0.25,1],"statistics":{"truncated":false,"token_count":7}}}]}',
      expect: { embeddings: [[0.25, 1]], usage: usageOf(7, 0) },
    },
    {
      name: 'by embedContent',
      request: { ...embeddings, extra: { title: 'Tides' } },
      upstreamModel: 'gemini-embedding-2',
      sends: { content: { parts: [{ text: 'high water' }] }, embedContentConfig: { autoTruncate: false, title: 'Tides' } },
      answer: '{"embedding":{"values":[0.5,-1]},"usageMetadata":{"promptTokenCount":3},"truncated":false}',
      expect: { embeddings: [[0.5, -1]], usage: usageOf(3, 0) },
    },
  ],
  failures: [
    {
      name: 'a model that is not at the location',
      status: 404,
      body: '{"error":{"code":404,"message":"Publisher Model `x` was not found","status":"NOT_FOUND"}}',
      kind: 'model_unavailable',
    },
    {
      name: 'a permission that is lacking',
      status: 403,
      body: '{"error":{"code":403,"message":"Permission denied on resource project x.","status":"PERMISSION_DENIED"}}',
      kind: 'authentication',
    },
  ],
});

describe('VertexProvider', () => {
  const entries: SuiteEntry[] = [];
  const upstream = LoopbackUpstream.during(() => Promise.all(entries.map((entry) => entry.close())));

  const provider = (entry: Record<string, unknown> = {}, base = upstream.origin): VertexProvider => {
    const whole = suiteEntry(base, { type: 'vertex', options, ...entry });
    entries.push(whole);
    return new VertexProvider('vertex', whole.config, whole.services);
  };
  const ask = async (upstreamModel: string, fields: Partial<ChatGenerationRequest> = {}, asked = provider()) => {
    upstream.replies({ status: 503 });
    await readAll(asked.generate({ ...chat, ...fields }, testCall({ upstreamModel }))).catch(() => undefined);
    const [request] = upstream.requests;
    return request && { path: request.path, body: JSON.parse(request.body) as Record<string, unknown> };
  };

  it.each([
    ['gemini-3.5-flash', false, '/v1beta1/projects/harbour-1/locations/global/publishers/google/models/gemini-3.5-flash:generateContent'],
    [
      'gemini-3.5-flash',
      true,
      '/v1beta1/projects/harbour-1/locations/global/publishers/google/models/gemini-3.5-flash:streamGenerateContent?alt=sse',
    ],
    ['endpoints/4711', false, '/v1beta1/projects/harbour-1/locations/global/endpoints/4711:generateContent'],
    [
      'claude-opus-4-5@20251101',
      false,
      '/v1/projects/harbour-1/locations/global/publishers/anthropic/models/claude-opus-4-5@20251101:rawPredict',
    ],
    ['claude-opus-4-6', true, '/v1/projects/harbour-1/locations/global/publishers/anthropic/models/claude-opus-4-6:streamRawPredict'],
  ])('asks for %s, streamed: %s, at its path', async (model, stream, path) => {
    expect((await ask(model, { stream }))?.path).toBe(path);
  });

  it('leaves the model and the tier out of Claude’s body, and has the version there', async () => {
    const { body } = (await ask('claude-opus-4-6', { extra: { service_tier: 'priority' } }))!;
    expect(body).toMatchObject({ anthropic_version: 'vertex-2023-10-16', stream: false });
    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['model']));
    expect(body).not.toHaveProperty('service_tier');
  });

  it('refuses an address of an image for Claude, also in the result of a tool, and asks nothing', async () => {
    const image = { type: 'image_url' as const, image_url: { url: 'https://harbour.example/map.png' } };
    const call = said.call('c', 'map', '{}');
    const results = [said.user('Show me'), said.assistant(null, [call]), said.result('c', [image])];
    upstream.replies({ status: 503 });
    for (const messages of [[said.user([image])], results]) {
      const answer = readAll(provider().generate({ ...chat, messages }, testCall({ upstreamModel: 'claude-opus-4-6' })));
      await expect(answer).rejects.toMatchObject({ kind: 'invalid_request', message: expect.stringContaining('data: URLs') as string });
    }
    expect(upstream.requests).toHaveLength(0);
  });

  it('lists Google’s models page by page, and no others', async () => {
    upstream.replies(({ path }) =>
      json(
        path.includes('pageToken=2')
          ? '{"publisherModels":[{"name":"publishers/google/models/gemini-3.1-flash-lite"}]}'
          : '{"publisherModels":[{"name":"publishers/google/models/gemini-3.5-flash"},{"name":"publishers/google/models/gemini-3.1-flash-image"},{"name":"publishers/google/models/chirp"},7],"nextPageToken":"2"}',
      ),
    );
    const models = await provider().models(now);
    expect(models.map(({ id }) => id)).toEqual(['gemini-3.5-flash', 'gemini-3.1-flash-lite']);
    expect(models[0]).toMatchObject({ contextLength: 1_048_576, price: expect.anything() as unknown });
    expect(upstream.requests.map(({ path }) => path)).toEqual([
      '/v1beta1/publishers/google/models?pageSize=100',
      '/v1beta1/publishers/google/models?pageSize=100&pageToken=2',
    ]);
    upstream.replies(json('{"publisherModels":{}}'));
    await expect(provider().models(now)).rejects.toMatchObject({ kind: 'bad_response' });
  });

  it('knows prices at the location global alone, besides what the entry says', async () => {
    const models = {
      'claude-opus-4-6': {},
      'gemini-3.5-flash': {},
      snapshot: { upstream_model: 'claude-opus-4-5@20251101' },
      priced: { upstream_model: 'gemini-3.5-flash', pricing: { prompt: '0.1', completion: '0.2' } },
    };
    const prices = async (location: string) => {
      const offered = await provider({ models, options: { ...options, location } }).models(now);
      return Object.fromEntries(offered.map(({ id, price }) => [id, price && [price.prompt, price.completion].map(Number)]));
    };
    expect(await prices('global')).toEqual({
      'claude-opus-4-6': [0.005, 0.025],
      'gemini-3.5-flash': [0.0015, 0.009],
      snapshot: [0.005, 0.025],
      priced: [0.1, 0.2],
    });
    expect(await prices('europe-west1')).toEqual({
      'claude-opus-4-6': undefined,
      'gemini-3.5-flash': undefined,
      snapshot: undefined,
      priced: [0.1, 0.2],
    });
  });

  it('opens both publishers’ models on the terms of the entry', () => {
    const open = { context_length: 1_000, max_tokens: 100, pricing: { prompt: '1', completion: '2' } };
    const opened = provider({ open });
    for (const name of ['claude-next', 'gemini-next']) {
      expect(opened.open(name)).toMatchObject({ upstreamModel: name, contextLength: 1_000, maxTokens: 100, price: open.pricing });
    }
    expect(provider().open('gemini-next')).toBeUndefined();
  });

  it('sends no key where it signs, and its key where there is one', async () => {
    const entry = suiteEntry(upstream.origin, { type: 'vertex', options });
    entries.push(entry);
    for (const model of ['gemini-3.5-flash', 'claude-opus-4-6']) {
      await ask(model, {}, provider());
      expect(upstream.requests[0]?.headers).toMatchObject({ 'x-goog-api-key': entry.apiKey });
      expect(upstream.requests[0]?.headers['authorization']).toBeUndefined();
      await ask(model, {}, withToken(entry));
      expect(upstream.requests[0]?.headers).toMatchObject({ authorization: `Bearer ${entry.apiKey}` });
      expect(upstream.requests[0]?.headers['x-goog-api-key']).toBeUndefined();
    }
  });
});
