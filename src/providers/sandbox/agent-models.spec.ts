import fc from 'fast-check';
import { samples } from '../../common/testing/long-form.js';
import type { Message, Tool } from '../../wire/chat-completion.js';
import type { ChatGenerationRequest, GenerationRequest } from '../../wire/generation.js';
import { testCall } from '../testing/call.js';
import { collect, readAll } from '../testing/collect.js';
import { sandboxModels } from './sandbox.models.js';
import { SandboxProvider } from './sandbox.provider.js';

const provider = new SandboxProvider();
afterAll(() => provider.onApplicationShutdown());

function chat(content: Message['content'], more: Partial<ChatGenerationRequest> = {}): ChatGenerationRequest {
  return { operation: 'chat', model: 'm', stream: false, n: 1, messages: [{ role: 'user', content }], ...more };
}

const ask = async (request: GenerationRequest, upstreamModel = 'sandbox-agent') =>
  collect(await readAll(provider.generate(request, testCall({ upstreamModel }))));

describe('any answer', () => {
  const prompts = fc.oneof(
    fc.constantFrom('', ' ', '\n\n', '😀', '你好', 'مرحبا', 'Привет', '\u200b', '</s>', 'Hello', 'Thank you', '{}', '0', '.'),
    fc.string({ unit: 'binary', maxLength: 12 }),
  );
  const samplings = fc.record({
    seed: fc.option(fc.integer(), { nil: undefined }),
    temperature: fc.constantFrom(0, 0.1, 1, 2),
    top_p: fc.constantFrom(1, 0.5, 0),
    max_tokens: fc.constantFrom(1, 2, 30),
    presence_penalty: fc.constantFrom(0, 2, -2),
    n: fc.constantFrom(1, 3),
  });

  it('has a text that can be seen, and is the same streamed', async () => {
    await fc.assert(
      fc.asyncProperty(
        prompts,
        samplings,
        fc.constantFrom('sandbox-chat', 'sandbox-reasoning', 'sandbox-text', 'sandbox-text with suffix'),
        async (prompt, sampling, kind) => {
          const [model, suffix] = kind.split(' with ') as [string, string?];
          const text: GenerationRequest = { operation: 'completion', model: 'm', stream: false, prompt, suffix, ...sampling };
          const request = model === 'sandbox-text' ? text : chat(prompt, sampling);
          const whole = await ask(request, model);
          for (const choice of whole.choices) expect(choice.text).toMatch(/[\p{L}\p{N}\p{P}\p{S}]/u);
          expect(whole.usage!.completion_tokens).toBeLessThanOrEqual(sampling.n * sampling.max_tokens);
          if (sampling.seed !== undefined || sampling.temperature === 0) {
            expect(await ask({ ...request, stream: true }, model)).toEqual(whole);
          }
        },
      ),
      { numRuns: samples(150) },
    );
  });

  it('is not empty although the end is likely, whatever the seed', async () => {
    for (const logit_bias of [undefined, { 256: 100 }]) {
      const { choices } = await ask(chat('Thanks. Goodbye', { n: 128, seed: 5, temperature: 2, max_tokens: 3, logit_bias }));
      expect(choices.filter(({ text }) => !/\S/.test(text!))).toEqual([]);
    }
  });
});

describe('json_object', () => {
  const response_format = { type: 'json_object' } as const;
  const words = 'What is dew? Answer as JSON with the keys answer, title, mood ("good" | "bad"), tags and count.';

  it('is one whole object within max_tokens, with the keys that the prompt names where there is room', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 160 }),
        fc.integer(),
        fc.constantFrom(words, 'Hello', '😀'),
        async (max_tokens, seed, prompt) => {
          const { choices, usage } = await ask(chat(prompt, { response_format, max_tokens, seed, temperature: 2 }), 'sandbox-chat');
          const [{ text, finishReason }] = choices as [(typeof choices)[0]];
          expect(usage!.completion_tokens).toBeLessThanOrEqual(max_tokens);
          // The two signs of an empty object are two tokens, or one.
          if (max_tokens === 1 && finishReason === 'length') return;
          expect(finishReason).toBe('stop');
          const told = JSON.parse(text!) as object;
          expect(Array.isArray(told)).toBe(false);
          if (max_tokens >= 120 && prompt === words) expect(Object.keys(told).sort()).toEqual(['answer', 'count', 'mood', 'tags', 'title']);
        },
      ),
      { numRuns: samples(40) },
    );
  });

  it('follows a schema in the words of the system, and is plain where nothing can follow it', async () => {
    const schema = {
      type: 'object',
      properties: { grade: { enum: ['A', 'B'] }, points: { type: 'integer', minimum: 5, maximum: 6 } },
      required: ['grade', 'points'],
    };
    const messages = (told: unknown): Message[] => [
      { role: 'system', content: `Answer with JSON of this schema:\n${JSON.stringify(told, null, 2)}` },
      { role: 'user', content: 'How did I do?' },
    ];
    const answered = async (told: unknown) =>
      JSON.parse((await ask(chat('', { messages: messages(told), response_format }))).choices[0]!.text!) as unknown;
    expect(await answered(schema)).toEqual({ grade: expect.stringMatching(/^[AB]$/), points: expect.any(Number) });
    expect(await answered({ ...schema, not: {} })).toEqual({ answer: expect.stringMatching(/\S/) });
  });
});

describe('sandbox-vision', () => {
  const image = (url: string) => ({ type: 'image_url', image_url: { url } });
  const data = image(`data:image/png;base64,${Buffer.alloc(1_000).toString('base64')}`);
  const question = { type: 'text', text: 'What is this?' };

  it('says what type each image has, fetches none, and counts them', async () => {
    const parts = [data, image('https://example.com/a.png'), image('data:image/svg+xml;base64,PHN2Zy8+'), image('data:,x')];
    const { choices, usage } = await ask(chat([question, ...parts]), 'sandbox-vision');
    expect(choices[0]!.text!.split(/(?<=\.) /)).toEqual([
      'Image 1 is of the type image/png, and I do not look at it.',
      'Image 2 is at an address, which I do not fetch.',
      'Image 3 is of the type image/svg+xml, and I do not look at it.',
      'Image 4 is at an address, which I do not fetch.',
    ]);
    const { inputCeilings } = sandboxModels.find(({ id }) => id === 'sandbox-vision')!;
    const each = inputCeilings!.image!;
    expect(usage!.prompt_tokens_details).toEqual({ image_tokens: 4 * each });
    const without = await ask(chat([question, ...parts.map(() => ({ type: 'text', text: '[image_url]' }))]), 'sandbox-vision');
    expect(usage!.prompt_tokens - without.usage!.prompt_tokens).toBe(4 * each);
  });

  it('is one of few: others take no image, and what stands in for any model does', async () => {
    await expect(ask(chat([question, data]), 'sandbox-chat')).rejects.toMatchObject({ kind: 'invalid_request' });
    expect((await ask(chat([question, data]), 'vendor/model-7')).choices[0]!.text).toMatch(/^The image is of the type image\/png/);
  });
});

describe('sandbox-reasoning', () => {
  const tool: Tool = { type: 'function', function: { name: 'get_time', description: 'The time' } };

  it('thinks before it answers, and counts it', async () => {
    const request = chat('Why does it rain?', { seed: 1 });
    const { choices, usage } = await ask({ ...request, stream: true }, 'sandbox-reasoning');
    expect(choices[0]!.reasoning).toMatch(/^The user says: "Why does it rain\?"/);
    expect(usage!.completion_tokens_details!.reasoning_tokens).toBeGreaterThan(5);
    const quick = await ask({ ...request, reasoning_effort: 'none' }, 'sandbox-reasoning');
    expect(quick.choices[0]).toMatchObject({ reasoning: null, text: choices[0]!.text });
    expect(usage!.completion_tokens - quick.usage!.completion_tokens).toBe(usage!.completion_tokens_details!.reasoning_tokens);
    expect(quick.usage!.completion_tokens_details).toEqual({ reasoning_tokens: 0 });
  });

  it('thinks longer at a higher effort, and before it calls a function', async () => {
    const thoughts = async (reasoning_effort: string) =>
      (await ask(chat('What time is it?', { tools: [tool], reasoning_effort }), 'sandbox-reasoning')).choices[0]!;
    const [low, high] = [await thoughts('low'), await thoughts('high')];
    expect(high.reasoning!.length).toBeGreaterThan(low.reasoning!.length);
    expect(high.reasoning).toContain('get_time');
    expect(high.toolCalls).toHaveLength(1);
  });

  it('leaves half of max_tokens for the answer', async () => {
    const { choices, usage } = await ask(chat('Why does it rain?', { max_tokens: 9 }), 'sandbox-reasoning');
    expect(usage!.completion_tokens_details!.reasoning_tokens).toBe(4);
    expect(choices[0]!.text).toMatch(/\S/);
  });

  it('is the only one that thinks unasked; the agent, and what stands in for others, think at an effort', async () => {
    for (const model of ['sandbox-agent', 'vendor/model-7']) {
      expect((await ask(chat('Hello'), model)).choices[0]!.reasoning).toBeNull();
      expect((await ask(chat('Hello', { reasoning_effort: 'low' }), model)).choices[0]!.reasoning).toMatch(/Hello/);
    }
    expect((await ask(chat('Hello', { reasoning_effort: 'low' }), 'sandbox-chat')).choices[0]!.reasoning).toBeNull();
  });
});

describe('sandbox-agent', () => {
  it('takes 32,000 tokens of output and a prompt of 128k, which it counts within a second of computing', async () => {
    const { contextLength, maxTokens } = sandboxModels.find(({ id }) => id === 'sandbox-agent')!;
    expect([contextLength, maxTokens]).toEqual([131_072, 32_768]);
    const line = 'export function add(first: number, second: number): number { return first + second; } // the sum of both\n';
    const prompt = line.repeat(2_600);
    await ask(chat('Hello'));
    const started = process.threadCpuUsage();
    const { usage } = await ask(chat(prompt, { max_tokens: 1 }));
    const { user, system } = process.threadCpuUsage(started);
    expect(usage!.prompt_tokens).toBeGreaterThan(100_000);
    expect((user + system) / 1e6).toBeLessThan(3);
    await expect(ask(chat(prompt.repeat(2)))).rejects.toMatchObject({ kind: 'context_length_exceeded' });
  });

  it('takes arguments from the prompt, and leaves out what it is not told', async () => {
    const parameters = {
      type: 'object',
      properties: {
        city: { type: 'string' },
        unit: { enum: ['celsius', 'fahrenheit'] },
        days: { type: 'integer' },
        station: { type: 'string' },
        region: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      },
      required: ['city', 'region'],
    };
    const weather: Tool = { type: 'function', function: { name: 'get_weather', parameters } };
    const { choices } = await ask(chat('What is the weather in Paris and in New York for 3 days, in fahrenheit?', { tools: [weather] }));
    expect(choices[0]!.toolCalls.map((call) => JSON.parse(call.arguments) as unknown)).toEqual(
      ['Paris', 'New York'].map((city) => ({ city, unit: 'fahrenheit', days: 3, region: null })),
    );
  });

  it('hands in its answer by a function where it must call one', async () => {
    const tools = ['get_time', 'final_answer'].map((name): Tool => ({ type: 'function', function: { name } }));
    const messages: Message[] = [{ role: 'user', content: 'What time is it?' }];
    const called = async () =>
      (await ask(chat('', { messages, tools, tool_choice: 'required' }))).choices[0]!.toolCalls.map(({ name }) => name);
    expect(await called()).toEqual(['get_time']);
    messages.push(
      { role: 'assistant', content: null, tool_calls: [{ id: 'a', type: 'function', function: { name: 'get_time', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: 'a', content: 'noon' },
    );
    expect(await called()).toEqual(['final_answer']);
  });
});
