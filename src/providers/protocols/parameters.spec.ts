import type { ChatGenerationRequest, CompletionGenerationRequest, GenerationChunk, GenerationRequest } from '../../wire/generation.js';
import type { ProviderCall } from '../contract/model-provider.js';
import { type Parameter, parameterNames, parameters, type Protocol } from '../contract/parameters.js';
import { testCall } from '../testing/call.js';
import { readAll } from '../testing/collect.js';
import { LoopbackUpstream } from '../testing/loopback-upstream.js';
import { HttpTransport } from '../transport/http-transport.js';
import { AnthropicMessagesProtocol } from './anthropic-messages/anthropic-messages.protocol.js';
import { ChatCompletionsProtocol } from './chat-completions/chat-completions.protocol.js';
import { type Endpoint, endpointOf } from './endpoint.js';
import { GeminiGenerateContentProtocol } from './gemini-generate-content/gemini-generate-content.protocol.js';

const chat: ChatGenerationRequest = {
  operation: 'chat',
  model: 'm',
  stream: false,
  n: 1,
  messages: [{ role: 'user', content: 'Ahoj' }],
  tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }],
};
const completion: CompletionGenerationRequest = { operation: 'completion', model: 'm', stream: false, n: 1, prompt: 'Ahoj' };

/** A value that asks for something, and what it needs beside it. */
const samples: Readonly<Record<Parameter, Record<string, unknown>>> = {
  max_tokens: { max_tokens: 7 },
  stop: { stop: ['x'] },
  n: { n: 2 },
  tools: { tools: [{ type: 'function', function: { name: 'other' } }] },
  tool_choice: { tool_choice: 'required' },
  response_format: { response_format: { type: 'json_object' } },
  logprobs: { logprobs: true },
  top_logprobs: { logprobs: true, top_logprobs: 2 },
  suffix: { suffix: 'end' },
  echo: { echo: true },
  temperature: { temperature: 0.5 },
  top_p: { top_p: 0.5 },
  seed: { seed: 3 },
  presence_penalty: { presence_penalty: 0.5 },
  frequency_penalty: { frequency_penalty: 0.5 },
  logit_bias: { logit_bias: { '1': 5 } },
  user: { user: 'someone' },
  reasoning_effort: { reasoning_effort: 'low' },
  parallel_tool_calls: { parallel_tool_calls: false },
};

describe('the table of parameters', () => {
  let endpoint: Endpoint;
  const transport = new HttpTransport();
  const upstream = LoopbackUpstream.during(() => transport.onApplicationShutdown());

  beforeAll(() => {
    upstream.replies({ status: 500 });
    const timeouts = { connect: 5_000, first_byte: 5_000, idle: 5_000, total: 5_000 };
    endpoint = endpointOf({ baseUrl: upstream.origin, timeouts });
  });

  const completions = new ChatCompletionsProtocol(transport);
  const messages = new AnthropicMessagesProtocol(transport);
  const generateContent = new GeminiGenerateContentProtocol(transport);
  const traits = {
    maxTokens: 1_000,
    thinking: 'adaptive',
    thinkingOff: 'disabled',
    efforts: ['low', 'high'],
    forcedTools: true,
    structuredOutputs: true,
    systemTurns: true,
  } as const;
  const protocols: Record<Protocol, (request: GenerationRequest, call: ProviderCall) => AsyncIterable<GenerationChunk>> = {
    'chat-completions': (request, call) => completions.generate(request, call, endpoint),
    'anthropic-messages': (request, call) => messages.generate(request, call, endpoint, traits),
    'gemini-generate-content': (request, call) =>
      generateContent.generate(request, call, endpoint, { thinking: { levels: ['LOW', 'HIGH'] }, signedCalls: true }),
  };

  /** What is sent; undefined where nothing is. */
  const sent = async (protocol: Protocol, request: GenerationRequest): Promise<Record<string, unknown> | undefined> => {
    upstream.requests.length = 0;
    await readAll(protocols[protocol](request, testCall())).catch(() => undefined);
    const [asked] = upstream.requests;
    return asked && (JSON.parse(asked.body) as Record<string, unknown>);
  };

  describe.each(Object.keys(protocols) as Protocol[])('%s', (protocol) => {
    it.each(parameterNames)('%s', async (name) => {
      const plain = name === 'suffix' || name === 'echo' ? completion : chat;
      const asked = { ...plain, ...samples[name] };
      // What only accompanies the parameter is in both.
      const base = { ...asked, [name]: (plain as Partial<Record<Parameter, unknown>>)[name] };
      const [without, body] = [await sent(protocol, base), await sent(protocol, asked)];
      switch (parameters[name][protocol]) {
        case 'forwarded':
          expect(body?.[name]).toEqual(samples[name][name]);
          break;
        case 'translated':
          expect(body).toBeDefined();
          expect(body).not.toEqual(without);
          break;
        case 'none':
          expect(body).toEqual(without);
      }
    });
  });
});
