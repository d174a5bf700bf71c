import type OpenAI from 'openai';
import type { OpenAISuite } from './openai-suite.js';
import { isWeatherArguments, type WeatherArguments, weatherQuestion, weatherReport, weatherTool } from './weather-tool.js';

export function describeOpenAITools({ client, helpers, gateway }: OpenAISuite): void {
  const tools: OpenAI.ChatCompletionTool[] = [{ type: 'function', function: weatherTool }];
  const question: OpenAI.ChatCompletionMessageParam = { role: 'user', content: weatherQuestion };
  const ask = (): Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, 'stream'> => ({
    model: gateway().models.chat,
    messages: [question],
    tools,
    temperature: 0,
    seed: 11,
    max_tokens: 200,
  });

  const functionCalls = (message: OpenAI.ChatCompletionMessage) =>
    (message.tool_calls ?? []).map((call) => {
      if (call.type !== 'function') throw new Error(`a call of type ${call.type}`);
      return call;
    });

  describe('tools', () => {
    it('go from the call over the result to an answer', async () => {
      const first = (await client().chat.completions.create(ask())).choices[0]!;
      expect(first).toMatchObject({ finish_reason: 'tool_calls', message: { role: 'assistant', content: null } });
      const calls = functionCalls(first.message);
      expect(calls.length).toBeGreaterThan(0);
      const results = calls.map((call): OpenAI.ChatCompletionToolMessageParam => {
        expect(call).toMatchObject({ id: expect.stringMatching(/\S/), type: 'function', function: { name: weatherTool.name } });
        const given: unknown = JSON.parse(call.function.arguments);
        expect(isWeatherArguments(given)).toBe(true);
        return { role: 'tool', tool_call_id: call.id, content: JSON.stringify(weatherReport(given as WeatherArguments)) };
      });
      const second = (await client().chat.completions.create({ ...ask(), messages: [question, first.message, ...results] })).choices[0]!;
      expect(second.message.content).toMatch(/\S/);
      expect(second.message.tool_calls).toBeUndefined();
      expect(['stop', 'length']).toContain(second.finish_reason);
    });

    it('are called by name, not at all, or at least once, as tool_choice says', async () => {
      const choose = async (tool_choice: OpenAI.ChatCompletionToolChoiceOption) =>
        (await client().chat.completions.create({ ...ask(), tool_choice })).choices[0]!;
      const named = await choose({ type: 'function', function: { name: weatherTool.name } });
      expect(functionCalls(named.message)[0]!.function.name).toBe(weatherTool.name);
      expect((await choose('required')).finish_reason).toBe('tool_calls');
      const none = await choose('none');
      expect(none.message.tool_calls).toBeUndefined();
      expect(none.message.content).toMatch(/\S/);
    });

    it('are put together from a stream by the client', async () => {
      const whole = (await client().chat.completions.create(ask())).choices[0]!;
      const final = await helpers(client()).stream(ask()).finalChatCompletion();
      const [streamed] = final.choices;
      expect(streamed!.finish_reason).toBe('tool_calls');
      expect(streamed!.message.content).toBeNull();
      const facts = (message: OpenAI.ChatCompletionMessage) =>
        functionCalls(message).map(({ type, function: { name, arguments: given } }) => ({ type, name, given }));
      expect(facts(streamed!.message)).toEqual(facts(whole.message));
      for (const call of functionCalls(streamed!.message)) expect(call.id).toMatch(/\S/);
    });

    it.each([false, true])('run in the client’s own loop (stream: %s)', async (stream) => {
      const seen: WeatherArguments[] = [];
      const runnable = {
        type: 'function' as const,
        function: {
          ...weatherTool,
          parse: (text: string) => JSON.parse(text) as WeatherArguments,
          function: (given: WeatherArguments) => {
            seen.push(given);
            return weatherReport(given);
          },
        },
      };
      const { tools: _, ...rest } = ask();
      const runner = stream
        ? helpers(client()).runTools({ ...rest, stream: true, tools: [runnable] })
        : helpers(client()).runTools({ ...rest, stream: false, tools: [runnable] });
      expect(await runner.finalContent()).toMatch(/\S/);
      expect(seen.length).toBeGreaterThan(0);
      expect(seen.every(isWeatherArguments)).toBe(true);
      expect(runner.messages.map(({ role }) => role)).toEqual(['user', 'assistant', ...seen.map(() => 'tool'), 'assistant']);
    });
  });
}
