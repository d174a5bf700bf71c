import { createAnthropic } from '@ai-sdk/anthropic';
import { generateText, isStepCount, jsonSchema, type ModelMessage, streamText, tool } from 'ai';
import { said } from '../src/wire/testing/said.js';
import { isWeatherArguments, type WeatherArguments, weatherQuestion, weatherReport, weatherTool } from './clients/weather-tool.js';
import { Gateway } from './support/gateway.js';
import { useLoopbackOnly } from './support/loopback-only.js';
import { useGateway } from './support/started.js';

useLoopbackOnly();

// Its warnings concern its user, not us.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

describe('the AI SDK with anthropic()', () => {
  const gateway = useGateway(() => Gateway.start());

  const model = (name: string) => createAnthropic({ baseURL: `${gateway.url}/v1`, apiKey: gateway.customer.liveKey })(name);
  const tools = {
    [weatherTool.name]: tool({
      description: weatherTool.description,
      inputSchema: jsonSchema<WeatherArguments>(weatherTool.parameters as Parameters<typeof jsonSchema>[0]),
      execute: (given) => Promise.resolve(weatherReport(given)),
    }),
  };
  const settings = { temperature: 0, maxOutputTokens: 200, stopWhen: isStepCount(3) };

  it('runs a tool loop, whole and streamed', async () => {
    const whole = await generateText({ model: model('sandbox-chat'), tools, prompt: weatherQuestion, ...settings });
    expect(whole.steps[0]!.toolCalls.map(({ toolName, input }) => [toolName, isWeatherArguments(input)])).toEqual([
      [weatherTool.name, true],
    ]);
    expect(whole.text).toMatch(/\S/);
    const streamed = streamText({ model: model('sandbox-chat'), tools, prompt: weatherQuestion, ...settings });
    let text = '';
    for await (const piece of streamed.textStream) text += piece;
    expect(text).toBe(whole.text);
    expect(await streamed.finishReason).toBe(whole.finishReason);
    expect((await streamed.totalUsage).totalTokens).toBe(whole.totalUsage.totalTokens);
  });

  it('gets thoughts and goes on with them', async () => {
    const providerOptions = { anthropic: { thinking: { type: 'enabled', budgetTokens: 1_024 } } };
    const asked = { model: model('sandbox-reasoning'), maxOutputTokens: 200, providerOptions };
    const first = await generateText({ ...asked, prompt: 'Hello' });
    expect(first.reasoningText).toMatch(/\S/);
    const messages: ModelMessage[] = [said.user('Hello'), ...first.response.messages, said.user('And now?')];
    expect((await generateText({ ...asked, messages })).text).toMatch(/\S/);
  });
});
