import { type AIMessageChunk, HumanMessage, SystemMessage } from '@langchain/core/messages';
import { ContextOverflowError } from '@langchain/core/errors';
import { concat } from '@langchain/core/utils/stream';
import { ChatOpenAI, OpenAI } from '@langchain/openai';
import { until } from '../support/until.js';
import type { ClientGateway } from './client-gateway.js';

const messages = [new SystemMessage('You are a friendly cook.'), new HumanMessage('How do I make a good soup?')];

/** LangChain's two classes for the wire format. */
export function describeLangChainClient({ name, gateway }: { name: string; gateway: () => ClientGateway }): void {
  const connection = (apiKey = gateway().liveKey) => ({ apiKey, configuration: { baseURL: gateway().baseURL }, maxRetries: 0 });
  const chat = (fields: ConstructorParameters<typeof ChatOpenAI>[0] = {}) =>
    new ChatOpenAI({ ...connection(), model: gateway().models.chat, temperature: 0, maxTokens: 24, modelKwargs: { seed: 7 }, ...fields });
  const llm = (fields: ConstructorParameters<typeof OpenAI>[0] = {}) =>
    new OpenAI({
      ...connection(),
      model: gateway().models.completion,
      temperature: 0,
      maxTokens: 16,
      modelKwargs: { seed: 7 },
      ...fields,
    });
  const nothingGoesOn = () => until(() => gateway().openGenerations() === 0, 'the end of the generation');

  describe(name, () => {
    describe('chat', () => {
      it('answers', async () => {
        const answer = await chat().invoke(messages);
        expect(answer.text).toMatch(/\S/);
        const { input_tokens, output_tokens, total_tokens } = answer.usage_metadata!;
        expect(input_tokens).toBeGreaterThan(0);
        expect(output_tokens).toBeGreaterThan(0);
        expect(total_tokens).toBe(input_tokens + output_tokens);
        expect(['stop', 'length']).toContain(answer.response_metadata.finish_reason);
      });

      it('streams the same answer in pieces', async () => {
        const whole = await chat().invoke(messages);
        let streamed: AIMessageChunk | undefined;
        let pieces = 0;
        for await (const chunk of await chat().stream(messages)) {
          pieces++;
          streamed = streamed ? concat(streamed, chunk) : chunk;
        }
        expect(pieces).toBeGreaterThan(2);
        expect(streamed!.text).toBe(whole.text);
        expect(streamed!.usage_metadata?.total_tokens).toBe(whole.usage_metadata!.total_tokens);
        expect(streamed!.response_metadata.finish_reason).toBe(whole.response_metadata.finish_reason);
      });
    });

    describe('leaving', () => {
      it('ends the generation of a stream', async () => {
        const abort = new AbortController();
        const read = async (): Promise<void> => {
          const stream = await chat({ model: gateway().models.stall, maxTokens: undefined }).stream(messages, { signal: abort.signal });
          for await (const chunk of stream) {
            if (!chunk.text) continue;
            expect(gateway().openGenerations()).toBeGreaterThan(0);
            abort.abort();
          }
        };
        await expect(read()).rejects.toThrow(/abort/i);
        expect(abort.signal.aborted).toBe(true);
        await nothingGoesOn();
      });
    });

    describe('legacy completions', () => {
      const prompt = 'A good soup';

      it('complete a text, streamed and not', async () => {
        const whole = await llm().invoke(prompt);
        expect(whole).toMatch(/\S/);
        const pieces: string[] = [];
        for await (const piece of await llm().stream(prompt)) pieces.push(piece);
        expect(pieces.length).toBeGreaterThan(1);
        expect(pieces.join('')).toBe(whole);
      });
    });

    describe('errors', () => {
      it.each([
        [400, 'invalid_request', undefined, () => chat({ temperature: 3 })],
        [401, 'invalid_api_key', 'MODEL_AUTHENTICATION', () => chat(connection('sy-live-unknown'))],
        [402, 'insufficient_credits', undefined, () => chat(connection(gateway().emptyKey))],
        [404, 'model_not_found', 'MODEL_NOT_FOUND', () => chat({ model: 'no-such-model' })],
        [429, 'rate_limit_exceeded', 'MODEL_RATE_LIMIT', () => chat({ model: gateway().models.rateLimited })],
        [503, 'model_overloaded', undefined, () => chat({ model: gateway().models.overloaded })],
      ])('%i has the code %s', async (status, code, lc_error_code, client) => {
        const error = await client()
          .invoke(messages)
          .catch((reason: unknown) => reason);
        expect(error).toMatchObject({ status, code, ...(lc_error_code && { lc_error_code }) });
      });

      it('a context that is too long is known as such', async () => {
        const answer = chat({ model: gateway().models.contextOverflow }).invoke(messages);
        expect(ContextOverflowError.isInstance(await answer.catch((error: unknown) => error))).toBe(true);
      });

      it('a stream that breaks off throws in the loop', async () => {
        let text = '';
        const read = async (): Promise<void> => {
          for await (const chunk of await chat({ model: gateway().models.cut }).stream(messages)) text += chunk.text;
        };
        await expect(read()).rejects.toMatchObject({ code: 'upstream_error' });
        expect(text).not.toBe('');
      });
    });
  });
}
