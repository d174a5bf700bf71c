import { Agent, OpenAIProvider, Runner, tool } from '@openai/agents';
import OpenAI from 'openai';
import { z } from 'zod';
import { useGateway } from './clients/client-gateway.js';
import { isWeatherArguments, weatherQuestion, weatherReport, weatherTool } from './clients/weather-tool.js';
import { useLoopbackOnly } from './support/loopback-only.js';

useLoopbackOnly();
const gateway = useGateway();

describe('the Agents SDK', () => {
  it.each([false, true])('runs an agent with a tool (stream: %s)', async (stream) => {
    const openAIClient = new OpenAI({ baseURL: gateway().baseURL, apiKey: gateway().liveKey, maxRetries: 0 });
    const modelProvider = new OpenAIProvider({ openAIClient, useResponses: true });
    const asked: unknown[] = [];
    const get_weather = tool({
      name: weatherTool.name,
      description: weatherTool.description,
      parameters: z.object({ city: z.string(), unit: z.enum(['celsius', 'fahrenheit']) }),
      execute: (given) => {
        asked.push(given);
        return JSON.stringify(weatherReport(given));
      },
    });
    const modelSettings = { temperature: 0, maxTokens: 200 };
    const agent = new Agent({
      name: 'Forecaster',
      instructions: 'Tell the weather.',
      model: gateway().models.chat,
      tools: [get_weather],
      modelSettings,
    });
    const runner = new Runner({ modelProvider, tracingDisabled: true });
    const result = stream ? await runner.run(agent, weatherQuestion, { stream: true }) : await runner.run(agent, weatherQuestion);
    if ('completed' in result) await result.completed;
    expect(asked.map((given) => isWeatherArguments(given))).toEqual([true]);
    expect(result.finalOutput).toMatch(/\S/);
  });
});
