import { type AIMessageChunk, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import { ContextOverflowError } from '@langchain/core/errors';
import { concat } from '@langchain/core/utils/stream';
import { ChatOpenAI, OpenAI } from '@langchain/openai';
import { until } from '../support/until.js';
import type { ClientGateway } from './client-gateway.js';
import { recipe } from './recipe.js';
import { isWeatherArguments, type WeatherArguments, weatherQuestion, weatherReport, weatherTool } from './weather-tool.js';

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

      it('answers a batch, and n generations', async () => {
        expect((await chat().batch([messages, messages])).map(({ text }) => text)).toHaveLength(2);
        const { generations } = await chat({ n: 3, temperature: 1 }).generate([messages]);
        expect(generations[0]).toHaveLength(3);
      });

      it('reports log probabilities', async () => {
        const { response_metadata, text } = await chat({ logprobs: true, topLogprobs: 2 }).invoke(messages);
        const { content } = response_metadata.logprobs as { content: { token: string; top_logprobs: unknown[] }[] };
        expect(content.map(({ token }) => token).join('')).toBe(text);
        expect(content.every(({ top_logprobs }) => top_logprobs.length === 2)).toBe(true);
      });
    });

    describe('tools', () => {
      const bound = () => chat({ maxTokens: 200 }).bindTools([{ type: 'function', function: weatherTool }]);
      const question = new HumanMessage(weatherQuestion);

      it('go from the call over the result to an answer', async () => {
        const first = await bound().invoke([question]);
        expect(first.tool_calls!.length).toBeGreaterThan(0);
        expect(first.invalid_tool_calls).toEqual([]);
        const results = first.tool_calls!.map(({ id, name: called, args }) => {
          expect(called).toBe(weatherTool.name);
          expect(isWeatherArguments(args)).toBe(true);
          return new ToolMessage({ tool_call_id: id!, content: JSON.stringify(weatherReport(args as WeatherArguments)) });
        });
        const second = await bound().invoke([question, first, ...results]);
        expect(second.text).toMatch(/\S/);
        expect(second.tool_calls).toEqual([]);
      });

      it('are put together from a stream', async () => {
        const whole = await bound().invoke([question]);
        let streamed: AIMessageChunk | undefined;
        for await (const chunk of await bound().stream([question])) streamed = streamed ? concat(streamed, chunk) : chunk;
        const facts = ({ tool_calls }: Pick<AIMessageChunk, 'tool_calls'>) =>
          tool_calls!.map(({ name: called, args }) => ({ called, args }));
        expect(facts(streamed!)).toEqual(facts(whole));
      });
    });

    describe('structured output', () => {
      it.each(['jsonSchema', 'functionCalling'] as const)('follows the schema (%s)', async (method) => {
        const structured = chat({ maxTokens: 800 }).withStructuredOutput(recipe, { name: 'recipe', method });
        const answer = await structured.invoke('A recipe for soup');
        expect(recipe.parse(answer)).toEqual(answer);
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

      it('ends the generation before the answer', async () => {
        const abort = new AbortController();
        const answer = chat({ model: gateway().models.stall, maxTokens: undefined }).invoke(messages, { signal: abort.signal });
        const failed = answer.catch((error: unknown) => error);
        await until(() => gateway().openGenerations() > 0, 'the start of the generation');
        abort.abort();
        expect(await failed).toMatchObject({ message: expect.stringMatching(/abort/i) });
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

      it('generate n of best_of for each of several prompts', async () => {
        const { generations, llmOutput } = await llm({ n: 2, bestOf: 3, temperature: 1 }).generate([prompt, 'The train']);
        expect(generations.map((choices) => choices.length)).toEqual([2, 2]);
        expect((llmOutput as { tokenUsage: { totalTokens: number } }).tokenUsage.totalTokens).toBeGreaterThan(0);
      });

      it('end the generation when the client leaves', async () => {
        const abort = new AbortController();
        const read = async (): Promise<void> => {
          const stream = await llm({ model: gateway().models.stall, maxTokens: undefined }).stream(prompt, { signal: abort.signal });
          for await (const piece of stream) if (piece) abort.abort();
        };
        await expect(read()).rejects.toThrow(/abort/i);
        await nothingGoesOn();
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
