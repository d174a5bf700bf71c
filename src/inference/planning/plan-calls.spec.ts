import { planTerms } from './testing/keyed-names.js';
import { type Offer, offerOf } from '../../catalogue/offer.js';
import type { ModelConfig } from '../../config/config.schema.js';
import type { ModelProvider, ProviderModel } from '../../providers/contract/model-provider.js';
import type { ChatGenerationRequest, CompletionGenerationRequest, GenerationRequest } from '../../wire/generation.js';
import { planCalls } from './plan-calls.js';
import type { Message, Tool } from '../../wire/chat-completion.js';
import { type Ceiling, promptSize } from './token-counter.js';

const provider = { id: 'p', name: 'P' } as ModelProvider;

const facts: ProviderModel = {
  id: 'm',
  created: 1,
  price: { prompt: '0.5', completion: '1.5' },
  contextLength: 1000,
  maxTokens: 100,
  capabilities: { chat: true, completion: true, function_calling: false, vision: false, embeddings: false, json_mode: false },
  parameters: ['temperature', 'n', 'stop', 'logprobs', 'echo', '*'],
};

const offer = (model: Partial<ProviderModel> = {}, override: ModelConfig = {}): Offer =>
  offerOf(provider, { ...facts, ...model }, override);
const completion = (more: Partial<CompletionGenerationRequest> = {}): CompletionGenerationRequest => ({
  operation: 'completion',
  model: 'm',
  stream: false,
  n: 1,
  prompt: 'Once upon a time',
  ...more,
});
const chat = (more: Partial<ChatGenerationRequest> = {}): ChatGenerationRequest => ({
  operation: 'chat',
  model: 'm',
  stream: false,
  n: 1,
  messages: [{ role: 'user', content: 'hi' }],
  ...more,
});

const dropped: string[] = [];
const plan = (of: Offer, requests: [GenerationRequest, ...GenerationRequest[]], strict = false) => {
  dropped.length = 0;
  return planCalls(of, requests, { ...planTerms, strict, dropped: (parameter) => dropped.push(parameter) });
};

describe('planCalls', () => {
  it('makes one call for each prompt and orders the choices by prompt', () => {
    const calls = plan(offer(), [completion({ n: 3 }), completion({ n: 3, prompt: 'x' })]);
    expect(calls.map(({ firstIndex, request }) => [firstIndex, request.n])).toEqual([
      [0, 3],
      [3, 3],
    ]);
  });

  it.each([
    [{}, {}, 40],
    [{ max_tokens: 60 }, {}, 60],
    [{}, { max_tokens: 80 }, undefined],
  ])('asks for the default of tokens where nobody names a limit: %j, %j', (asked, override, max_tokens) =>
    expect((plan(offer({ defaultTokens: 40 }, override), [chat(asked)])[0]!.request as GenerationRequest).max_tokens).toBe(max_tokens),
  );

  it('makes calls of several prompts, and reports what the offer does not take', () => {
    const more = { n: 2, temperature: 0, extra: { top_k: 1 } };
    const prompts = ['x'.repeat(100), 'y'.repeat(200)].map((prompt) => completion({ ...more, prompt }));
    const calls = plan(offer({ parameters: [] }), prompts as [GenerationRequest, ...GenerationRequest[]]);
    expect(calls.map(({ promptBytes, request }) => [promptBytes, request.n])).toEqual([
      [100, 1],
      [100, 1],
      [200, 1],
      [200, 1],
    ]);
    expect(dropped).toEqual(['temperature', 'top_k']);
  });

  it('makes one call for each choice where the provider has no n, each with a seed of its own', () => {
    const calls = plan(offer({ parameters: ['seed'] }), [chat({ n: 3, seed: 7 })]);
    expect(calls.map(({ firstIndex, request }) => [firstIndex, request.n, request.seed])).toEqual([
      [0, 1, 7],
      [1, 1, 8],
      [2, 1, 9],
    ]);
  });

  it('bounds the prompt by its bytes and by the context length', () => {
    expect(plan(offer(), [completion()])[0]!.promptBound).toBeGreaterThanOrEqual(16);
    expect(plan(offer(), [completion({ prompt: 'x'.repeat(5000) })])[0]!.promptBound).toBe(1000);
  });

  it.each([
    ['suffix', completion({ suffix: 'end' })],
    ['tools', chat({ tools: [{ type: 'function', function: { name: 'f' } }] })],
    ['response_format', chat({ response_format: { type: 'json_object' } })],
    ['top_logprobs', chat({ logprobs: true, top_logprobs: 2 })],
  ])('refuses %s where the model cannot honour it', (parameter, request) => {
    expect(() => plan(offer(), [request])).toThrow(
      expect.objectContaining({ code: 'unsupported_parameter', message: expect.stringContaining(`'${parameter}'`) }),
    );
  });

  it('leaves out functions that must not be called where the model has no choice of them', () => {
    const tools: Tool[] = [{ type: 'function', function: { name: 'f' } }];
    const request = chat({ tools, tool_choice: 'none' });
    for (const parameters of [[], ['tools']]) {
      const [call] = plan(offer({ parameters }), [request], true);
      expect([call!.request, dropped]).toEqual([chat(), []]);
    }
    const able = { capabilities: { ...facts.capabilities, function_calling: true }, parameters: ['tools', 'tool_choice'] };
    expect(plan(offer(able), [request])[0]!.request).toEqual(request);
    expect(() => plan(offer({ ...able, parameters: ['tools'] }), [chat({ tools, tool_choice: 'required' })])).toThrow(
      expect.objectContaining({ code: 'unsupported_parameter' }),
    );
  });

  it('asks with the client’s own words only where the request is as it came', () => {
    const native = { wire: 'anthropic-messages' as const, body: { messages: [] } };
    const [asCame] = plan(offer(), [chat({ native, temperature: 1 })]);
    expect(asCame!.request).toMatchObject({ native });
    expect(asCame!.promptBound).toBe(plan(offer(), [chat({ temperature: 1 })])[0]!.promptBound);
    const [changed] = plan(offer(), [chat({ native, seed: 1 })]);
    expect([dropped, (changed!.request as ChatGenerationRequest).native]).toEqual([['seed'], undefined]);
  });

  it('refuses images on a model without vision, and more tokens than it generates', () => {
    const image = chat({ messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }] }] });
    expect(() => plan(offer(), [image])).toThrow(expect.objectContaining({ code: 'unsupported_parameter' }));
    expect(() => plan(offer(), [chat({ max_tokens: 101 })])).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });

  it('drops and names parameters that may be dropped, or refuses them where the operator is strict', () => {
    const [call] = plan(offer({ parameters: ['temperature'] }), [chat({ temperature: 1, top_p: 0.5, extra: { top_k: 3 } })]);
    expect(call!.request).toEqual(chat({ temperature: 1, extra: {} }));
    expect(dropped).toEqual(['top_p', 'top_k']);
    expect(() => plan(offer({ parameters: [] }), [chat({ top_p: 0.5 })], true)).toThrow(
      expect.objectContaining({ code: 'unsupported_parameter' }),
    );
  });

  it('passes on the same request object where nothing must change', () => {
    const request = chat({ temperature: 1, extra: { anything: 1 } });
    expect(plan(offer(), [request])[0]!.request).toBe(request);
  });

  it('plans the echo itself where the provider has none, but not with log probabilities', () => {
    const [call] = plan(offer({ parameters: ['logprobs'] }), [completion({ echo: true })]);
    expect(call).toMatchObject({ echo: 'Once upon a time', request: { echo: false } });
    expect(() => plan(offer({ parameters: ['logprobs'] }), [completion({ echo: true, logprobs: 1 })])).toThrow(
      expect.objectContaining({ code: 'unsupported_parameter' }),
    );
    expect(plan(offer(), [completion({ echo: true, logprobs: 1 })])[0]!.echo).toBeUndefined();
  });
});

const sizeOf = (message: Message, ceiling: Ceiling = () => 1_500) =>
  promptSize({ operation: 'chat', model: 'm', stream: false, n: 1, messages: [message] }, ceiling);
const bytesOf = (message: Message) => sizeOf(message).bytes;

describe('promptSize', () => {
  it('counts text in UTF-8 bytes, and images separately', () => {
    expect(bytesOf({ role: 'user', content: 'Göteborg' })).toBe(9);
    const content = [
      { type: 'text', text: 'ab' },
      { type: 'image_url', image_url: { url: 'https://example.com/x.png' } },
    ];
    const { bytes, bound } = sizeOf({ role: 'user', content });
    expect(bytes).toBe(2);
    expect(bound).toBeGreaterThan(1_500);
  });

  it('counts fields that vendors add to a message', () => {
    const thinking_blocks = [{ type: 'thinking', thinking: 'x'.repeat(5_000), signature: 'y'.repeat(400) }];
    expect(bytesOf({ role: 'assistant', content: 'ok', thinking_blocks })).toBeGreaterThan(5_402);
    expect(bytesOf({ role: 'assistant', content: 'ok', reasoning_content: 'four' })).toBe(6);
    expect(bytesOf({ role: 'assistant', content: 'ok', refusal: null })).toBe(2);
  });
});
