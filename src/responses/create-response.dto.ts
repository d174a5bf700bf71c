import {
  Checked,
  OptionalFlag,
  OptionalInteger,
  OptionallyChecked,
  OptionalNumber,
  OptionalText,
  RequiredText,
  Unsupported,
} from '../http/requests/wire-fields.js';
import { MAX_TOKENS } from '../inference/sampling.js';
import { isObject } from '../wire/json-object.js';
import type { InputItem } from '../wire/response-input.js';
import type { ReasoningSettings, ResponseTool, ResponseToolChoice, TextSettings } from '../wire/response-tool.js';
import { inputProblem, inputSchema } from './input-shape.js';
import {
  includeProblem,
  includeSchema,
  metadataProblem,
  metadataSchema,
  reasoningProblem,
  textProblem,
  toolChoiceProblem,
  toolsProblem,
  toolsSchema,
} from './tool-shape.js';

/**
 * Body of POST /v1/responses. The error names the first wrong field in this order. What needs a store is refused by
 * `ResponseKeeping`, and what needs a hosted tool by the mapping, or by the plan of a provider that has none: all name it.
 */
export class CreateResponseDto {
  /** The id of a model, from the list of models. */
  @RequiredText(256)
  model: string;

  /** The conversation so far: a text of the user, or items, oldest first. */
  @Checked(inputProblem, { schema: inputSchema })
  input: string | InputItem[];

  /** What the model is told before the conversation. */
  @OptionallyChecked(instructionsProblem)
  instructions?: string | null;

  /** Tokens that the answer may have at most, with those of its reasoning. Absent: as many as the model can generate. */
  @OptionalInteger(1, MAX_TOKENS)
  max_output_tokens?: number | null;

  /** Sends the answer as server-sent events, the last of which is `response.completed`, or says why it is not. */
  @OptionalFlag()
  stream?: boolean | null;

  /** Higher is more random. Absent: the model's default. */
  @OptionalNumber(0, 2)
  temperature?: number | null;

  /** Only the most likely tokens that together have this probability are considered. */
  @OptionalNumber(0, 1)
  top_p?: number | null;

  /** Functions and custom tools that the model may call, and hosted tools where the provider has them. */
  @OptionallyChecked(toolsProblem, toolsSchema)
  tools?: ResponseTool[] | null;

  /** Whether the model may, must or must not call a tool, which one it must call, or which ones it may. */
  @OptionallyChecked<CreateResponseDto>((choice, { tools }) => toolChoiceProblem(choice, tools))
  tool_choice?: ResponseToolChoice | null;

  /** Whether the model may call several tools at once. */
  @OptionalFlag()
  parallel_tool_calls?: boolean | null;

  /** The form of the answer: text, any JSON object, or JSON of a schema. */
  @OptionallyChecked(textProblem)
  text?: TextSettings | null;

  /** How long the model thinks before it answers, in the words of its vendor, and whether its reasoning is summed up. */
  @OptionallyChecked(reasoningProblem)
  reasoning?: ReasoningSettings | null;

  /** What the answer has beside its text: `reasoning.encrypted_content`, `message.output_text.logprobs`. */
  @OptionallyChecked(includeProblem, includeSchema)
  include?: string[] | null;

  /** For each token, as many of the most likely ones, where `include` has `message.output_text.logprobs`. */
  @OptionalInteger(0, 20)
  top_logprobs?: number | null;

  /** Notes of your own, which the answer repeats. */
  @OptionallyChecked(metadataProblem, metadataSchema)
  metadata?: Record<string, string> | null;

  /** A prompt that is too long is refused; `auto` cuts nothing either. */
  @OptionallyChecked(truncationProblem, { enum: ['auto', 'disabled', null] })
  truncation?: 'auto' | 'disabled' | null;

  /** Calls of hosted tools at most: 20 of each kind where it is absent, and never more than 128. */
  @OptionalInteger(1, Number.MAX_SAFE_INTEGER)
  max_tool_calls?: number | null;

  /** A name of your own user, for the provider. */
  @OptionalText(512)
  user?: string | null;

  /** Whether the response is stored. Absent: it is where the operator keeps responses. */
  @OptionalFlag()
  store?: boolean | null;

  /** Only with `stream`. */
  @OptionallyChecked<CreateResponseDto>(streamOptionsProblem)
  stream_options?: { include_obfuscation?: boolean | null } | null;

  /** A response that is stored: its conversation comes before the input. Its instructions are not carried over. */
  @OptionalText(256)
  previous_response_id?: string | null;

  @OptionallyChecked(conversationProblem)
  conversation?: string | { id: string } | null;

  /** Answers at once; the response is to be asked for by its id until it has ended. Only where responses are stored. */
  @OptionalFlag()
  background?: boolean | null;

  @Unsupported('send instructions and input')
  prompt?: null;

  @Unsupported('send a conversation that fits into the context of the model')
  context_management?: null;

  extra?: Readonly<Record<string, unknown>>;
}

function instructionsProblem(instructions: unknown): string | undefined {
  return typeof instructions === 'string' ? undefined : 'instructions must be a string';
}

function truncationProblem(truncation: unknown): string | undefined {
  return truncation === 'auto' || truncation === 'disabled' ? undefined : 'truncation must be one of auto, disabled';
}

function streamOptionsProblem(options: unknown, { stream }: CreateResponseDto): string | undefined {
  if (!isObject(options)) return 'stream_options must be an object';
  return stream === true ? undefined : 'stream_options is only allowed when stream is true';
}

function conversationProblem(conversation: unknown): string | undefined {
  const id = isObject(conversation) ? conversation['id'] : conversation;
  return typeof id === 'string' && id.length <= 256
    ? undefined
    : 'conversation must be an id of at most 256 characters, or an object with one';
}
