import { readFileSync } from 'node:fs';
import { providerSchema } from '../../config/config.schema.js';
import { parsePrice } from '../../common/prices/credits.js';
import type { ChatGenerationRequest } from '../../wire/generation.js';
import { type Usage, usageOf } from '../../wire/usage.js';
import { AnthropicMessagesProtocol } from '../protocols/anthropic-messages/anthropic-messages.protocol.js';
import { testCall } from '../testing/call.js';
import { type CollectedChoice, readAll } from '../testing/collect.js';
import { describeProvider } from '../testing/describe-provider.js';
import { LoopbackUpstream, type Reply } from '../testing/loopback-upstream.js';
import { json, sse } from '../testing/suite-context.js';
import { HttpTransport } from '../transport/http-transport.js';
import { claudeModels } from '../model-facts/claude/claude-models.js';
import { AnthropicProvider } from './anthropic.provider.js';

const key = 'sk-ant-api03-TestTestTestTestTestTestTestTest';
const fixture = (name: string): Buffer => readFileSync(new URL(`__fixtures__/${name}`, import.meta.url));
const now = new AbortController().signal;

const chat: ChatGenerationRequest = { operation: 'chat', model: 'm', stream: false, n: 1, messages: [{ role: 'user', content: 'hello' }] };

const answer = (name: string, choice: Partial<CollectedChoice>, usage: Usage) => ({
  name,
  request: chat,
  whole: fixture(`${name}.json`),
  stream: fixture(`${name}.sse`),
  expect: { choices: [choice], usage: { ...usage, service_tier: 'standard' } },
});

const errorTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};
const errorBody = (status: number, message: string) =>
  JSON.stringify({
    type: 'error',
    error: { type: errorTypes[status] ?? 'api_error', message },
    request_id: 'req_011CWdN9pQjsMGioSTihLhYk',
  });

const transport = new HttpTransport();
const protocol = new AnthropicMessagesProtocol(transport);

describeProvider({
  name: 'anthropic',
  create: ({ config }) => new AnthropicProvider('anthropic', { ...config, type: 'anthropic' }, protocol, transport),
  close: () => transport.onApplicationShutdown(),
  errorBody,
  event:
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"0123456789"}        }\n\n',
  modelList: fixture('models.json').toString(),
  fixtures: [
    answer('text', { text: 'The harbour lights of Göteborg — 灯火 — are lit at dusk. 🌆' }, usageOf(11, 17)),
    answer(
      'cached',
      { text: 'As before.' },
      {
        ...usageOf(2148, 3),
        prompt_tokens_details: {
          cached_tokens: 2048,
          cache_creation_tokens: 96,
          cache_creation_token_details: { ephemeral_5m_input_tokens: 96, ephemeral_1h_input_tokens: 0 },
        },
      },
    ),
    answer(
      'interleaved',
      {
        text: 'Checking the tide first.',
        reasoning: 'Then the clock.',
        toolCalls: [
          { id: 'toolu_01TideBergen000000000', name: 'tide_table', arguments: '{"port":"Bergen"}' },
          { id: 'toolu_01NowAgain0000000000000', name: 'now', arguments: '{}' },
        ],
        finishReason: 'tool_calls',
      },
      { ...usageOf(412, 240), completion_tokens_details: { reasoning_tokens: 131 } },
    ),
  ],
  failures: [
    { name: 'an error object with status 200', body: errorBody(529, 'Overloaded'), kind: 'overloaded' },
    { name: 'an error event at once', streamed: true, body: fixture('error-at-once.sse'), kind: 'overloaded' },
    { name: 'an error event in mid-stream', streamed: true, body: fixture('error-in-mid-stream.sse'), kind: 'overloaded' },
  ],
});

describe('AnthropicProvider', () => {
  const upstream = LoopbackUpstream.during(() => transport.onApplicationShutdown());

  function provider(entry: Record<string, unknown> = {}): AnthropicProvider {
    const config = providerSchema.parse({ type: 'anthropic', base_url: upstream.origin, api_key: key, ...entry });
    return new AnthropicProvider('anthropic', config, protocol, transport);
  }

  function ask(reply: Reply, fields: Partial<ChatGenerationRequest> = {}, asked = provider()) {
    upstream.replies(reply);
    return readAll(asked.generate({ ...chat, ...fields }, testCall({ upstreamModel: 'claude-opus-5-5' })));
  }

  const whole = (name: string, fields = {}) => ask(json(fixture(`${name}.json`)), fields);
  const sent = (): Record<string, unknown> => JSON.parse(upstream.requests[0]?.body ?? '') as Record<string, unknown>;

  it('says nothing in a stream that fails before its first output, so that another provider may answer', async () => {
    upstream.replies(sse(fixture('error-at-once.sse')));
    const chunks = provider().generate({ ...chat, stream: true }, testCall());
    await expect(chunks[Symbol.asyncIterator]().next()).rejects.toMatchObject({ kind: 'overloaded', status: 529 });
  });

  it('asks at the configured address, as the configured account', async () => {
    await whole('text');
    expect(upstream.requests).toHaveLength(1);
    expect(upstream.requests[0]).toMatchObject({
      method: 'POST',
      path: '/v1/messages',
      headers: { 'x-api-key': key, 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
    });
    expect(sent()).toEqual({
      model: 'claude-opus-5-5',
      max_tokens: 128_000,
      stream: false,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }],
    });
  });

  it('speaks to other addresses as they are configured', async () => {
    upstream.replies(json(fixture('text.json')));
    const other = provider({
      base_url: `${upstream.origin}/anthropic/v1/`,
      api_key: undefined,
      headers: { Authorization: 'Bearer t', 'Anthropic-Beta': 'b' },
    });
    await readAll(other.generate(chat, testCall({ upstreamModel: 'other-1' })));
    expect(upstream.requests[0]).toMatchObject({
      path: '/anthropic/v1/messages',
      headers: { authorization: 'Bearer t', 'anthropic-beta': 'b' },
    });
    expect(upstream.requests[0]?.headers).not.toHaveProperty('x-api-key');
    expect(sent()).toMatchObject({ model: 'other-1', max_tokens: 8_192 });
  });

  it('names what it leaves out', async () => {
    upstream.replies(json(fixture('text.json')));
    const call = testCall({ upstreamModel: 'claude-haiku-4-5' });
    await readAll(provider().generate({ ...chat, temperature: 2, user: 'a@b.c' }, call));
    expect(call.droppedParameters).toEqual(['user', 'temperature']);
  });

  it('has no legacy completions', async () => {
    const asked = provider().generate({ operation: 'completion', model: 'm', stream: false, n: 1, prompt: 'x' }, testCall());
    await expect(readAll(asked)).rejects.toMatchObject({ kind: 'invalid_request' });
  });

  describe('models', () => {
    it('are those that the key may use, with what we know of them', async () => {
      upstream.replies(json(fixture('models.json')));
      const claude = provider({ prefix: 'a/' });
      const offered = await claude.models(now);
      expect(upstream.requests[0]).toMatchObject({ method: 'GET', path: '/v1/models?limit=1000', headers: { 'x-api-key': key } });
      expect(offered.map(({ id }) => id)).toEqual([
        'a/claude-opus-5-5',
        'a/claude-newer-7',
        'a/claude-haiku-4-5-20251001',
        'a/claude-haiku-4-5',
      ]);
      expect(offered[0]).toMatchObject({
        upstreamModel: 'claude-opus-5-5',
        created: Date.parse('2026-09-22') / 1_000,
        price: { prompt: '0.004', completion: '0.02' },
        contextLength: 1_000_000,
        maxTokens: 128_000,
        capabilities: { chat: true, completion: false, function_calling: true, vision: true, embeddings: false, json_mode: true },
      });
      for (const name of ['n', 'seed', 'temperature', 'logprobs', 'logit_bias', 'presence_penalty', 'suffix', 'echo'])
        expect(offered[0]!.parameters).not.toContain(name);
      expect(offered[1]).toMatchObject({ contextLength: 2_000_000, maxTokens: 256_000, price: undefined });
      expect(offered[3]).toMatchObject({ upstreamModel: 'claude-haiku-4-5', price: { prompt: '0.001', completion: '0.005' } });
    });

    it('that are newer than our list are asked in the way that the list tells', async () => {
      upstream.replies(json(fixture('models.json')));
      const claude = provider();
      await claude.models(now);
      upstream.replies(json(fixture('text.json')));
      for (const reasoning_effort of ['none', 'xhigh']) {
        await readAll(claude.generate({ ...chat, reasoning_effort }, testCall({ upstreamModel: 'claude-newer-7' })));
      }
      expect(upstream.requests.map(({ body }) => JSON.parse(body) as unknown)).toMatchObject([
        { max_tokens: 256_000, thinking: { type: 'between_tools' } },
        { output_config: { effort: 'high' } },
      ]);
    });

    it('are the configured ones where there are any, without asking', async () => {
      upstream.replies({ status: 500 });
      const claude = provider({
        models: {
          smart: { upstream_model: 'claude-opus-5-5', pricing: { prompt: '0.1', completion: 1 }, max_tokens: 100 },
          own: { context_length: 1_000, max_tokens: 200, active: false, parameters: ['stop'] },
        },
      });
      expect(await claude.models(now)).toMatchObject([
        {
          id: 'smart',
          upstreamModel: 'claude-opus-5-5',
          price: { prompt: '0.1', completion: 1 },
          contextLength: 1_000_000,
          maxTokens: 100,
        },
        {
          id: 'own',
          contextLength: 1_000,
          maxTokens: 200,
          status: { active: false },
          parameters: ['stop'],
          capabilities: { vision: false },
        },
      ]);
      expect(upstream.requests).toHaveLength(0);
      await ask(json(fixture('text.json')), {}, claude);
      expect(sent()).toMatchObject({ max_tokens: 100 });
    });

    it('are none where the list cannot be had', async () => {
      upstream.replies({ ...json(errorBody(401, 'invalid x-api-key')), status: 401 });
      await expect(provider().models(now)).rejects.toMatchObject({ kind: 'authentication' });
      upstream.replies(json('{}'));
      await expect(provider().models(now)).rejects.toMatchObject({ kind: 'bad_response' });
    });

    it('are known by exact prices and sensible limits', () => {
      expect(new Set(claudeModels.map(({ id }) => id)).size).toBe(claudeModels.length);
      for (const { id, price, released, contextLength, traits } of claudeModels) {
        expect(id).toMatch(/^claude-[a-z]+-\d(-\d)?$/);
        if (price) expect(parsePrice(price).completion).toBe(5n * parsePrice(price).prompt);
        expect(Date.parse(released)).toBeGreaterThan(0);
        expect(traits.maxTokens).toBeLessThan(contextLength);
      }
    });
  });
});
