import type OpenAI from 'openai';
import type { Model } from '../../src/wire/model.js';
import { until } from '../support/until.js';
import type { OpenAISuite } from './openai-suite.js';
import { recipe } from './recipe.js';
import { isWeatherArguments, runnableWeather, type WeatherArguments, weatherQuestion, weatherTool } from './weather-tool.js';

const messages: OpenAI.ChatCompletionMessageParam[] = [
  { role: 'system', content: 'You are a friendly cook.' },
  { role: 'user', content: 'How do I make a good soup?' },
];

export function describeOpenAIChat({ client, helpers, recipeFormat, gateway, sdk }: OpenAISuite): void {
  const ask = (): Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, 'stream'> => ({
    model: gateway().models.chat,
    messages,
    max_tokens: 24,
    temperature: 0,
    seed: 7,
  });

  describe('models', () => {
    it('lists models with the wire format’s fields and the specification’s own', async () => {
      const models: Model[] = [];
      for await (const model of client().models.list()) models.push(model as unknown as Model);
      const model = models.find(({ id }) => id === gateway().models.chat)!;
      expect(model).toEqual({
        id: gateway().models.chat,
        object: 'model',
        created: expect.any(Number),
        owned_by: expect.any(String),
        provider: { id: model.owned_by, name: expect.any(String) },
        pricing: { prompt: expect.any(Number), completion: expect.any(Number), unit: '1k_tokens' },
        context_length: expect.any(Number),
        max_tokens: expect.any(Number),
        capabilities: expect.objectContaining({ chat: true, function_calling: true, json_mode: true, embeddings: false }),
        performance: {
          avg_response_time: expect.any(Number),
          avg_tokens_per_second: expect.any(Number),
          uptime_percentage: expect.any(Number),
        },
        status: { active: true, message: expect.any(String) },
      });
      expect(models.some(({ id }) => id === gateway().models.inactive)).toBe(false);
    });
  });

  describe('chat', () => {
    it('creates a completion', async () => {
      const completion = await client().chat.completions.create(ask());
      expect(completion).toMatchObject({ id: expect.any(String), object: 'chat.completion', model: gateway().models.chat });
      expect(Math.abs(completion.created - Date.now() / 1000)).toBeLessThan(60);
      expect(completion.choices).toHaveLength(1);
      const [choice] = completion.choices;
      expect(choice).toMatchObject({ index: 0, logprobs: null, message: { role: 'assistant', refusal: null } });
      expect(choice!.message.content).not.toBe('');
      expect(['stop', 'length']).toContain(choice!.finish_reason);
      const { prompt_tokens, completion_tokens, total_tokens } = completion.usage!;
      expect(prompt_tokens).toBeGreaterThan(0);
      expect(completion_tokens).toBeGreaterThan(0);
      expect(completion_tokens).toBeLessThanOrEqual(24);
      expect(total_tokens).toBe(prompt_tokens + completion_tokens);
      expect(completion._request_id).toMatch(/^[0-9a-f-]{36}$/);
    });

    it('takes content parts, a developer’s message and max_completion_tokens', async () => {
      const { max_tokens: _, ...rest } = ask();
      const { choices, usage } = await client().chat.completions.create({
        ...rest,
        max_completion_tokens: 5,
        messages: [
          { role: 'developer', content: 'Be brief.' },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Two ' },
              { type: 'text', text: 'parts.' },
            ],
          },
        ],
      });
      expect(choices[0]!.message.role).toBe('assistant');
      expect(usage!.completion_tokens).toBeLessThanOrEqual(5);
    });

    it('streams the same answer in pieces and ends it with an empty delta', async () => {
      const whole = await client().chat.completions.create(ask());
      const chunks: OpenAI.ChatCompletionChunk[] = [];
      for await (const chunk of await client().chat.completions.create({ ...ask(), stream: true })) chunks.push(chunk);
      expect(chunks.length).toBeGreaterThan(3);
      expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
      for (const chunk of chunks) expect(chunk).toMatchObject({ object: 'chat.completion.chunk', model: gateway().models.chat });
      expect(chunks.every(({ usage }) => usage == null)).toBe(true);
      expect(chunks[0]!.choices[0]!.delta.role).toBe('assistant');
      expect(chunks.map(({ choices }) => choices[0]!.delta.content ?? '').join('')).toBe(whole.choices[0]!.message.content);
      const endings = chunks.map(({ choices }) => choices[0]!.finish_reason);
      expect(endings.slice(0, -1).every((reason) => reason === null)).toBe(true);
      expect(endings.at(-1)).toBe(whole.choices[0]!.finish_reason);
      expect(chunks.at(-1)!.choices[0]!.delta).toEqual({});
    });

    it('feeds the client’s own accumulator', async () => {
      const contents: string[] = [];
      const stream = helpers(client()).stream({ ...ask(), stream_options: { include_usage: true } });
      stream.on('content', (piece) => contents.push(piece));
      const final = await stream.finalChatCompletion();
      const whole = await client().chat.completions.create(ask());
      expect(contents.join('')).toBe(whole.choices[0]!.message.content);
      expect(await stream.finalContent()).toBe(whole.choices[0]!.message.content);
      expect(final).toMatchObject({ object: 'chat.completion', usage: whole.usage, model: whole.model });
      expect(final.choices[0]!.finish_reason).toBe(whole.choices[0]!.finish_reason);
    });
  });

  describe('structured output', () => {
    it('is parsed by the client, streamed and not', async () => {
      const asked = { ...ask(), max_tokens: 800, response_format: recipeFormat };
      const { choices } = await helpers(client()).parse(asked);
      expect(recipe.parse(choices[0]!.message.parsed)).toEqual(JSON.parse(choices[0]!.message.content!));
      const stream = helpers(client()).stream(asked);
      const final = await stream.finalChatCompletion();
      expect(recipe.parse(final.choices[0]!.message.parsed)).toEqual(choices[0]!.message.parsed);
    });
  });

  describe('leaving', () => {
    const stalled = () => ({ ...ask(), model: gateway().models.stall, max_tokens: undefined });
    const nothingGoesOn = () => until(() => gateway().openGenerations() === 0, 'the end of the generation');

    it('ends the generation when the stream’s controller aborts', async () => {
      const stream = await client().chat.completions.create({ ...stalled(), stream: true });
      let pieces = 0;
      for await (const chunk of stream) {
        if (!chunk.choices[0]?.delta.content) continue;
        pieces++;
        expect(gateway().openGenerations()).toBeGreaterThan(0);
        stream.controller.abort();
      }
      expect(pieces).toBeGreaterThan(0);
      await nothingGoesOn();
    });

    it('ends the generation when the accumulator is aborted', async () => {
      const stream = helpers(client()).stream(stalled());
      stream.on('content', () => stream.abort());
      await expect(stream.finalChatCompletion()).rejects.toBeInstanceOf(sdk.APIUserAbortError);
      await nothingGoesOn();
    });
  });

  describe('tools', () => {
    const tools: OpenAI.ChatCompletionTool[] = [{ type: 'function', function: weatherTool }];
    const question: OpenAI.ChatCompletionMessageParam = { role: 'user', content: weatherQuestion };
    const asking = (): Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, 'stream'> => ({
      model: gateway().models.chat,
      messages: [question],
      tools,
      temperature: 0,
      seed: 11,
      max_tokens: 200,
    });

    it.each([false, true])('run in the client’s own loop (stream: %s)', async (stream) => {
      const seen: WeatherArguments[] = [];
      const { tools: _, ...rest } = asking();
      const runner = stream
        ? helpers(client()).runTools({ ...rest, stream: true, tools: [runnableWeather(seen)] })
        : helpers(client()).runTools({ ...rest, stream: false, tools: [runnableWeather(seen)] });
      expect(await runner.finalContent()).toMatch(/\S/);
      expect(seen.length).toBeGreaterThan(0);
      expect(seen.every(isWeatherArguments)).toBe(true);
      expect(runner.messages.map(({ role }) => role)).toEqual(['user', 'assistant', ...seen.map(() => 'tool'), 'assistant']);
    });
  });

  describe('legacy completions', () => {
    const asking = (): OpenAI.CompletionCreateParamsNonStreaming => ({
      model: gateway().models.completion,
      prompt: 'The weather in the mountains',
      max_tokens: 16,
      temperature: 0,
      seed: 7,
    });

    it('complete a text', async () => {
      const completion = await client().completions.create(asking());
      expect(completion).toMatchObject({ id: expect.any(String), object: 'text_completion', model: gateway().models.completion });
      const [choice] = completion.choices;
      expect(choice).toMatchObject({ index: 0, logprobs: null, text: expect.stringMatching(/\S/) });
      expect(['stop', 'length']).toContain(choice!.finish_reason);
      const { prompt_tokens, completion_tokens, total_tokens } = completion.usage!;
      expect(total_tokens).toBe(prompt_tokens + completion_tokens);
      expect(completion_tokens).toBeLessThanOrEqual(16);
    });

    it('stream the same texts in pieces', async () => {
      const asked = { ...asking(), n: 2, logprobs: 2, prompt: ['A good soup', 'The train'] };
      const whole = await client().completions.create(asked);
      const texts: string[] = [];
      const tokens: string[][] = [];
      const reasons: (string | null)[] = [];
      for await (const chunk of await client().completions.create({ ...asked, stream: true })) {
        expect(chunk).toMatchObject({ object: 'text_completion', model: gateway().models.completion });
        for (const { index, text, logprobs, finish_reason } of chunk.choices) {
          expect(reasons[index] ?? null).toBeNull();
          texts[index] = (texts[index] ?? '') + text;
          tokens[index] = [...(tokens[index] ?? []), ...(logprobs?.tokens ?? [])];
          reasons[index] = finish_reason;
        }
      }
      expect(texts).toEqual(whole.choices.map(({ text }) => text));
      expect(tokens).toEqual(whole.choices.map(({ logprobs }) => logprobs!.tokens));
      expect(reasons).toEqual(whole.choices.map(({ finish_reason }) => finish_reason));
    });
  });
}
