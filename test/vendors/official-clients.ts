import Anthropic from '@anthropic-ai/sdk';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { type AIMessageChunk, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { concat } from '@langchain/core/utils/stream';
import { ChatOpenAI } from '@langchain/openai';
import { generateText, isStepCount, Output, streamText } from 'ai';
import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { z } from 'zod';
import { aiSdkWeather } from '../clients/ai-sdk-weather.js';
import { recipe, type Recipe } from '../clients/recipe.js';
import { runnableWeather, type WeatherArguments, weatherQuestion, weatherReport, weatherTool } from '../clients/weather-tool.js';

// Its warnings concern its user, not us.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

export interface Address {
  /** Ends with /v1. */
  readonly baseURL: string;
  readonly apiKey: string;
  readonly model: string;
}

/** What a program that uses the client does with it. */
export interface OfficialClient {
  readonly name: string;
  /** Asks for the weather, runs what tools the model calls, and goes on until there is a text. */
  toolLoop(address: Address, stream: boolean): Promise<{ calls: WeatherArguments[]; text: string }>;
  /** Asks for a recipe by its schema. */
  structured(address: Address, stream: boolean): Promise<unknown>;
}

const question = 'A recipe for soup';

const openai: OfficialClient = {
  name: 'openai',
  async toolLoop({ model, ...connection }, stream) {
    const calls: WeatherArguments[] = [];
    const asked = { model, messages: [{ role: 'user' as const, content: weatherQuestion }], tools: [runnableWeather(calls)] };
    const { completions } = new OpenAI({ ...connection, maxRetries: 0 }).chat;
    const runner = stream ? completions.runTools({ ...asked, stream: true }) : completions.runTools(asked);
    return { calls, text: (await runner.finalContent()) ?? '' };
  },
  async structured({ model, ...connection }, stream) {
    const { completions } = new OpenAI({ ...connection, maxRetries: 0 }).chat;
    const messages = [{ role: 'user' as const, content: question }];
    const asked = { model, messages, response_format: zodResponseFormat(recipe, 'recipe') };
    const { choices } = stream ? await completions.stream(asked).finalChatCompletion() : await completions.parse(asked);
    return choices[0]?.message.parsed;
  },
};

const aiSdk: OfficialClient = {
  name: 'AI SDK',
  async toolLoop(address, stream) {
    const calls: WeatherArguments[] = [];
    const tools = aiSdkWeather(calls);
    const asked = { model: aiSdkModel(address), prompt: weatherQuestion, tools, stopWhen: isStepCount(4), maxRetries: 0 };
    const text = stream ? await streamText(asked).text : (await generateText(asked)).text;
    return { calls, text };
  },
  async structured(address, stream) {
    const asked = { model: aiSdkModel(address), prompt: question, output: Output.object({ schema: recipe }), maxRetries: 0 };
    return stream ? await streamText(asked).output : (await generateText(asked)).output;
  },
};

function aiSdkModel({ model, ...connection }: Address) {
  return createOpenAICompatible({ name: 'switchyard', ...connection, includeUsage: true, supportsStructuredOutputs: true })(model);
}

const langChain: OfficialClient = {
  name: 'LangChain',
  async toolLoop(address, stream) {
    const calls: WeatherArguments[] = [];
    const bound = langChainModel(address).bindTools([{ type: 'function', function: weatherTool }]);
    const messages: (HumanMessage | AIMessageChunk | ToolMessage)[] = [new HumanMessage(weatherQuestion)];
    for (let step = 0; step < 4; step++) {
      const answer = stream ? await collected(await bound.stream(messages)) : await bound.invoke(messages);
      if (!answer.tool_calls?.length) return { calls, text: answer.text };
      messages.push(answer);
      for (const { id, args } of answer.tool_calls) {
        calls.push(args as WeatherArguments);
        messages.push(new ToolMessage({ tool_call_id: id!, content: JSON.stringify(weatherReport(args as WeatherArguments)) }));
      }
    }
    throw new Error('the model goes on calling tools');
  },
  async structured(address, stream) {
    const model = langChainModel(address).withStructuredOutput(recipe, { name: 'recipe', method: 'jsonSchema' });
    if (!stream) return model.invoke(question);
    let latest: Partial<Recipe> | undefined;
    for await (latest of await model.stream(question));
    return latest;
  },
};

function langChainModel({ baseURL, apiKey, model }: Address): ChatOpenAI {
  return new ChatOpenAI({ apiKey, model, configuration: { baseURL }, maxRetries: 0 });
}

async function collected(stream: AsyncIterable<AIMessageChunk>): Promise<AIMessageChunk> {
  let whole: AIMessageChunk | undefined;
  for await (const chunk of stream) whole = whole ? concat(whole, chunk) : chunk;
  return whole!;
}

const anthropic: OfficialClient = {
  name: 'Anthropic',
  async toolLoop(address, stream) {
    const calls: WeatherArguments[] = [];
    const { name, description, parameters } = weatherTool;
    const tools = [{ name, description, input_schema: parameters as Anthropic.Tool.InputSchema }];
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: weatherQuestion }];
    for (let step = 0; step < 4; step++) {
      const { content, stop_reason } = await anthropicAnswer(address, { messages, tools }, stream);
      if (stop_reason !== 'tool_use') return { calls, text: anthropicText(content) };
      messages.push({ role: 'assistant', content });
      const used = content.filter((block) => block.type === 'tool_use');
      const results = used.map(({ id, input }): Anthropic.ToolResultBlockParam => {
        calls.push(input as WeatherArguments);
        return { type: 'tool_result', tool_use_id: id, content: JSON.stringify(weatherReport(input as WeatherArguments)) };
      });
      messages.push({ role: 'user', content: results });
    }
    throw new Error('the model goes on calling tools');
  },
  async structured(address, stream) {
    const format = { type: 'json_schema' as const, schema: z.toJSONSchema(recipe) as Record<string, unknown> };
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: question }];
    const { content } = await anthropicAnswer(address, { messages, output_config: { format } }, stream);
    return JSON.parse(anthropicText(content));
  },
};

function anthropicAnswer(
  { baseURL, apiKey, model }: Address,
  more: Pick<Anthropic.MessageCreateParams, 'messages' | 'tools' | 'output_config'>,
  stream: boolean,
): Promise<Anthropic.Message> {
  const { messages } = new Anthropic({ baseURL: baseURL.replace(/\/v1$/, ''), apiKey, maxRetries: 0 });
  const asked = { model, max_tokens: 1_000, ...more };
  return stream ? messages.stream(asked).finalMessage() : messages.create(asked);
}

function anthropicText(content: readonly Anthropic.ContentBlock[]): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

export const officialClients: readonly OfficialClient[] = [openai, aiSdk, langChain, anthropic];
