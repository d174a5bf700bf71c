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
import { hasLongTexts, hasSomeText } from '../json/long-text.js';
import { MAX_TOKENS, type SamplingFields } from '../inference/sampling.js';
import { logitBiasProblem, stopProblem, type StreamOptions, streamOptionsProblem } from '../wire/sampling-shape.js';

/** Characters. A prompt has no such bound; the size of the body limits it. */
const MAX_SUFFIX = 1_000_000;

/**
 * Body of POST /v1/completions: the specification's fields in its order, then those of the wire format. The error names
 * the first wrong field in this order.
 */
export class CreateCompletionDto implements SamplingFields {
  @RequiredText(256)
  model: string;

  @Checked(promptProblem, fixedErrors.invalidPrompt)
  prompt: string | string[];

  @OptionalText(MAX_SUFFIX)
  suffix?: string | null;

  @OptionalFlag()
  echo?: boolean | null;

  @OptionallyChecked(bestOfProblem)
  @OptionalCount()
  best_of?: number | null;

  @OptionalInteger(0, 5)
  logprobs?: number | null;

  @OptionalCount()
  n?: number | null;

  @OptionalNumber(0, 2)
  temperature?: number | null;

  @OptionalInteger(0, MAX_TOKENS)
  max_tokens?: number | null;

  @OptionallyChecked(stopProblem)
  stop?: string | string[] | null;

  @OptionalFlag()
  stream?: boolean | null;

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

  @OptionalText(512)
  user?: string | null;

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
  const given = Array.isArray(prompt) ? prompt.length > 0 && areTexts(prompt) : isText(prompt);
  return given ? undefined : 'prompt must be a non-empty string or a non-empty array of non-empty strings';
}

function areTexts(prompts: readonly unknown[]): boolean {
  if (!hasLongTexts(prompts)) return prompts.every(isText);
  for (let index = 0; index < prompts.length; index++) if (!hasSomeText(prompts, `${index}`)) return false;
  return true;
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
