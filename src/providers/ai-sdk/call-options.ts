import type { JSONSchema7, LanguageModelV4CallOptions, LanguageModelV4FunctionTool, LanguageModelV4ToolChoice } from '@ai-sdk/provider';
import type { ResponseFormat, Tool, ToolChoice } from '../../wire/chat-completion.js';
import type { ChatGenerationRequest } from '../../wire/generation.js';
import { promptOf } from './prompt.js';
import type { AiSdkModel, SupportedUrls, VersionOptions } from './wire.js';

type Effort = NonNullable<LanguageModelV4CallOptions['reasoning']>;

const efforts: ReadonlySet<unknown> = new Set<Effort>(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']);

/**
 * A request as the options of a call. What is absent in the request stays absent.
 * @param dropped is told of parameters that the AI SDK has no place for
 * @throws ProviderError invalid_request
 */
export function callOptions(
  request: ChatGenerationRequest,
  urls: SupportedUrls,
  providerOptions: LanguageModelV4CallOptions['providerOptions'],
  dropped: (parameter: string) => void,
): LanguageModelV4CallOptions {
  const { extra: { top_k: topK, ...extra } = {}, reasoning_effort: effort } = request;
  const options: LanguageModelV4CallOptions = { prompt: promptOf(request.messages, urls) };
  if (request.max_tokens !== undefined) options.maxOutputTokens = request.max_tokens;
  if (request.temperature !== undefined) options.temperature = request.temperature;
  if (request.top_p !== undefined) options.topP = request.top_p;
  if (typeof topK === 'number') options.topK = topK;
  if (request.presence_penalty !== undefined) options.presencePenalty = request.presence_penalty;
  if (request.frequency_penalty !== undefined) options.frequencyPenalty = request.frequency_penalty;
  if (request.seed !== undefined) options.seed = request.seed;
  if (request.stop?.length) options.stopSequences = [...request.stop];
  if (request.response_format) options.responseFormat = responseFormat(request.response_format);
  if (request.tools?.length) options.tools = request.tools.map(functionTool);
  if (request.tool_choice !== undefined && request.tools?.length) options.toolChoice = toolChoice(request.tool_choice);
  if (effort !== undefined) {
    if (efforts.has(effort)) options.reasoning = effort as Effort;
    else dropped('reasoning_effort');
  }
  if (providerOptions && Object.keys(providerOptions).length > 0) options.providerOptions = providerOptions;
  for (const name of ['user', 'logit_bias', 'parallel_tool_calls'] as const) if (request[name] !== undefined) dropped(name);
  for (const name of Object.keys(extra)) dropped(name);
  return options;
}

/** The options as a model of its version takes them: in v3 files have no tag, and the depth of reasoning no place. */
export function versionOptions(
  options: LanguageModelV4CallOptions,
  { specificationVersion }: Pick<AiSdkModel, 'specificationVersion'>,
): VersionOptions {
  if (specificationVersion === 'v4') return options as VersionOptions;
  const { reasoning: _, prompt, ...rest } = options;
  return { ...rest, prompt: prompt.map((message) => (message.role === 'user' ? untagged(message) : message)) } as VersionOptions;
}

function untagged(message: Extract<LanguageModelV4CallOptions['prompt'][number], { role: 'user' }>): object {
  const content = message.content.map((part) => {
    if (part.type !== 'file') return part;
    const { data } = part;
    return { ...part, data: data.type === 'data' ? data.data : data.type === 'url' ? data.url : undefined };
  });
  return { ...message, content };
}

function functionTool({ function: { name, description, parameters, strict } }: Tool): LanguageModelV4FunctionTool {
  const inputSchema = (parameters ?? { type: 'object', properties: {} }) as JSONSchema7;
  return { type: 'function', name, ...(description !== undefined && { description }), inputSchema, ...(strict != null && { strict }) };
}

function toolChoice(choice: ToolChoice): LanguageModelV4ToolChoice {
  return typeof choice === 'string' ? { type: choice } : { type: 'tool', toolName: choice.function.name };
}

function responseFormat(format: ResponseFormat): LanguageModelV4CallOptions['responseFormat'] {
  if (format.type === 'text') return { type: 'text' };
  if (format.type === 'json_object') return { type: 'json' };
  const { schema, name, description } = format.json_schema;
  return { type: 'json', name, ...(schema && { schema: schema as JSONSchema7 }), ...(description !== undefined && { description }) };
}
