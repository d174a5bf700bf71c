import {
  Checked,
  OptionalCount,
  OptionalFlag,
  OptionalInteger,
  OptionallyChecked,
  OptionalNumber,
  OptionalText,
  RequiredText,
  Unsupported,
} from '../http/requests/wire-fields.js';
import { MAX_TOKENS, type SamplingFields } from '../inference/sampling.js';
import type { Message, ResponseFormat, Tool, ToolChoice } from '../wire/chat-completion.js';
import { logitBiasProblem, stopProblem, type StreamOptions, streamOptionsProblem } from '../wire/sampling-shape.js';
import { messagesProblem } from './message-shape.js';
import { responseFormatProblem, toolChoiceProblem, toolsProblem } from './tool-shape.js';

/**
 * Body of POST /v1/chat/completions: the specification's fields in its order, then those of the wire format. The error
 * names the first wrong field in this order.
 */
export class CreateChatCompletionDto implements SamplingFields {
  @RequiredText(256)
  model: string;

  @Checked(messagesProblem)
  messages: Message[];

  @OptionalNumber(0, 2)
  temperature?: number | null;

  @OptionalInteger(1, MAX_TOKENS)
  max_tokens?: number | null;

  @OptionalFlag()
  stream?: boolean | null;

  @OptionallyChecked(toolsProblem)
  tools?: Tool[] | null;

  @OptionallyChecked<CreateChatCompletionDto>((choice, { tools }) => toolChoiceProblem(choice, tools))
  tool_choice?: ToolChoice | null;

  @OptionalFlag()
  parallel_tool_calls?: boolean | null;

  @OptionallyChecked(responseFormatProblem)
  response_format?: ResponseFormat | null;

  @OptionallyChecked(maxCompletionTokensProblem)
  @OptionalInteger(1, MAX_TOKENS)
  max_completion_tokens?: number | null;

  @OptionalCount()
  n?: number | null;

  @OptionallyChecked(stopProblem)
  stop?: string | string[] | null;

  @OptionalInteger(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
  seed?: number | null;

  @OptionalNumber(0, 1)
  top_p?: number | null;

  @OptionalNumber(-2, 2)
  presence_penalty?: number | null;

  @OptionalNumber(-2, 2)
  frequency_penalty?: number | null;

  @OptionallyChecked(logitBiasProblem)
  logit_bias?: Record<string, number> | null;

  @OptionalFlag()
  logprobs?: boolean | null;

  @OptionallyChecked(topLogprobsProblem)
  @OptionalInteger(0, 20)
  top_logprobs?: number | null;

  @OptionalText(512)
  user?: string | null;

  @OptionalText(64)
  reasoning_effort?: string | null;

  @OptionallyChecked<CreateChatCompletionDto>((options, { stream }) => streamOptionsProblem(options, stream))
  stream_options?: StreamOptions | null;

  @Unsupported('use tools')
  functions?: null;

  @Unsupported('use tool_choice')
  function_call?: null;

  @Unsupported('use messages')
  prompt?: null;

  @Unsupported('it belongs to the completions operation')
  suffix?: null;

  @Unsupported('it belongs to the completions operation')
  echo?: null;

  @Unsupported('it belongs to the completions operation')
  best_of?: null;

  extra?: Readonly<Record<string, unknown>>;
}

function maxCompletionTokensProblem(value: unknown, { max_tokens }: CreateChatCompletionDto): string | undefined {
  if (max_tokens === undefined || max_tokens === null || max_tokens === value) return undefined;
  return 'max_completion_tokens and max_tokens must be the same where both are given';
}

function topLogprobsProblem(_value: unknown, { logprobs }: CreateChatCompletionDto): string | undefined {
  return logprobs === true ? undefined : 'top_logprobs is only allowed when logprobs is true';
}
