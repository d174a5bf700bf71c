import type { CompletionEnvelope } from '../inference/chunks/completion-envelope.js';
import { samplingOf } from '../inference/sampling.js';
import type {
  AssistantMessage,
  ChatCompletion,
  ChatLogprobs,
  ClientDelta,
  CustomToolCall,
  CustomToolCallDelta,
  Delta,
  FinishReason,
  ToolCall,
  ToolCallDelta,
} from '../wire/chat-completion.js';
import type { ChatGenerationRequest, GenerationChunk } from '../wire/generation.js';
import { usageOf } from '../wire/usage.js';
import type { ClientCalls } from './client-calls.js';
import { canonicalMessages } from './client-messages.js';
import { canonicalTools } from './client-tools.js';
import type { CreateChatCompletionDto } from './create-chat-completion.dto.js';

export function chatRequest(body: CreateChatCompletionDto): ChatGenerationRequest {
  return {
    ...samplingOf(body),
    operation: 'chat',
    n: body.n ?? 1,
    messages: canonicalMessages(body.messages),
    max_tokens: body.max_completion_tokens ?? body.max_tokens ?? undefined,
    ...canonicalTools(body),
    response_format: body.response_format ?? undefined,
    logprobs: body.logprobs ?? undefined,
    top_logprobs: body.top_logprobs ?? undefined,
    reasoning_effort: body.reasoning_effort ?? undefined,
  };
}

/**
 * @param whole all chunks of the generation, merged by `accumulate`
 * @param calls tells the calls of the answer as the client reads them
 */
export function chatCompletion({ id, created, model }: CompletionEnvelope, whole: GenerationChunk, calls?: ClientCalls): ChatCompletion {
  return {
    id,
    object: 'chat.completion',
    created,
    model,
    choices: whole.choices.map(({ index, delta, logprobs, finish_reason }) => ({
      index,
      message: messageOf(calls ? wholeDelta(calls, index, delta ?? {}) : (delta ?? {})),
      logprobs: (logprobs as ChatLogprobs | null | undefined) ?? null,
      finish_reason: calls ? calls.reason(finish_reason as FinishReason) : (finish_reason as FinishReason),
    })),
    usage: whole.usage ?? usageOf(0, 0),
    ...whole.extra,
  };
}

function wholeDelta(calls: ClientCalls, choice: number, delta: Delta): ClientDelta {
  const told = calls.delta(choice, delta) ?? {};
  // The arguments of a call of another form than was asked for.
  for (const { index, custom } of calls.end(choice)?.tool_calls?.filter(isCustom) ?? []) {
    const call = told.tool_calls?.filter(isCustom).find((one) => one.index === index);
    if (call) call.custom.input += custom.input;
  }
  return told;
}

function messageOf({
  role: _role,
  hosted_items: _parts,
  content,
  refusal,
  tool_calls,
  function_call,
  ...more
}: ClientDelta): AssistantMessage {
  const calls = tool_calls?.length ? tool_calls.map(toolCallOf) : undefined;
  const { reasoning_content } = more;
  return {
    role: 'assistant',
    content: content ?? (calls || function_call || refusal ? null : ''),
    refusal: refusal ?? null,
    ...(calls && { tool_calls: calls }),
    ...(function_call && { function_call: { name: function_call.name ?? '', arguments: function_call.arguments ?? '' } }),
    ...more,
    ...(reasoning_content !== undefined && { reasoning: reasoning_content }),
  };
}

function isCustom(call: ToolCallDelta | CustomToolCallDelta): call is CustomToolCallDelta {
  return 'custom' in call;
}

function toolCallOf(call: ToolCallDelta | CustomToolCallDelta): ToolCall | CustomToolCall {
  if (isCustom(call)) return { id: call.id ?? '', type: 'custom', custom: { name: call.custom.name ?? '', input: call.custom.input } };
  const { id, function: called, extra_content } = call;
  return {
    id: id ?? '',
    type: 'function',
    function: { name: called?.name ?? '', arguments: called?.arguments ?? '' },
    ...(extra_content !== undefined && { extra_content }),
  };
}
