import { generateText, isStepCount, jsonSchema, type LanguageModel, streamText, tool } from 'ai';
import { isWeatherArguments, type WeatherArguments, weatherQuestion, weatherReport, weatherTool } from './weather-tool.js';

/** The tool for the AI SDK. @param seen gets what it is called with */
export const aiSdkWeather = (seen: WeatherArguments[] = []) => ({
  [weatherTool.name]: tool({
    description: weatherTool.description,
    inputSchema: jsonSchema<WeatherArguments>(weatherTool.parameters as Parameters<typeof jsonSchema>[0]),
    execute: (given) => {
      seen.push(given);
      return weatherReport(given);
    },
  }),
});

/** A model calls the tool and goes on to a text, the same whole and streamed. */
export async function expectToolLoop(model: LanguageModel): Promise<void> {
  const asked = { model, tools: aiSdkWeather(), prompt: weatherQuestion, temperature: 0, maxOutputTokens: 200, stopWhen: isStepCount(3) };
  const whole = await generateText(asked);
  expect(whole.steps[0]!.toolCalls.map(({ toolName, input }) => [toolName, isWeatherArguments(input)])).toEqual([[weatherTool.name, true]]);
  expect(whole.text).toMatch(/\S/);
  const streamed = streamText(asked);
  let text = '';
  for await (const piece of streamed.textStream) text += piece;
  expect(text).toBe(whole.text);
  expect(await streamed.finishReason).toBe(whole.finishReason);
  expect((await streamed.totalUsage).totalTokens).toBe(whole.totalUsage.totalTokens);
}
