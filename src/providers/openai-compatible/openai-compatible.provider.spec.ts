import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChatGenerationRequest, CompletionGenerationRequest } from '../../wire/generation.js';
import { usageOf } from '../../wire/usage.js';
import { ChatCompletionsProtocol } from '../protocols/chat-completions/chat-completions.protocol.js';
import { embeddings } from '../testing/call.js';
import { describeProvider } from '../testing/describe-provider.js';
import { HttpTransport } from '../transport/http-transport.js';
import { OpenAICompatibleProvider } from './openai-compatible.provider.js';

const fixture = (name: string) => readFileSync(join(import.meta.dirname, '__fixtures__', name));
const both = (name: string) => ({ name, whole: fixture(`${name}.json`), stream: fixture(`${name}.sse`) });

const chat: ChatGenerationRequest = { operation: 'chat', model: 'm', stream: false, n: 1, messages: [{ role: 'user', content: 'Ahoj' }] };
const completion: CompletionGenerationRequest = { operation: 'completion', model: 'm', stream: false, n: 1, prompt: 'Ahoj', logprobs: 2 };

const transport = new HttpTransport();

const delta = (piece: string, rest = '"finish_reason":null') => `data: {"choices":[{"index":0,"delta":{${piece}},${rest}}]}\n\n`;

describeProvider({
  name: 'openai-compatible',
  create: ({ config }) => {
    return new OpenAICompatibleProvider('loopback', { ...config, name: 'Loopback' }, new ChatCompletionsProtocol(transport), transport);
  },
  close: () => transport.onApplicationShutdown(),
  errorBody: (status, message) => JSON.stringify({ error: { message, type: 'some_error', param: null, code: null, status } }),
  event: delta('"role":"assistant","content":"0123456789"'),
  modelList: fixture('models.json').toString(),
  embeddings: [
    {
      name: 'numbers',
      request: { ...embeddings, input: ['Žofia', 'a "quoted"\ntext'], dimensions: 2, user: 'u', extra: { input_type: 'query' } },
      upstreamModel: 'vendor-embedding',
      sends: { model: 'vendor-embedding', dimensions: 2, user: 'u', input_type: 'query' },
      answer:
        '{"object":"list","data":[{"object":"embedding","index":1,"embedding":[0.5,-1e-3]},' +
        '{"object":"embedding","index":0,"embedding":[1,0]}],"model":"m","usage":{"prompt_tokens":9,"total_tokens":9}}',
      expect: { embeddings: [[1, 0], [0.5, -0.001]], usage: usageOf(9, 0) }, // prettier-ignore
    },
    {
      name: 'base64 of token ids',
      request: { ...embeddings, input: [[15, 7], [3]], encoding_format: 'base64' },
      upstreamModel: 'vendor-embedding',
      sends: { encoding_format: 'base64' },
      answer: '{"data":[{"embedding":"AACAPwAAAAA=","index":0},{"embedding":"AAAAPwAAAAA=","index":1}]}',
      expect: { embeddings: ['AACAPwAAAAA=', 'AAAAPwAAAAA='] },
    },
  ],
  fixtures: [
    {
      ...both('text'),
      request: chat,
      expect: {
        choices: [{ text: 'Čau! "Ahoj" 👋🏽\nto je všetko.' }],
        usage: {
          ...usageOf(9, 6),
          service_tier: 'default',
          prompt_tokens_details: { cached_tokens: 4, audio_tokens: 0 },
          completion_tokens_details: { reasoning_tokens: 0 },
        },
      },
    },
    {
      ...both('tools'),
      request: { ...chat, tools: [{ type: 'function', function: { name: 'weather' } }] },
      expect: {
        choices: [
          {
            toolCalls: [
              { id: 'call_a', name: 'weather', arguments: '{"city":"Žilina"}' },
              { id: 'call_b', name: 'now', arguments: '{}' },
            ],
            finishReason: 'tool_calls',
          },
        ],
        usage: usageOf(80, 30),
      },
    },
    {
      ...both('two-choices'),
      request: { ...chat, n: 2, logprobs: true, top_logprobs: 1 },
      expect: {
        choices: [
          {
            text: 'yes',
            logprobs: [
              { token: 'yes', logprob: -0.1, bytes: [121, 101, 115], top_logprobs: [{ token: 'no', logprob: -2.3, bytes: [110, 111] }] },
            ],
          },
          { text: 'no', logprobs: [{ token: 'no', logprob: -2.3, bytes: [110, 111], top_logprobs: [] }], finishReason: 'length' },
        ],
        usage: usageOf(5, 2),
      },
    },
    {
      ...both('reasoning'),
      request: chat,
      expect: {
        choices: [{ text: '42', reasoning: 'Šesť krát sedem.' }],
        usage: { ...usageOf(7, 12), completion_tokens_details: { reasoning_tokens: 11 } },
      },
    },
    {
      ...both('unusual'),
      request: chat,
      expect: {
        choices: [
          {
            text: 'I will look.',
            reasoning: 'Hm, č.',
            toolCalls: [
              { id: expect.any(String) as string, name: 'look', arguments: '{"at":"č"}' },
              { id: expect.any(String) as string, name: 'wait', arguments: '{}' },
            ],
            finishReason: 'tool_calls',
          },
        ],
        usage: { ...usageOf(1, 3), contradictory: true },
      },
    },
    {
      ...both('completion'),
      request: completion,
      expect: { choices: [{ text: ' svet €', logprobs: [-0.5, -1.25], finishReason: 'length' }], usage: usageOf(2, 2) },
    },
  ],
  failures: [
    {
      name: 'a bad answer of a provider behind a gateway like ours',
      status: 502,
      body: '{"error":{"message":"The provider of the model could not be reached.","type":"api_error","code":"upstream_error"}}',
      kind: 'bad_response',
    },
    {
      name: 'a rate limit with milliseconds',
      status: 429,
      headers: { 'retry-after-ms': '250' },
      body: '{"detail":"Too many"}',
      kind: 'rate_limited',
      retryAfterMs: 250,
    },
    { name: 'an error with status 200', body: '{"error":{"message":"Overloaded","type":"overloaded_error"}}', kind: 'overloaded' },
    {
      name: 'a choice that is an error',
      body: '{"choices":[{"error":{"code":502,"message":"upstream died"},"finish_reason":"error"}]}',
      kind: 'overloaded',
    },
    {
      name: 'an empty choice',
      body: '{"choices":[{"message":{"role":"assistant","content":null},"finish_reason":null}]}',
      kind: 'bad_response',
    },
    { name: 'no choice at all', body: '{"choices":[]}', kind: 'bad_response' },
    {
      name: 'an error event',
      streamed: true,
      body: `${delta('"content":"Hel"')}event: error\ndata: {"message":"rate limit","code":429}\n\n`,
      kind: 'rate_limited',
    },
    {
      name: 'an error event of plain words',
      streamed: true,
      body: `${delta('"content":"Hel"')}event: error\ndata: something broke\n\n`,
      kind: 'bad_response',
      message: /something broke/,
    },
    {
      name: 'an error object in a stream',
      streamed: true,
      body: `${delta('"content":"Hel"')}data: {"error":{"message":"died","code":"server_error"}}\n\ndata: [DONE]\n\n`,
      kind: 'overloaded',
    },
    {
      name: 'a finish reason that says error',
      streamed: true,
      body: `${delta('"content":"Hel"')}${delta('', '"finish_reason":"error"')}data: [DONE]\n\n`,
      kind: 'bad_response',
    },
    {
      name: 'an end without a finish reason',
      streamed: true,
      body: `${delta('"content":"Hel"')}data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}\n\ndata: [DONE]\n\n`,
      kind: 'bad_response',
    },
  ],
});
