import type { RequestContext } from '../http/requests/request-context.js';
import type { CarriedReader } from '../inference/carried/carried-reader.js';
import { madeFrom } from '../json/json-source.js';
import { copyMember, valueAt } from '../wire/members.js';
import type { MessagesTool, MessagesToolChoice, OutputConfig, ServerTool, ThinkingParam } from '../wire/anthropic-message.js';
import type { ResponseFormat, Tool, ToolChoice } from '../wire/chat-completion.js';
import type { ChatGenerationRequest } from '../wire/generation.js';
import type { JsonObject } from '../wire/json-object.js';
import type { CreateMessageDto, PromptFields } from './create-message.dto.js';
import { blocksOf, foreignShape } from './foreign-blocks.js';
import { isHosted, mostUses, nativeTool } from './hosted-tools.js';
import { knownOf, markShape } from './known-members.js';
import { nativeRequest } from './native-request.js';
import { messagesOf, systemMessage } from './turns.js';

/** A request in Anthropic's form as the canonical one, with itself beside it for providers of the same form. */
export function messageRequest(body: CreateMessageDto, headers: RequestContext['headers'], carried: CarriedReader): ChatGenerationRequest {
  const blocks = [...blocksOf([...body.messages, { content: valueAt(body, 'system') }])];
  // What the messages of the canonical form do not have counts there.
  const items = blocks.filter(({ type, citations }) => foreignShape(type) ?? Array.isArray(citations));
  const hosted = (body.tools ?? []).filter(isHosted);
  const native = nativeRequest(body, headers, blocks, carried);
  return {
    ...promptOf(body, carried),
    stream: body.stream === true,
    max_tokens: body.max_tokens,
    temperature: body.temperature ?? undefined,
    top_p: body.top_p ?? undefined,
    stop: body.stop_sequences?.length ? body.stop_sequences : undefined,
    user: body.metadata?.user_id ?? undefined,
    extra: extraOf(body, body),
    hosted_tools: hosted.length > 0 ? hosted.map((tool) => nativeTool(tool) as ServerTool) : undefined,
    hosted_items: native && items.length > 0 ? items : undefined,
    max_tool_calls: mostUses(hosted),
    native,
  };
}

/** The canonical form of what a model reads. */
export function promptOf(body: PromptFields, carried: CarriedReader): ChatGenerationRequest {
  const own = (body.tools ?? []).filter((tool): tool is MessagesTool => !isHosted(tool));
  const tools = own.length > 0 ? madeFrom(body, ['tools'], own.map(toolOf)) : undefined;
  const choice = tools && choiceAmong(own, body.tool_choice);
  return {
    operation: 'chat',
    model: body.model,
    stream: false,
    n: 1,
    messages: madeFrom(body, ['system', 'messages'], [...systemMessage(body), ...messagesOf(body.messages, carried)]),
    tools,
    tool_choice: choice && toolChoiceOf(choice),
    parallel_tool_calls: choice && choice.type !== 'none' && choice.disable_parallel_tool_use ? false : undefined,
    response_format: responseFormatOf(body),
    reasoning_effort: effortOf(body.output_config, body.thinking),
    extra: extraOf(body),
  };
}

function toolOf(tool: MessagesTool): Tool {
  const declared: Tool['function'] = { name: tool.name, parameters: tool.input_schema };
  if (valueAt(tool, 'description') != null) copyMember(tool, 'description', declared);
  if (tool.strict === true) declared.strict = true;
  return {
    type: 'function',
    function: declared,
    ...(tool.cache_control && { cache_control: knownOf(tool.cache_control as unknown as JsonObject, markShape) }),
  };
}

/** A choice of a tool of the vendor's has no word. */
function choiceAmong(own: readonly MessagesTool[], choice: PromptFields['tool_choice']): MessagesToolChoice | undefined {
  return choice?.type === 'tool' && !own.some(({ name }) => name === choice.name) ? undefined : (choice ?? undefined);
}

function toolChoiceOf(choice: MessagesToolChoice): ToolChoice {
  switch (choice.type) {
    case 'any':
      return 'required';
    case 'tool':
      return { type: 'function', function: { name: choice.name } };
    default:
      return choice.type;
  }
}

function responseFormatOf(body: PromptFields): ResponseFormat | undefined {
  const { output_config: config, output_format: older } = body;
  const { schema } = config?.format ?? older ?? {};
  return (
    schema &&
    madeFrom<ResponseFormat>(body, ['output_config', 'output_format'], {
      type: 'json_schema',
      json_schema: { name: 'answer', schema, strict: true },
    })
  );
}

/** Tokens of a budget from which on a model of another vendor is to think so deeply. */
const DEEP = 16_384;
const MEDIUM = 4_096;

/** The word of the wire format for how deep the model is to think; undefined where the client leaves that to it. */
function effortOf(config: OutputConfig | null | undefined, thinking: ThinkingParam | null | undefined): string | undefined {
  if (config?.effort) return config.effort === 'max' ? 'xhigh' : config.effort;
  if (thinking?.type === 'adaptive') return 'high';
  if (thinking?.type !== 'enabled') return undefined;
  const { budget_tokens: budget } = thinking;
  return budget >= DEEP ? 'high' : budget >= MEDIUM ? 'medium' : 'low';
}

/** Parameters that the canonical form has under the same name, for providers that know them. */
function extraOf({ thinking, cache_control }: PromptFields, more?: CreateMessageDto): ChatGenerationRequest['extra'] {
  const { top_k, service_tier, extra } = more ?? {};
  const all = {
    ...extra,
    // Other vendors have these two words, and their effort for the rest.
    ...((thinking?.type === 'enabled' || thinking?.type === 'disabled') && { thinking }),
    ...(cache_control && { cache_control }),
    ...(top_k != null && { top_k }),
    ...(service_tier && { service_tier: service_tier === 'auto' ? 'auto' : 'default' }),
  };
  return Object.keys(all).length > 0 ? all : undefined;
}
