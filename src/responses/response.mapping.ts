import type { CarriedReader } from '../inference/carried/carried-reader.js';
import { sourceBytes } from '../json/json-source.js';
import { copyMembers, hasText, textBytes, valueAt } from '../wire/members.js';
import { callOfTool, isPriced, mostCalls } from '../providers/contract/hosted-callers.js';
import type { FinishReason } from '../wire/chat-completion.js';
import type { ChatGenerationRequest } from '../wire/generation.js';
import type { ErrorBody } from '../wire/error.js';
import type { ResponseObject, ResponseUsage } from '../wire/response.js';
import type { Usage } from '../wire/usage.js';
import type { CreateResponseDto } from './create-response.dto.js';
import { messagesOf } from './input.mapping.js';
import type { OutputItems } from './output/output-items.js';
import { loadedTools } from './foreign-items.js';
import { hostedTools, unloaded } from './hosted-tools.js';
import { hostedItems } from './native-input.js';
import { nativeRequest } from './native-request.js';
import { declaredTool, offeredTools, responseFormat, toolSettings } from './tools.mapping.js';

/** @throws ApiError 400 unsupported_parameter for hosted tools, and for items that are named by their ids */
export function responseRequest(body: CreateResponseDto, carried: CarriedReader): ChatGenerationRequest {
  const logprobs = body.include?.includes('message.output_text.logprobs') === true;
  const tools = offeredTools(body);
  const loaded = loadedTools(valueAt(body, 'input'));
  const hosted = hostedTools(body.tools ?? [], body.tool_choice, (holder, name) => carried.leaveOutMember(holder, name, 'tools'));
  for (const type of unloaded(loaded)) carried.leaveOut(`tools.${type}`);
  const native = nativeRequest(body, tools, hosted, carried);
  const items = hostedItems(valueAt(native.body, 'input'));
  return {
    operation: 'chat',
    model: body.model,
    stream: body.stream === true,
    n: 1,
    ...toolSettings(loaded.length > 0 ? offeredTools(body, loaded) : tools, body),
    messages: messagesOf(body, carried),
    temperature: body.temperature ?? undefined,
    top_p: body.top_p ?? undefined,
    max_tokens: body.max_output_tokens ?? undefined,
    response_format: responseFormat(body),
    logprobs: logprobs || undefined,
    top_logprobs: logprobs ? (body.top_logprobs ?? undefined) : undefined,
    reasoning_effort: body.reasoning?.effort ?? undefined,
    user: body.user ?? undefined,
    extra: extraOf(body),
    hosted_tools: hosted.length > 0 ? hosted : undefined,
    hosted_items: items.length > 0 ? items : undefined,
    max_tool_calls: hosted.some(({ type }) => isPriced(callOfTool(type))) ? mostCalls(body.max_tool_calls) : undefined,
    native,
  };
}

/** What chat completions have no field for goes the way of fields that the wire format does not know. */
function extraOf({ extra, text, truncation }: CreateResponseDto): ChatGenerationRequest['extra'] {
  const verbosity = text?.verbosity;
  if (!verbosity && truncation !== 'auto') return extra;
  return Object.assign(copyMembers(extra ?? {}, {}), { ...(verbosity && { verbosity }), ...(truncation === 'auto' && { truncation }) });
}

/**
 * Bytes of each of the fields that the response repeats, up to which it does: a stream has them three times, and they
 * are made into JSON at once.
 */
const REPEATED = 1024 * 1024;

function isRepeated(body: CreateResponseDto, name: 'text' | 'tools'): boolean {
  return sourceBytes(body[name]) <= REPEATED;
}

/** The response before its first item. */
export function begunResponse(body: CreateResponseDto, requestId: string): ResponseObject {
  const { reasoning } = body;
  const text = isRepeated(body, 'text') ? body.text : undefined;
  return {
    id: `resp_${requestId}`,
    object: 'response',
    created_at: Math.floor(Date.now() / 1000),
    completed_at: null,
    status: 'in_progress',
    background: false,
    error: null,
    incomplete_details: null,
    instructions: hasText(body, 'instructions') && textBytes(body, 'instructions') <= REPEATED ? body.instructions! : null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: body.max_tool_calls ?? null,
    model: body.model,
    output: [],
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: body.previous_response_id ?? null,
    reasoning: { effort: reasoning?.effort ?? null, summary: reasoning?.summary ?? reasoning?.generate_summary ?? null },
    service_tier: 'default',
    store: false,
    temperature: body.temperature ?? null,
    text: { ...text, format: text?.format ?? { type: 'text' } },
    tool_choice: body.tool_choice ?? 'auto',
    tools: (isRepeated(body, 'tools') && body.tools?.map((tool) => declaredTool(tool))) || [],
    top_logprobs: body.top_logprobs ?? 0,
    top_p: body.top_p ?? null,
    truncation: 'disabled',
    usage: null,
    user: body.user ?? null,
    metadata: body.metadata ?? {},
    access_programs: null,
  };
}

export function responseUsage(usage: Usage): ResponseUsage {
  const { prompt_tokens, completion_tokens, total_tokens, prompt_tokens_details: prompt, completion_tokens_details: completion } = usage;
  return {
    input_tokens: prompt_tokens,
    input_tokens_details: { cached_tokens: prompt?.cached_tokens ?? 0, cache_write_tokens: prompt?.cache_creation_tokens ?? 0 },
    output_tokens: completion_tokens,
    output_tokens_details: { reasoning_tokens: completion?.reasoning_tokens ?? 0 },
    total_tokens,
  };
}

const codes: Partial<Record<ErrorBody['error']['code'], NonNullable<ResponseObject['error']>['code']>> = {
  rate_limit_exceeded: 'rate_limit_exceeded',
  context_length_exceeded: 'invalid_prompt',
  content_policy_violation: 'invalid_prompt',
  invalid_request: 'invalid_prompt',
};

/** The error of a response that has failed, in one of the words that the format has. */
export function responseError({ error: { code, message } }: ErrorBody): NonNullable<ResponseObject['error']> {
  return { code: codes[code] ?? 'server_error', message };
}

/** The response at its end. What is under way of its output ends with it. */
export function endOf(begun: ResponseObject, output: OutputItems, finish: FinishReason, usage: Usage): ResponseObject {
  const reason = finish === 'length' ? 'max_output_tokens' : finish === 'content_filter' ? 'content_filter' : undefined;
  const status = reason ? 'incomplete' : 'completed';
  output.end(status);
  return {
    ...begun,
    status,
    completed_at: reason ? null : Math.floor(Date.now() / 1000),
    incomplete_details: reason ? { reason } : null,
    output: output.items,
    service_tier: usage.service_tier ?? begun.service_tier,
    usage: responseUsage(usage),
  };
}
