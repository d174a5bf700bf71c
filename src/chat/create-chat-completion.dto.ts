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
import type { ResponseFormat } from '../wire/chat-completion.js';
import {
  logitBiasProblem,
  logitBiasSchema,
  samplingNumbers,
  stopProblem,
  stopSchema,
  type StreamOptions,
  streamOptionsProblem,
} from '../wire/sampling-shape.js';
import type { ClientMessage } from './client-messages.js';
import type { ClientTool, ClientToolChoice, LegacyFunction, LegacyFunctionCall } from './client-tools.js';
import { messagesProblem, messagesSchema } from './message-shape.js';
import {
  functionCallProblem,
  functionsProblem,
  responseFormatProblem,
  toolChoiceProblem,
  toolsProblem,
  toolsSchema,
} from './tool-shape.js';

/**
 * Body of POST /v1/chat/completions: the specification's fields in its order, then those of the wire format. The error
 * names the first wrong field in this order.
 */
export class CreateChatCompletionDto implements SamplingFields {
  /** The id of a model, from the list of models. */
  @RequiredText(256)
  model: string;

  /** The conversation so far, oldest first. */
  @Checked(messagesProblem, { schema: messagesSchema })
  messages: ClientMessage[];

  /** Higher is more random. Absent: the model's default. */
  @OptionalNumber(...samplingNumbers.temperature)
  temperature?: number | null;

  /** Tokens that a choice may have at most. Absent: as many as the model can generate. */
  @OptionalInteger(1, MAX_TOKENS)
  max_tokens?: number | null;

  /** Sends the answer as server-sent events, each with a `chat.completion.chunk`; the last is `data: [DONE]`. */
  @OptionalFlag()
  stream?: boolean | null;

  /** Functions that the model may call, and custom tools, whose input is free text. */
  @OptionallyChecked(toolsProblem, toolsSchema)
  tools?: ClientTool[] | null;

  /** Whether the model may, must or must not call a tool, which one it must call, or which ones it may. */
  @OptionallyChecked<CreateChatCompletionDto>((choice, { tools }) => toolChoiceProblem(choice, tools))
  tool_choice?: ClientToolChoice | null;

  /** Whether the model may call several functions at once. */
  @OptionalFlag()
  parallel_tool_calls?: boolean | null;

  /** The form of the answer: text, any JSON object, or JSON of a schema. */
  @OptionallyChecked(responseFormatProblem)
  response_format?: ResponseFormat | null;

  /** Another name of `max_tokens`. Where both are given they must be the same. */
  @OptionallyChecked(maxCompletionTokensProblem)
  @OptionalInteger(1, MAX_TOKENS)
  max_completion_tokens?: number | null;

  /** Choices to generate. The operator sets how many a request may ask for. */
  @OptionalCount()
  n?: number | null;

  /** Texts before which the answer ends. */
  @OptionallyChecked(stopProblem, stopSchema)
  stop?: string | string[] | null;

  /** Asks for the same answer to the same request, as far as the model can. */
  @OptionalInteger(...samplingNumbers.seed)
  seed?: number | null;

  /** Only the most likely tokens that together have this probability are considered. */
  @OptionalNumber(...samplingNumbers.top_p)
  top_p?: number | null;

  /** Makes tokens less likely that are in the text already. */
  @OptionalNumber(...samplingNumbers.presence_penalty)
  presence_penalty?: number | null;

  /** Makes tokens less likely the more often they are in the text already. */
  @OptionalNumber(...samplingNumbers.frequency_penalty)
  frequency_penalty?: number | null;

  /** Token ids, with what is added to their logits. */
  @OptionallyChecked(logitBiasProblem, logitBiasSchema)
  logit_bias?: Record<string, number> | null;

  /** Whether the answer has the log probabilities of its tokens. */
  @OptionalFlag()
  logprobs?: boolean | null;

  /** For each token, as many of the most likely ones. Only with `logprobs`. */
  @OptionallyChecked(topLogprobsProblem)
  @OptionalInteger(0, 20)
  top_logprobs?: number | null;

  /** A name of your own user, for the provider. */
  @OptionalText(512)
  user?: string | null;

  /** How long the model thinks before it answers, in the words of its vendor, such as `low`. */
  @OptionalText(64)
  reasoning_effort?: string | null;

  /** Only with `stream`. */
  @OptionallyChecked<CreateChatCompletionDto>((options, { stream }) => streamOptionsProblem(options, stream))
  stream_options?: StreamOptions | null;

  /** Functions of the format before `tools`; the answer calls one at most, in `function_call`. */
  @OptionallyChecked<CreateChatCompletionDto>((functions, { tools }) => functionsProblem(functions, tools), toolsSchema)
  functions?: LegacyFunction[] | null;

  /** What `tool_choice` is for `functions`. */
  @OptionallyChecked<CreateChatCompletionDto>((choice, { functions }) => functionCallProblem(choice, functions))
  function_call?: LegacyFunctionCall | null;

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
