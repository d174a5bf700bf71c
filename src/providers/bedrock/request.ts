import { jsonBytes } from '../../json/json-bytes.js';
import { copyMember, hasSomeText } from '../../wire/members.js';
import type { ChatGenerationRequest } from '../../wire/generation.js';
import { isObject } from '../../wire/json-object.js';
import { isStandardTier } from '../../wire/service-tier.js';
import { isToolSearch } from '../contract/hosted-callers.js';
import { cloudFeatures } from '../protocols/anthropic-messages/native.js';
import { demandJson } from '../protocols/anthropic-messages/output-format.js';
import { stopSequences } from '../protocols/anthropic-messages/request.js';
import { toolSettings } from '../protocols/anthropic-messages/tools.js';
import type { MessagesBody, MessagesTool, MessagesToolChoice } from '../protocols/anthropic-messages/wire.js';
import { isText } from '../protocols/is-text.js';
import { ProviderError } from '../contract/provider-error.js';
import type { BedrockOptions } from './bedrock.options.js';
import { cachePoints } from './content-blocks.js';
import { conversation } from './conversation.js';
import type { BedrockTraits } from './model-traits.js';
import { reasoningFields } from './reasoning.js';
import type { CachePointBlock, ConverseBody, InferenceConfig, ToolConfig, ToolSpec } from './wire.js';

interface ConverseRequest {
  readonly body: ConverseBody;
  /** Whether the input of JSON_TOOL is the content of the response. */
  readonly jsonTool: boolean;
}

/** Bytes of a schema of `response_format`, which the vendor wants as a text, and which is made at once. */
const MAX_SCHEMA = 1024 * 1024;

type Dropped = (parameter: string) => void;

/**
 * Converts a chat request to the vendor's form, without changing it. What Claude and Converse have in common is made by
 * the protocol of Anthropic's Messages, and told in Converse's words: tools, JSON output, depth of thinking.
 * @param dropped is told of each parameter that the vendor does not take, or takes less of
 * @throws ProviderError invalid_request
 */
export function converseRequest(
  request: ChatGenerationRequest,
  traits: BedrockTraits,
  { guardrail }: Pick<BedrockOptions, 'guardrail'>,
  dropped: Dropped,
): ConverseRequest {
  const { extra = {} } = request;
  const offersTools = Boolean(request.tools?.length) && request.tool_choice !== 'none';
  const draft: MessagesBody = {
    model: '',
    max_tokens: request.max_tokens ?? traits.maxTokens,
    messages: [],
    stream: request.stream,
    system: [],
    ...(offersTools && toolSettings(request, [], traits, dropped)),
  };
  const jsonTool = demandJson(draft, request.response_format, traits, dropped);
  const { system, messages } = conversation(
    request.messages,
    draft.tools !== undefined,
    traits.family === 'claude' || traits.family === 'nova',
  );
  for (const block of draft.system ?? []) if (typeof block === 'object') system.push({ text: block.text });
  messages.at(-1)?.content.push(...cachePoints(extra['cache_control']));
  const body: ConverseBody = { messages, inferenceConfig: { maxTokens: draft.max_tokens } };
  if (system.length > 0) body.system = system;
  if (draft.tools) body.toolConfig = toolConfig(draft.tools, draft.tool_choice, traits);
  const format = draft.output_config?.format;
  if (format) body.outputConfig = { textFormat: { type: 'json_schema', structure: { jsonSchema: { schema: schemaText(format.schema) } } } };
  if (guardrail) {
    const { id, version, stream } = guardrail;
    body.guardrailConfig = { guardrailIdentifier: id, guardrailVersion: version, ...(request.stream && { streamProcessingMode: stream }) };
  }
  const fields = reasoningFields(request, draft, traits, dropped);
  // Converse has no place for tools that Anthropic has declared, and no tool search (docs.anthropic.com, Tool search).
  const hosted_tools = request.hosted_tools?.filter((tool) => !isToolSearch(tool));
  if (hosted_tools?.length) fields['tools'] = hosted_tools;
  const features = cloudFeatures({ hosted_tools });
  if (features.length > 0) fields['anthropic_beta'] = features;
  const stop = stopSequences(request.stop);
  if (stop) body.inferenceConfig.stopSequences = stop;
  setSampling(body.inferenceConfig, fields, request, traits, dropped);
  if (Object.keys(fields).length > 0) body.additionalModelRequestFields = fields;
  setUser(body, request.user, dropped);
  const tier = extra['service_tier'];
  if (isText(tier) && tier !== 'auto') body.serviceTier = { type: isStandardTier(tier) ? 'default' : tier };
  return { body, jsonTool };
}

/** @throws ProviderError invalid_request */
function schemaText(schema: object): string {
  if (jsonBytes(schema) > MAX_SCHEMA)
    throw new ProviderError(
      'invalid_request',
      `The schema in response_format has more than ${MAX_SCHEMA} bytes, which this model does not take`,
    );
  return JSON.stringify(schema);
}

function toolConfig(tools: readonly MessagesTool[], choice: MessagesToolChoice | undefined, traits: BedrockTraits): ToolConfig {
  const config: ToolConfig = { tools: tools.flatMap((tool) => toolSpecs(tool, traits)) };
  if (choice?.type === 'tool') config.toolChoice = { tool: { name: choice.name } };
  else if (choice?.type === 'any') config.toolChoice = { any: {} };
  return config;
}

function toolSpecs(tool: MessagesTool, { cachedTools }: BedrockTraits): (ToolSpec | CachePointBlock)[] {
  const { name, input_schema: json, strict, cache_control } = tool;
  const spec: ToolSpec['toolSpec'] = { name, inputSchema: { json }, ...(strict && { strict }) };
  if (hasSomeText(tool, 'description')) copyMember(tool, 'description', spec);
  return [{ toolSpec: spec }, ...(cachedTools ? cachePoints(cache_control) : [])];
}

/**
 * The vendor's scale of temperature ends at 1. Some Claude models take no top_p beside a temperature, and none takes
 * either while it thinks.
 */
function setSampling(
  config: InferenceConfig,
  fields: Record<string, unknown>,
  request: ChatGenerationRequest,
  { family, oneSampler }: BedrockTraits,
  dropped: Dropped,
): void {
  const { temperature, top_p } = request;
  const top_k = request.extra?.['top_k'];
  const thinking = family === 'claude' && isObject(fields['thinking']) && /enabled|adaptive/.test(String(fields['thinking']['type']));
  if (temperature !== undefined) {
    if (temperature > 1 || (thinking && temperature !== 1)) dropped('temperature');
    if (!thinking) config.temperature = Math.min(temperature, 1);
  }
  if (top_p !== undefined) {
    if (thinking || (oneSampler && temperature !== undefined)) dropped('top_p');
    else config.topP = top_p;
  }
  if (typeof top_k !== 'number') return;
  if (family === 'claude' && !thinking) fields['top_k'] = top_k;
  else if (family === 'nova') fields['inferenceConfig'] = { topK: top_k };
  else dropped('top_k');
}

/** The user's id goes to the vendor's log of invocations, as far as it has the form that the vendor takes. */
function setUser(body: ConverseBody, user: string | undefined, dropped: Dropped): void {
  if (!user) return;
  if (/^[a-zA-Z0-9\s:_@$#=/+,.-]{1,256}$/.test(user)) body.requestMetadata = { user };
  else dropped('user');
}
