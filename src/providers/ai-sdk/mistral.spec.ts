import { createMistral } from '@ai-sdk/mistral';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeProvider } from '../testing/describe-provider.js';
import type { ProviderFixture } from '../testing/provider-suite.js';
import { vendor } from '../testing/strict-vendors/strict-vendors.js';
import { usageOf } from '../../wire/usage.js';
import type { ChatGenerationRequest } from '../../wire/generation.js';
import type { HttpTransport } from '../transport/http-transport.js';
import { AiSdkProvider } from './ai-sdk.provider.js';

const fixture = (name: string): Buffer => readFileSync(join(import.meta.dirname, '__fixtures__', `mistral-${name}`));
const both = (name: string) => ({ name, whole: fixture(`${name}.json`), stream: fixture(`${name}.sse`) });

const chat: ChatGenerationRequest = { operation: 'chat', model: 'm', stream: false, n: 1, messages: [{ role: 'user', content: 'hello' }] };
const tide = (id: string, port: string) => ({ id, name: 'tide_table', arguments: `{"port": "${port}", "days": 2}` });

const fixtures: ProviderFixture[] = [
  {
    ...both('text'),
    request: chat,
    sends: { messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }] },
    expect: {
      choices: [{ text: 'Přístav Göteborg — 灯火 — září. 🌆' }],
      usage: { ...usageOf(12, 9), prompt_tokens_details: { cached_tokens: 8 } },
    },
  },
  {
    ...both('reasoning'),
    request: { ...chat, model: 'magistral-medium-latest' },
    expect: { choices: [{ text: 'Čtrnáct.', reasoning: 'Two boats, sedm beden každá.' }], usage: usageOf(20, 31) },
  },
  {
    ...both('tools'),
    request: { ...chat, tools: [{ type: 'function', function: { name: 'tide_table' } }], tool_choice: 'required' },
    sends: { tools: [{ type: 'function', function: { name: 'tide_table' } }], tool_choice: 'any' },
    expect: {
      choices: [{ toolCalls: [tide('aB3dE5gH7', 'Göteborg'), tide('bC4eF6hI8', 'Bergen')], finishReason: 'tool_calls' }],
      usage: usageOf(88, 40),
    },
  },
  {
    ...both('tools'),
    name: 'a tool that is named',
    request: {
      ...chat,
      tools: [{ type: 'function', function: { name: 'tide_table' } }],
      tool_choice: { type: 'function', function: { name: 'tide_table' } },
    },
    sends: { tool_choice: { type: 'function', function: { name: 'tide_table' } } },
    expect: {
      choices: [{ toolCalls: [tide('aB3dE5gH7', 'Göteborg'), tide('bC4eF6hI8', 'Bergen')], finishReason: 'tool_calls' }],
      usage: usageOf(88, 40),
    },
  },
  { ...both('length'), request: chat, expect: { choices: [{ text: 'Jedna dvě', finishReason: 'length' }], usage: usageOf(5, 3) } },
];

const models = { 'mistral-large-latest': { context_length: 100_000, max_tokens: 8_000 } };
const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: 'm1', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;

describeProvider({
  name: 'AI SDK: @ai-sdk/mistral',
  accepts: vendor('mistral'),
  create: ({ config, services }) =>
    new AiSdkProvider(
      'mistral',
      { ...config, models: config.models ?? models, options: { package: '@ai-sdk/mistral' } },
      { create: createMistral, version: 'v4' },
      services.transport as HttpTransport,
      services.facts,
    ),
  errorBody: (status, message) => JSON.stringify({ object: 'error', message, type: 'error', param: null, code: String(status * 10) }),
  event: chunk({ content: '0123456789' }),
  fixtures,
  failures: [
    {
      name: 'a context that is too long',
      status: 400,
      body: '{"object":"error","message":"Prompt is too long","type":"invalid_request_error","param":null,"code":"3051"}',
      kind: 'context_length_exceeded',
      message: /too long/,
    },
    {
      name: 'an error in the middle',
      streamed: true,
      body: `${chunk({ content: 'Ah' })}data: {"object":"error","message":"No room","type":"overloaded","param":null,"code":"3505"}\n\n`,
      kind: 'overloaded',
    },
    { name: 'an end that is an error', streamed: true, body: chunk({ content: 'Ah' }, 'error'), kind: 'bad_response' },
    { name: 'a stream without an end', streamed: true, body: chunk({ content: 'Ah' }), kind: 'bad_response' },
  ],
  skip: [
    {
      reason: 'the AI SDK has nothing to ask for that is free',
      tests: /^(asks for nothing that costs|says what is wrong|ends when it is given up|its timeouts hold for a probe)$/,
    },
    {
      reason: 'the package reads an answer as it was asked for',
      tests: /: (whole, although a stream was asked for|streamed, although nobody asked for it)$/,
    },
    {
      reason: 'tested in ai-sdk.provider.spec, without a probe',
      tests: /^(its proxy is used for everything|it reaches (link-local addresses only where it says so|this machine only where it may))$/,
    },
  ],
});
