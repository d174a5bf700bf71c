import type { CompletionEnvelope } from '../inference/chunks/completion-envelope.js';
import { samplingOf } from '../inference/sampling.js';
import type {
  AssistantMessage,
  ChatCompletion,
  ChatLogprobs,
  Delta,
  FinishReason,
  ToolCall,
  ToolCallDelta,
} from '../wire/chat-completion.js';
import type { ChatGenerationRequest, GenerationChunk } from '../wire/generation.js';
import { usageOf } from '../wire/usage.js';
import type { CreateChatCompletionDto } from './create-chat-completion.dto.js';

export function chatRequest(body: CreateChatCompletionDto): ChatGenerationRequest {
  const tools = body.tools?.length ? body.tools : undefined;
  return {
    ...samplingOf(body),
    operation: 'chat',
    n: body.n ?? 1,
    messages: body.messages,
    max_tokens: body.max_completion_tokens ?? body.max_tokens ?? undefined,
    tools,
    tool_choice: (tools && body.tool_choice) ?? undefined,
    parallel_tool_calls: (tools && body.parallel_tool_calls) ?? undefined,
    response_format: body.response_format ?? undefined,
    logprobs: body.logprobs ?? undefined,
    top_logprobs: body.top_logprobs ?? undefined,
    reasoning_effort: body.reasoning_effort ?? undefined,
  };
}

/** @param whole all chunks of the generation, merged by `accumulate` */
export function chatCompletion({ id, created, model }: CompletionEnvelope, whole: GenerationChunk): ChatCompletion {
  return {
    id,
    object: 'chat.completion',
    created,
    model,
    choices: whole.choices.map(({ index, delta, logprobs, finish_reason }) => ({
      index,
      message: messageOf(delta ?? {}),
      logprobs: (logprobs as ChatLogprobs | null | undefined) ?? null,
      finish_reason: finish_reason as FinishReason,
    })),
    usage: whole.usage ?? usageOf(0, 0),
  };
}

function messageOf({ role: _role, content, refusal, tool_calls, ...more }: Delta): AssistantMessage {
  const calls = tool_calls?.length ? tool_calls.map(toolCallOf) : undefined;
  return {
    role: 'assistant',
    content: content ?? (calls || refusal ? null : ''),
    refusal: refusal ?? null,
    ...(calls && { tool_calls: calls }),
    ...more,
  };
}

function toolCallOf({ id, function: called, extra_content }: ToolCallDelta): ToolCall {
  return {
    id: id ?? '',
    type: 'function',
    function: { name: called?.name ?? '', arguments: called?.arguments ?? '' },
    ...(extra_content !== undefined && { extra_content }),
  };
}
