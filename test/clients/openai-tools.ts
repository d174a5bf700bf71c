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

  describe('tools', () => {
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
