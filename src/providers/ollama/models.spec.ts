import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { providerSchema } from '../../config/config.schema.js';
import { testCall } from '../testing/call.js';
import { readAll } from '../testing/collect.js';
import { LoopbackUpstream, type RecordedRequest, type Reply } from '../testing/loopback-upstream.js';
import { settled } from '../testing/settled.js';
import { HttpTransport } from '../transport/http-transport.js';
import { OllamaProvider } from './ollama.provider.js';

interface Tags {
  models: { name: string; model: string; digest: string }[];
}

const fixture = (name: string): unknown => JSON.parse(readFileSync(join(import.meta.dirname, '__fixtures__', name), 'utf8'));
const tags = fixture('tags.json') as Tags;
const shows = fixture('shows.json') as Record<string, object>;
const now = new AbortController().signal;

describe('the models of Ollama', () => {
  const transport = new HttpTransport();
  const upstream = LoopbackUpstream.during(() => transport.onApplicationShutdown());

  const json = (body: object, status = 200): Reply => ({
    status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const modelOf = ({ body }: RecordedRequest): string => (JSON.parse(body) as { model: string }).model;
  const serve = (
    list: Tags = tags,
    show: (name: string) => Reply = (name) => json(shows[name] ?? { error: 'not found' }, shows[name] ? 200 : 404),
  ) => upstream.replies((request) => (request.path === '/api/tags' ? json(list) : show(modelOf(request))));
  const provider = (entry: Record<string, unknown> = {}): OllamaProvider =>
    new OllamaProvider('ollama', providerSchema.parse({ type: 'ollama', base_url: upstream.origin, free: true, ...entry }), transport);
  const shown = (): string[] => upstream.requests.filter(({ path }) => path === '/api/show').map(modelOf);

  it('are those of the server that write text or make embeddings, with what it tells of each', async () => {
    serve();
    const models = await provider({ prefix: 'local/' }).models(now);
    expect(upstream.requests.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual([
      'GET /api/tags',
      ...Array<string>(4).fill('POST /api/show'),
    ]);
    expect(models.map(({ id }) => id)).toEqual([
      'local/qwen3:latest',
      'local/llava:7b',
      'local/nomic-embed-text:latest',
      'local/hf.co/acme/base:Q8_0',
    ]);
    const [qwen, llava, nomic, base] = models;
    expect(nomic).toMatchObject({
      contextLength: 2_048,
      capabilities: { chat: false, completion: false, embeddings: true },
      embeddings: { dimensions: 768 },
      parameters: ['dimensions', 'truncate'],
    });
    expect(qwen).toMatchObject({
      upstreamModel: 'qwen3:latest',
      created: Date.parse('2026-11-01T11:00:00Z') / 1_000,
      price: { prompt: 0, completion: 0 },
      contextLength: 8_192,
      maxTokens: 8_192,
      capabilities: { chat: true, completion: true, function_calling: true, vision: false, embeddings: false, json_mode: true },
      inputModalities: ['text'],
    });
    expect(qwen?.parameters).toEqual(expect.arrayContaining(['tools', 'reasoning_effort', 'think', 'top_k', 'logprobs', 'max_tokens']));
    for (const name of ['suffix', 'n', 'tool_choice', 'parallel_tool_calls', 'logit_bias', 'user', 'echo'])
      expect(qwen?.parameters).not.toContain(name);
    expect(llava).toMatchObject({
      contextLength: 32_768,
      capabilities: { vision: true, function_calling: false },
      inputModalities: ['text', 'image'],
    });
    for (const name of ['tools', 'reasoning_effort', 'think', 'suffix']) expect(llava?.parameters).not.toContain(name);
    expect(base?.parameters).toContain('suffix');
  });

  it('are shown again only where they have changed', async () => {
    serve();
    const asked = provider();
    const before = await asked.models(now);
    serve();
    expect(await asked.models(now)).toEqual(before);
    expect(shown()).toEqual([]);
    serve({ models: tags.models.map((model) => (model.name === 'llava:7b' ? { ...model, digest: 'new' } : model)) });
    await asked.models(now);
    expect(shown()).toEqual(['llava:7b']);
    const undigested = { models: tags.models.slice(0, 1).map(({ name, model }) => ({ name, model })) };
    for (let time = 0; time < 2; time++) {
      serve(undigested as Tags);
      await asked.models(now);
      expect(shown()).toEqual(['qwen3:latest']);
    }
  });

  const many = { models: Array.from({ length: 1_050 }, (_, i) => ({ name: `m${i}:latest`, model: `m${i}:latest`, digest: `d${i}` })) };

  it('are forgotten when the server has them no longer', async () => {
    serve();
    const asked = provider();
    await asked.models(now);
    serve({ models: [] });
    expect(await asked.models(now)).toEqual([]);
    serve();
    await asked.models(now);
    expect(shown()).toHaveLength(4);
  });

  it('are shown four at a time', async () => {
    const abort = new AbortController();
    serve(many, () => ({ ending: 'silent' }));
    const first = Promise.all(Array.from({ length: 5 }, () => upstream.nextRequest()));
    const ended = provider()
      .models(abort.signal)
      .catch((error: unknown) => error);
    await first;
    expect(await settled(() => shown().length)).toBe(4);
    abort.abort();
    expect(await ended).toMatchObject({ name: 'ProviderError' });
  });

  it('are shown to a number of a thousand', async () => {
    serve(many, () => json({ capabilities: ['completion'] }));
    expect(await provider().models(now)).toHaveLength(1_050);
    expect(shown()).toHaveLength(1_000);
  });

  it('are taken to do what is usual where the server shows nothing, and are asked about again', async () => {
    serve(tags, () => json({ error: 'no' }, 500));
    const asked = provider();
    const [model] = await asked.models(now);
    expect(model).toMatchObject({ contextLength: 32_768, capabilities: { chat: true, function_calling: true, vision: false } });
    expect(model?.parameters).toEqual(expect.arrayContaining(['tools', 'suffix', 'reasoning_effort']));
    serve();
    expect((await asked.models(now))[0]).toMatchObject({ contextLength: 8_192 });
  });

  it('have the context that the entry loads them with, as far as they can', async () => {
    serve();
    const models = await provider({ options: { num_ctx: 16_384 } }).models(now);
    expect(models.map(({ contextLength }) => contextLength)).toEqual([16_384, 16_384, 2_048, 4_096]);
  });

  it('are the configured ones where there are any, with or without a tag, and only these are shown', async () => {
    serve();
    const models = await provider({
      models: { qwen3: {}, eyes: { upstream_model: 'llava:7b', context_length: 4_000 }, gone: {} },
    }).models(now);
    expect(models).toMatchObject([
      { id: 'qwen3', upstreamModel: 'qwen3', contextLength: 8_192, capabilities: { function_calling: true } },
      { id: 'eyes', upstreamModel: 'llava:7b', contextLength: 4_000, capabilities: { vision: true, function_calling: false } },
      { id: 'gone', contextLength: 32_768 },
    ]);
    expect(shown().toSorted()).toEqual(['llava:7b', 'qwen3:latest']);
    upstream.replies({ status: 500 });
    expect(await provider({ models: { qwen3: {} } }).models(now)).toMatchObject([{ id: 'qwen3', contextLength: 32_768 }]);
  });

  it('are asked to think in the way that the server has told', async () => {
    serve();
    const asked = provider();
    await asked.models(now);
    upstream.replies({ status: 503 });
    const chat = {
      operation: 'chat',
      model: 'm',
      stream: true,
      n: 1,
      messages: [{ role: 'user', content: 'hi' }],
      reasoning_effort: 'high',
    } as const;
    const call = testCall({ upstreamModel: 'qwen3:latest' });
    await readAll(asked.generate(chat, call)).catch(() => undefined);
    const other = testCall({ upstreamModel: 'llava:7b' });
    await readAll(asked.generate(chat, other)).catch(() => undefined);
    expect(upstream.requests.map(({ body }) => (JSON.parse(body) as { think?: unknown }).think)).toEqual([true, undefined]);
    expect([call.droppedParameters, other.droppedParameters]).toEqual([[], ['reasoning_effort']]);
  });

  it('are none where the list cannot be had', async () => {
    upstream.replies(json({ error: 'unauthorized' }, 401));
    await expect(provider().models(now)).rejects.toMatchObject({ kind: 'authentication' });
    upstream.replies(json({ models: ['qwen3'] }));
    await expect(provider().models(now)).rejects.toMatchObject({ kind: 'bad_response' });
  });

  it('that were shown before a list was given up are not shown again', async () => {
    const abort = new AbortController();
    const asked = provider();
    let before = 0;
    serve(many, () => {
      if (++before === 20) abort.abort();
      return json({ capabilities: ['completion'] });
    });
    await expect(asked.models(abort.signal)).rejects.toMatchObject({ name: 'ProviderError' });
    serve(many, () => json({ capabilities: ['completion'] }));
    await asked.models(now);
    expect(shown().length).toBeLessThanOrEqual(1_000 - 16);
  });

  it('are not believed where the list was given up', async () => {
    const abort = new AbortController();
    serve(tags, () => {
      abort.abort();
      return { ending: 'silent' };
    });
    await expect(provider().models(abort.signal)).rejects.toMatchObject({ name: 'ProviderError' });
  });

  it('pass by any name on the terms of `open`', () => {
    const open = { context_length: 2_000, max_tokens: 100 };
    expect(provider({ open }).open('any:7b')).toMatchObject({ upstreamModel: 'any:7b', contextLength: 2_000, maxTokens: 100 });
    expect(provider().open('any:7b')).toBeUndefined();
  });
});
