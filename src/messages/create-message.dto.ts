import {
  Checked,
  OptionalFlag,
  OptionalInteger,
  OptionallyChecked,
  OptionalNumber,
  RequiredInteger,
  RequiredText,
  Unsupported,
} from '../http/requests/wire-fields.js';
import { MAX_TOKENS } from '../inference/sampling.js';
import type {
  CacheControl,
  MessagesTool,
  MessagesToolChoice,
  OutputConfig,
  OutputFormat,
  ServerTool,
  TextBlockParam,
  ThinkingParam,
  TurnParam,
} from '../wire/anthropic-message.js';
import { stopSequencesProblem, stopSequencesSchema } from '../wire/sampling-shape.js';
import {
  formatProblem,
  metadataProblem,
  outputConfigProblem,
  thinkingProblem,
  toolChoiceProblem,
  toolsProblem,
  toolsSchema,
} from './tool-shape.js';
import { cacheControlProblem, systemProblem, turnsProblem, turnsSchema } from './turn-shape.js';

/** What the bodies of both addresses have. */
export class PromptFields {
  /** The id of a model, from the list of models. */
  @RequiredText(256)
  model: string;

  /** The conversation so far, oldest first. */
  @Checked(turnsProblem, { schema: turnsSchema })
  messages: TurnParam[];

  /** The system prompt. */
  @OptionallyChecked(systemProblem)
  system?: string | TextBlockParam[] | null;

  /** Tools of yours that the model may call, and tools that Anthropic runs or has declared. */
  @OptionallyChecked(toolsProblem, toolsSchema)
  tools?: (MessagesTool | ServerTool)[] | null;

  /** Whether the model may, must or must not call a tool, or which one it must call. */
  @OptionallyChecked<PromptFields>((choice, { tools }) => toolChoiceProblem(choice, tools))
  tool_choice?: MessagesToolChoice | null;

  /** How deep the model thinks, and the form of its answer. */
  @OptionallyChecked(outputConfigProblem)
  output_config?: OutputConfig | null;

  /** The older name of `output_config.format`. */
  @OptionallyChecked((format) => formatProblem(format, 'output_format'))
  output_format?: OutputFormat | null;

  /** A mark of prompt caching behind all that is sent. */
  @OptionallyChecked(cacheControlProblem)
  cache_control?: CacheControl | null;

  /** Whether the model thinks before it answers, and with how many tokens of `max_tokens`. */
  @OptionallyChecked<PromptFields & { max_tokens?: unknown }>((thinking, { max_tokens }) => thinkingProblem(thinking, max_tokens))
  thinking?: ThinkingParam | null;
}

/** Body of POST /v1/messages. */
export class CreateMessageDto extends PromptFields {
  /** Tokens that the answer may have at most, with those of its thinking. */
  @RequiredInteger(1, MAX_TOKENS)
  max_tokens: number;

  /** Sends the answer as server-sent events, from `message_start` to `message_stop`. */
  @OptionalFlag()
  stream?: boolean | null;

  /** Higher is more random. Absent: the model's default. */
  @OptionalNumber(0, 1)
  temperature?: number | null;

  /** Only the most likely tokens that together have this probability are considered. */
  @OptionalNumber(0, 1)
  top_p?: number | null;

  /** Only so many of the most likely tokens are considered. */
  @OptionalInteger(0, MAX_TOKENS)
  top_k?: number | null;

  /** Texts before which the answer ends. */
  @OptionallyChecked(stopSequencesProblem, stopSequencesSchema)
  stop_sequences?: string[] | null;

  /** A name of your own user, for the provider. */
  @OptionallyChecked(metadataProblem)
  metadata?: { user_id?: string | null } | null;

  /** Whether the provider may answer at a better service tier, where the operator has one. */
  @OptionallyChecked(serviceTierProblem)
  service_tier?: 'auto' | 'standard_only' | null;

  /** By the code of the refusal Anthropic's clients know that they are to send the whole conversation each time. */
  @Unsupported('send the whole conversation with each request', 'thread_unsupported_request')
  thread?: null;

  extra?: Readonly<Record<string, unknown>>;
}

/** Body of POST /v1/messages/count_tokens. */
export class CountTokensDto extends PromptFields {}

function serviceTierProblem(tier: unknown): string | undefined {
  return tier === 'auto' || tier === 'standard_only' ? undefined : "service_tier must be 'auto' or 'standard_only'";
}
