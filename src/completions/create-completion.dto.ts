import { fixedErrors } from '../common/api-error.js';
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
import { areTokenIds, tokenIdsSchema } from '../wire/token-ids.js';
import { MAX_TOKENS, type SamplingFields } from '../inference/sampling.js';
import {
  logitBiasProblem,
  logitBiasSchema,
  samplingNumbers,
  stopProblem,
  stopSchema,
  type StreamOptions,
  streamOptionsProblem,
} from '../wire/sampling-shape.js';

/** Characters. A prompt has no such bound; the size of the body limits it. */
const MAX_SUFFIX = 1_000_000;

const textSchema = { type: 'string', minLength: 1 };
const several = { type: 'array', minItems: 1 };
const promptSchema = {
  anyOf: [textSchema, { ...several, items: textSchema }, tokenIdsSchema, { ...several, items: tokenIdsSchema }],
};

/**
 * Body of POST /v1/completions: the specification's fields in its order, then those of the wire format. The error names
 * the first wrong field in this order.
 */
export class CreateCompletionDto implements SamplingFields {
  /** The id of a model that supports the completions operation. */
  @RequiredText(256)
  model: string;

  /**
   * One prompt, or several. Each gets `n` choices. Where the model takes token ids, a prompt may be an array of them.
   */
  @Checked(promptProblem, { error: fixedErrors.invalidPrompt, schema: promptSchema })
  prompt: string | string[] | number[] | number[][];

  /** The text that follows the completion, for inserting text. */
  @OptionalText(MAX_SUFFIX)
  suffix?: string | null;

  /** Returns the prompt as well as the completion. */
  @OptionalFlag()
  echo?: boolean | null;

  /** Generates so many completions and returns the best `n` of them. Not with `stream`; must be greater than `n`. */
  @OptionallyChecked(bestOfProblem)
  @OptionalCount()
  best_of?: number | null;

  /** The answer has the log probabilities of so many of the most likely tokens. */
  @OptionalInteger(0, 5)
  logprobs?: number | null;

  /** Choices for each prompt. The operator sets how many a request may ask for. */
  @OptionalCount()
  n?: number | null;

  /** Higher is more random. Absent: the model's default. */
  @OptionalNumber(...samplingNumbers.temperature)
  temperature?: number | null;

  /** Tokens that a choice may have at most. Absent: as many as the model can generate. */
  @OptionalInteger(0, MAX_TOKENS)
  max_tokens?: number | null;

  /** Texts before which the completion ends. */
  @OptionallyChecked(stopProblem, stopSchema)
  stop?: string | string[] | null;

  /** Sends the answer as server-sent events; the last is `data: [DONE]`. */
  @OptionalFlag()
  stream?: boolean | null;

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

  /** A name of your own user, for the provider. */
  @OptionalText(512)
  user?: string | null;

  /** Only with `stream`. */
  @OptionallyChecked<CreateCompletionDto>((options, { stream }) => streamOptionsProblem(options, stream))
  stream_options?: StreamOptions | null;

  @Unsupported('use max_tokens')
  max_completion_tokens?: null;

  @Unsupported('use prompt')
  messages?: null;

  @Unsupported('it belongs to the chat completions operation')
  tools?: null;

  @Unsupported('it belongs to the chat completions operation')
  tool_choice?: null;

  @Unsupported('it belongs to the chat completions operation')
  response_format?: null;

  extra?: Readonly<Record<string, unknown>>;
}

function promptProblem(prompt: unknown): string | undefined {
  const given = Array.isArray(prompt) ? prompt.length > 0 && (areTexts(prompt) || areIds(prompt)) : isText(prompt);
  return given ? undefined : 'prompt must be a non-empty string or a non-empty array of non-empty strings';
}

/** One prompt of token ids, or several. */
function areIds(prompt: readonly unknown[]): boolean {
  return isIds(prompt) || prompt.every(isIds);
}

function isIds(prompt: unknown): boolean {
  return Array.isArray(prompt) && areTokenIds(prompt);
}

function areTexts(prompts: readonly unknown[]): boolean {
  return prompts.every(isText);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

/** `best_of: 1` for one choice is the default and accepted. */
function bestOfProblem(bestOf: unknown, { n, stream }: CreateCompletionDto): string | undefined {
  const choices = n ?? 1;
  if (bestOf === 1 && choices === 1) return undefined;
  if (typeof choices === 'number' && (bestOf as number) <= choices) return 'best_of must be greater than n';
  return stream === true ? 'best_of cannot be combined with stream' : undefined;
}
