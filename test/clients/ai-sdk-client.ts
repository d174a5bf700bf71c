import { createOpenAICompatible, type OpenAICompatibleProvider } from '@ai-sdk/openai-compatible';
import { APICallError, generateObject, generateText, isStepCount, jsonSchema, Output, streamText, tool } from 'ai';
import { until } from '../support/until.js';
import type { ClientGateway } from './client-gateway.js';
import { recipe } from './recipe.js';
import { isWeatherArguments, type WeatherArguments, weatherQuestion, weatherReport, weatherTool } from './weather-tool.js';

// Its warnings (a prompt without tools has no tool choice, generateObject will go) concern its user, not us.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

const prompt = 'How do I make a good soup?';
const sampling = { temperature: 0, seed: 7, maxOutputTokens: 24 };

/** The AI SDK with its provider for compatible addresses. */
export function describeAiSdkClient({ name, gateway }: { name: string; gateway: () => ClientGateway }): void {
  const provider = (apiKey = gateway().liveKey): OpenAICompatibleProvider =>
    createOpenAICompatible({
      name: 'switchyard',
      baseURL: gateway().baseURL,
      apiKey,
      includeUsage: true,
      supportsStructuredOutputs: true,
    });
  const model = () => provider()(gateway().models.chat);

  describe(name, () => {
    describe('text', () => {
      it('is generated', async () => {
        const { text, usage, finishReason, response } = await generateText({ model: model(), prompt, ...sampling });
        expect(text).toMatch(/\S/);
        expect(['stop', 'length']).toContain(finishReason);
        expect(usage.inputTokens).toBeGreaterThan(0);
        expect(usage.outputTokens).toBeGreaterThan(0);
        expect(usage.totalTokens).toBe(usage.inputTokens! + usage.outputTokens!);
        expect(response.modelId).toBe(gateway().models.chat);
      });

      it('is streamed, the same in pieces', async () => {
        const whole = await generateText({ model: model(), prompt, ...sampling });
        const result = streamText({ model: model(), prompt, ...sampling });
        const pieces: string[] = [];
        for await (const piece of result.textStream) pieces.push(piece);
        expect(pieces.length).toBeGreaterThan(1);
        expect(pieces.join('')).toBe(whole.text);
        expect(await result.finishReason).toBe(whole.finishReason);
        expect((await result.usage).totalTokens).toBe(whole.usage.totalTokens);
      });

      it('ends at a stop sequence', async () => {
        const { text } = await generateText({ model: model(), prompt, ...sampling });
        const stop = text
          .slice(Math.floor(text.length / 2))
          .trim()
          .slice(0, 5);
        const stopped = await generateText({ model: model(), prompt, ...sampling, stopSequences: [stop] });
        expect(stopped.text).toBe(text.slice(0, text.indexOf(stop)));
        expect(stopped.finishReason).toBe('stop');
      });
    });

    describe('tools', () => {
      const seen: WeatherArguments[] = [];
      const tools = {
        [weatherTool.name]: tool({
          description: weatherTool.description,
          inputSchema: jsonSchema<WeatherArguments>(weatherTool.parameters as Parameters<typeof jsonSchema>[0]),
          execute: (given) => {
            seen.push(given);
            return weatherReport(given);
          },
        }),
      };
      const asked = () => ({ model: model(), prompt: weatherQuestion, tools, temperature: 0, seed: 11, stopWhen: isStepCount(4) });
      beforeEach(() => (seen.length = 0));

      it('are executed and answered', async () => {
        const { steps, text, finishReason } = await generateText(asked());
        expect(steps).toHaveLength(2);
        expect(steps[0]!.finishReason).toBe('tool-calls');
        expect(steps[0]!.toolResults.map(({ output }) => output)).toEqual(seen.map(weatherReport));
        expect(seen.length).toBeGreaterThan(0);
        expect(seen.every(isWeatherArguments)).toBe(true);
        expect(text).toMatch(/\S/);
        expect(finishReason).toBe('stop');
      });

      it('are executed and answered in a stream', async () => {
        const result = streamText(asked());
        const types = new Set<string>();
        for await (const part of result.stream) types.add(part.type);
        expect([...types]).toEqual(
          expect.arrayContaining(['tool-input-start', 'tool-input-delta', 'tool-call', 'tool-result', 'text-delta']),
        );
        expect(types.has('error')).toBe(false);
        expect(seen.length).toBeGreaterThan(0);
        expect(await result.steps).toHaveLength(2);
        expect(await result.text).toMatch(/\S/);
      });

      it('are chosen by name', async () => {
        const { toolCalls } = await generateText({
          ...asked(),
          stopWhen: isStepCount(1),
          toolChoice: { type: 'tool', toolName: weatherTool.name },
        });
        expect(toolCalls[0]).toMatchObject({ toolName: weatherTool.name });
      });
    });

    describe('structured output', () => {
      const asked = () => ({ model: model(), prompt: 'A recipe for soup', temperature: 0, seed: 7 });

      it('is generated as an object', async () => {
        const { object, finishReason } = await generateObject({ ...asked(), schema: recipe });
        expect(recipe.parse(object)).toEqual(object);
        expect(finishReason).toBe('stop');
      });

      it('is the output of a text generation, streamed and not', async () => {
        const { output } = await generateText({ ...asked(), output: Output.object({ schema: recipe }) });
        expect(recipe.parse(output)).toEqual(output);
        const result = streamText({ ...asked(), output: Output.object({ schema: recipe }) });
        let partial: unknown;
        for await (partial of result.partialOutputStream);
        expect(partial).toEqual(output);
        expect(await result.output).toEqual(output);
      });

      it('is JSON without a schema', async () => {
        const { output } = await generateText({ ...asked(), output: Output.json() });
        expect(output).toEqual(expect.any(Object));
      });
    });

    describe('leaving', () => {
      const nothingGoesOn = () => until(() => gateway().openGenerations() === 0, 'the end of the generation');

      it('ends the generation of a stream', async () => {
        const abort = new AbortController();
        const result = streamText({ model: provider()(gateway().models.stall), prompt, abortSignal: abort.signal });
        const types: string[] = [];
        for await (const part of result.stream) {
          types.push(part.type);
          if (part.type !== 'text-delta') continue;
          expect(gateway().openGenerations()).toBeGreaterThan(0);
          abort.abort();
        }
        expect(types).toContain('abort');
        expect(types).not.toContain('finish');
        await nothingGoesOn();
      });

      it('ends the generation before the answer', async () => {
        const abort = new AbortController();
        const answer = generateText({ model: provider()(gateway().models.stall), prompt, abortSignal: abort.signal });
        const failed = answer.catch((error: unknown) => error);
        await until(() => gateway().openGenerations() > 0, 'the start of the generation');
        abort.abort();
        expect(await failed).toMatchObject({ name: 'AbortError' });
        await nothingGoesOn();
      });
    });

    describe('legacy completions', () => {
      const legacy = () => provider().completionModel(gateway().models.completion);

      it('complete a text, streamed and not', async () => {
        const whole = await generateText({ model: legacy(), prompt, ...sampling });
        expect(whole.text).toMatch(/\S/);
        const result = streamText({ model: legacy(), prompt, ...sampling });
        let text = '';
        for await (const piece of result.textStream) text += piece;
        expect(text).toBe(whole.text);
        expect((await result.usage).totalTokens).toBe(whole.usage.totalTokens);
        expect(whole.usage.totalTokens).toBeGreaterThan(0);
      });

      it('echo the prompt', async () => {
        const { text } = await generateText({ model: legacy(), prompt, ...sampling, providerOptions: { switchyard: { echo: true } } });
        expect(text).toContain(prompt);
      });
    });

    describe('errors', () => {
      const failure = async (asked: { model?: string; apiKey?: string; temperature?: number }): Promise<APICallError> => {
        const { apiKey, temperature } = asked;
        try {
          await generateText({ model: provider(apiKey)(asked.model ?? gateway().models.chat), prompt, temperature, maxRetries: 0 });
        } catch (error) {
          if (APICallError.isInstance(error)) return error;
          throw error;
        }
        throw new Error('not refused');
      };

      it.each([
        [400, 'invalid_request', false, () => ({ temperature: 3 })],
        [401, 'invalid_api_key', false, () => ({ apiKey: 'sy-live-unknown' })],
        [402, 'insufficient_credits', false, () => ({ apiKey: gateway().emptyKey })],
        [404, 'model_not_found', false, () => ({ model: 'no-such-model' })],
        [429, 'rate_limit_exceeded', true, () => ({ model: gateway().models.rateLimited })],
        [503, 'model_overloaded', true, () => ({ model: gateway().models.overloaded })],
      ])('%i is an APICallError with the code %s', async (statusCode, code, isRetryable, asked) => {
        const error = await failure(asked());
        expect(error).toMatchObject({ statusCode, isRetryable });
        const { error: body } = error.data as { error: { message: string; code: string } };
        expect(body.code).toBe(code);
        expect(error.message).toBe(body.message);
      });

      it('a stream that breaks off does not look complete', async () => {
        const errors: unknown[] = [];
        const result = streamText({
          model: provider()(gateway().models.cut),
          prompt,
          maxRetries: 0,
          onError: ({ error }) => void errors.push(error),
        });
        let text = '';
        let reason: string | undefined;
        for await (const part of result.stream) {
          if (part.type === 'text-delta') text += part.text;
          if (part.type === 'finish') reason = part.finishReason;
        }
        expect(text).not.toBe('');
        expect(errors).toEqual([expect.objectContaining({ code: 'upstream_error' })]);
        expect([undefined, 'error']).toContain(reason);
      });
    });
  });
}
