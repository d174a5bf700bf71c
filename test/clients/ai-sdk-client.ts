import { createOpenAICompatible, type OpenAICompatibleProvider } from '@ai-sdk/openai-compatible';
import { APICallError, generateText, streamText } from 'ai';
import { until } from '../support/until.js';
import type { ClientGateway } from './client-gateway.js';

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
