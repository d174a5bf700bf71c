import { ApiError } from '../common/api-error.js';
import type { GenerationRequest } from '../wire/generation.js';

/** Upper bound of max_tokens: far beyond any model, and within a 32-bit integer. */
export const MAX_TOKENS = 2 ** 31 - 1;

/** The fields that the bodies of both operations have; null counts as absent. */
export interface SamplingFields {
  model: string;
  stream?: boolean | null;
  temperature?: number | null;
  top_p?: number | null;
  stop?: string | string[] | null;
  seed?: number | null;
  presence_penalty?: number | null;
  frequency_penalty?: number | null;
  logit_bias?: Record<string, number> | null;
  user?: string | null;
  /** Fields that the wire format does not know. */
  extra?: Readonly<Record<string, unknown>>;
}

export function samplingOf(body: SamplingFields): Pick<GenerationRequest, keyof SamplingFields> {
  const { stop } = body;
  return {
    model: body.model,
    stream: body.stream === true,
    temperature: body.temperature ?? undefined,
    top_p: body.top_p ?? undefined,
    stop: typeof stop === 'string' ? [stop] : stop?.length ? stop : undefined,
    seed: body.seed ?? undefined,
    presence_penalty: body.presence_penalty ?? undefined,
    frequency_penalty: body.frequency_penalty ?? undefined,
    logit_bias: body.logit_bias ?? undefined,
    user: body.user ?? undefined,
    extra: body.extra,
  };
}

/** @throws ApiError 400 invalid_request when a request asks for more choices than the operator allows */
export function requireFewChoices(choices: number, max: number): void {
  if (choices <= max) return;
  throw new ApiError(
    'invalid_request',
    `n is too large: a request may ask for ${max} choices at most, all prompts together, and this one asks for ${choices}`,
  );
}
