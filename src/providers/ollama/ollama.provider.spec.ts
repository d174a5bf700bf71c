import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { providerSchema } from '../../config/config.schema.js';
import type { ChatGenerationRequest, CompletionGenerationRequest } from '../../wire/generation.js';
import { usageOf } from '../../wire/usage.js';
import { embeddings, testCall } from '../testing/call.js';
import { collect, readAll } from '../testing/collect.js';
import { describeProvider } from '../testing/describe-provider.js';
import { LoopbackUpstream } from '../testing/loopback-upstream.js';
import type { ProviderFailure, ProviderFixture } from '../testing/provider-suite.js';
import { HttpTransport } from '../transport/http-transport.js';
import { OllamaProvider } from './ollama.provider.js';

const fixture = (name: string): Buffer => readFileSync(join(import.meta.dirname, '__fixtures__', name));
const both = (name: string) => ({ name, whole: fixture(`${name}.json`), stream: fixture(`${name}.ndjson`) });
const ndjson = { 'content-type': 'application/x-ndjson' };

const chat: ChatGenerationRequest = { operation: 'chat', model: 'm', stream: false, n: 1, messages: [{ role: 'user', content: 'hello' }] };
const completion: CompletionGenerationRequest = { operation: 'completion', model: 'm', stream: false, n: 1, prompt: 'The' };
const tide = (id: string, port: string) => ({ id, name: 'tide_table', arguments: JSON.stringify({ port, days: 2 }) });
const token = (text: string, logprob: number) => ({ token: text, logprob, bytes: [...Buffer.from(text)] });

const fixtures: ProviderFixture[] = [
  {
    ...both('text'),
    request: { ...chat, max_tokens: 30, temperature: 0.5, stop: ['END'] },
    sends: { model: 'upstream-model', options: { num_predict: 30, temperature: 0.5, stop: ['END'] }, truncate: false },
    expect: {
      choices: [{ text: 'The harbour lights of Göteborg — 灯火 — are lit at dusk. 🌆' }],
      usage: { ...usageOf(11, 17), prompt_tokens_details: { cached_tokens: 8 } },
    },
  },
  {
    ...both('reasoning'),
    request: { ...chat, reasoning_effort: 'high' },
    sends: { think: 'high' },
    expect: {
      choices: [{ text: 'Fourteen crates.', reasoning: 'Two boats carry seven crates each.\n7 × 2 = 14' }],
      usage: usageOf(21, 69),
    },
  },
  {
    ...both('tools'),
    request: { ...chat, tools: [{ type: 'function', function: { name: 'tide_table' } }] },
    sends: { tools: [{ type: 'function', function: { name: 'tide_table', parameters: { type: 'object', properties: {} } } }] },
    expect: {
      choices: [
        {
          text: 'I shall look.',
          toolCalls: [tide('call_2k7ryu9k', 'Göteborg'), tide('call_x7c2m9qa', 'Bergen')],
          finishReason: 'tool_calls',
        },
      ],
      usage: usageOf(88, 154),
    },
  },
  {
    ...both('tool-without-id'),
    request: { ...chat, tools: [{ type: 'function', function: { name: 'now' } }] },
    expect: {
      choices: [{ toolCalls: [{ id: 'call_ol774bbcceb302099a8057_0', name: 'now', arguments: '{}' }], finishReason: 'tool_calls' }],
      usage: usageOf(40, 9),
    },
  },
  {
    ...both('length'),
    request: { ...chat, max_tokens: 5 },
    expect: { choices: [{ text: 'One, two, thr', finishReason: 'length' }], usage: usageOf(6, 5) },
  },
  {
    ...both('logprobs'),
    request: { ...chat, logprobs: true, top_logprobs: 2 },
    sends: { logprobs: true, top_logprobs: 2 },
    expect: {
      choices: [
        {
          text: 'Low tide',
          logprobs: [
            { ...token('Low', -0.1), top_logprobs: [token('Low', -0.1), token('High', -2.5)] },
            { ...token(' tide', -0.02), top_logprobs: [token(' tide', -0.02), token(' water', -4.5)] },
          ],
        },
      ],
      usage: usageOf(4, 2),
    },
  },
  { ...both('uncounted'), request: chat, expect: { choices: [{ text: 'As before.' }] } },
];

const failures: ProviderFailure[] = [
  {
    name: 'a model that cannot call tools',
    status: 400,
    body: '{"error":"registry.ollama.ai/library/llava:7b does not support tools"}',
    kind: 'invalid_request',
    message: /does not support tools/,
  },
  { name: 'a model that is not there', status: 404, body: '{"error":"model \'nemo\' not found"}', kind: 'model_unavailable' },
  { name: 'a prompt too long', status: 400, body: fixture('too-long.ndjson'), kind: 'context_length_exceeded', message: /longer/ },
  {
    name: 'a prompt too long for the engine',
    status: 500,
    body: '{"error":"request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it"}',
    kind: 'context_length_exceeded',
    message: /9000 tokens/,
  },
  {
    name: 'a full queue',
    status: 503,
    body: '{"error":"server busy, please try again.  maximum pending requests exceeded"}',
    kind: 'overloaded',
  },
  {
    name: 'too little memory',
    status: 500,
    body: '{"error":"model requires more system memory (60.0 GiB) than is available (7.1 GiB)"}',
    kind: 'overloaded',
    message: /60.0 GiB/,
  },
  {
    name: 'a cloud model without a login',
    status: 401,
    body: '{"error":"unauthorized","signin_url":"https://ollama.com/connect"}',
    kind: 'authentication',
  },
  { name: 'an error line at once', streamed: true, body: fixture('error-at-once.ndjson'), kind: 'overloaded', message: /exit status 2/ },
  { name: 'an error line in mid-stream', streamed: true, body: fixture('error-in-mid-stream.ndjson'), kind: 'overloaded', message: /CUDA/ },
  { name: 'an error object with status 200', body: fixture('error-at-once.ndjson'), kind: 'overloaded' },
  { name: 'a prompt too long, in a stream', streamed: true, body: fixture('too-long.ndjson'), kind: 'context_length_exceeded' },
  { name: 'a model that was only loaded', body: fixture('loaded.json'), kind: 'bad_response', message: /load/ },
  { name: 'a model that was only loaded, streamed', streamed: true, body: fixture('loaded.json'), kind: 'bad_response' },
  { name: 'an answer that is not done', body: fixture('undone.json'), kind: 'bad_response', message: /before it was done/ },
  { name: 'a stream that is not done', streamed: true, body: fixture('undone.json'), kind: 'bad_response', message: /before it was done/ },
  { name: 'a call without a name', streamed: true, body: fixture('nameless-call.ndjson'), kind: 'bad_response' },
  { name: 'a line that is no object', streamed: true, body: '[]\n', kind: 'bad_response' },
  { name: 'server-sent events', streamed: true, body: 'data: {"done":true}\n\n', kind: 'bad_response' },
];

const transport = new HttpTransport();

describeProvider({
  name: 'ollama',
  create: ({ config }) => new OllamaProvider('ollama', { ...config, type: 'ollama' }, transport),
  close: () => transport.onApplicationShutdown(),
  contentTypes: { stream: 'application/x-ndjson', whole: 'application/json; charset=utf-8' },
  errorBody: (_status, message) => JSON.stringify({ error: message }),
  event: '{"model":"m","created_at":"2026-11-20T09:14:01.007919Z","message":{"role":"assistant","content":"0123456789"},"done":false}\n',
  modelList: fixture('tags.json').toString(),
  embeddings: [
    {
      name: 'numbers',
      request: { ...embeddings, dimensions: 2 },
      upstreamModel: 'nomic-embed-text:latest',
      sends: { model: 'nomic-embed-text:latest', input: ['Žofia', 'second'], dimensions: 2, truncate: false },
      answer: '{"model":"m","embeddings":[[0.25,1],[0.5,-1]],"total_duration":1,"prompt_eval_count":7}',
      expect: { embeddings: [[0.25, 1], [0.5, -1]], usage: usageOf(7, 0) }, // prettier-ignore
    },
  ],
  fixtures,
  failures,
});

describe('OllamaProvider', () => {
  const upstream = LoopbackUpstream.during(() => transport.onApplicationShutdown());

  const provider = (entry: Record<string, unknown> = {}): OllamaProvider =>
    new OllamaProvider('ollama', providerSchema.parse({ type: 'ollama', base_url: upstream.origin, ...entry }), transport);

  const sent = (): Record<string, unknown> => JSON.parse(upstream.requests[0]?.body ?? '') as Record<string, unknown>;

  it.each([
    ['', ''],
    ['/', ''],
    ['/v1', ''],
    ['/v1/', ''],
    ['/api', ''],
    ['/gpu/v1', '/gpu'],
    ['/v10', '/v10'],
  ])('asks below the address that ends in “%s” as without it', async (path, base) => {
    upstream.replies({ headers: { 'content-type': 'application/json' }, body: fixture('text.json') });
    const asked = provider({ base_url: upstream.origin + path });
    for (const request of [chat, completion]) await readAll(asked.generate(request, testCall()));
    expect(upstream.requests.map((request) => request.path)).toEqual([`${base}/api/chat`, `${base}/api/generate`]);
  });

  it.each([
    ['whole', false, 'completion.json', { 'content-type': 'application/json' }],
    ['streamed', true, 'completion.ndjson', ndjson],
  ])('answers a legacy completion with its log probabilities, %s', async (_mode, stream, name, headers) => {
    upstream.replies({ headers, body: fixture(name) });
    const chunks = await readAll(provider().generate({ ...completion, stream, logprobs: 2 }, testCall()));
    const { choices, usage } = collect(chunks);
    expect(choices).toMatchObject([{ text: 'Low tide', finishReason: 'stop' }]);
    expect(usage).toEqual(usageOf(4, 2));
    const told = chunks.flatMap((chunk) => chunk.choices.flatMap(({ logprobs }) => (logprobs && 'tokens' in logprobs ? [logprobs] : [])));
    expect(told.flatMap(({ tokens }) => tokens)).toEqual(['Low', ' tide']);
    expect(told.flatMap(({ text_offset }) => text_offset)).toEqual([0, 3]);
    expect(told[0]?.top_logprobs?.[0]).toEqual({ Low: -0.1, High: -2.5 });
    expect(sent()).toMatchObject({ prompt: 'The', stream, logprobs: true, top_logprobs: 2, think: false });
  });

  it('tells what it knows of a prompt that the server has not counted', async () => {
    upstream.replies({ headers: ndjson, body: fixture('uncounted.ndjson') });
    const chunks = await readAll(provider().generate({ ...chat, stream: true }, testCall()));
    expect(chunks.at(-1)).toMatchObject({ usageSoFar: { completion_tokens: 3 }, choices: [{ finish_reason: 'stop' }] });
    expect(chunks.some(({ usage }) => usage)).toBe(false);
  });

  it('says that it is alive where a line has no output', async () => {
    upstream.replies({ headers: ndjson, body: fixture('tools.ndjson') });
    const chunks = await readAll(provider().generate({ ...chat, stream: true }, testCall()));
    expect(chunks.filter(({ choices }) => choices.length === 0)).toHaveLength(2);
  });

  it.each([false, true])('has an empty answer where the model says nothing (stream: %s)', async (stream) => {
    const body = JSON.stringify({ message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop', prompt_eval_count: 5 });
    upstream.replies({ headers: stream ? ndjson : { 'content-type': 'application/json' }, body });
    const { choices, usage } = collect(await readAll(provider().generate({ ...chat, stream }, testCall())));
    expect(choices).toMatchObject([{ text: '', finishReason: 'stop' }]);
    expect(usage).toEqual(usageOf(5, 0));
  });

  it('takes a line of a megabyte, and refuses one that is larger than its limit', async () => {
    const line = (length: number) => `${JSON.stringify({ message: { content: 'x'.repeat(length) }, done: true, done_reason: 'stop' })}\n`;
    upstream.replies({ headers: ndjson, body: line(1_000_000) });
    expect(collect(await readAll(provider().generate({ ...chat, stream: true }, testCall()))).choices[0]?.text).toHaveLength(1_000_000);
    upstream.replies({ headers: ndjson, body: line(10 * 1024 * 1024) });
    await expect(readAll(provider().generate({ ...chat, stream: true }, testCall()))).rejects.toMatchObject({ kind: 'limit_exceeded' });
  });

  it('refuses more tool calls than its limit', async () => {
    const calls = Array.from({ length: 1_025 }, () => ({ function: { name: 'f', arguments: {} } }));
    upstream.replies({
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ message: { tool_calls: calls }, done: true }),
    });
    await expect(readAll(provider().generate(chat, testCall()))).rejects.toMatchObject({
      kind: 'limit_exceeded',
      message: /1024 tool calls/,
    });
  });
});
