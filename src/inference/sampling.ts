import { ApiError } from '../common/api-error.js';
import type { GenerationRequest } from '../wire/generation.js';
import { samplingNumberNames, type samplingNumbers } from '../wire/sampling-shape.js';

/** Upper bound of max_tokens: far beyond any model, and within a 32-bit integer. */
export const MAX_TOKENS = 2 ** 31 - 1;

/** The fields that the bodies of both operations have; null counts as absent. */
export interface SamplingFields extends Partial<Record<keyof typeof samplingNumbers, number | null>> {
  model: string;
  stream?: boolean | null;
  stop?: string | string[] | null;
  logit_bias?: Record<string, number> | null;
  user?: string | null;
  /** Fields that the wire format does not know. */
  extra?: Readonly<Record<string, unknown>>;
}

export function samplingOf(body: SamplingFields): Pick<GenerationRequest, keyof SamplingFields> {
  const { stop } = body;
  const sampling: { -readonly [Name in keyof SamplingFields]: GenerationRequest[Name] } & Pick<GenerationRequest, 'model' | 'stream'> = {
    model: body.model,
    stream: body.stream === true,
    stop: typeof stop === 'string' ? [stop] : stop?.length ? stop : undefined,
    logit_bias: body.logit_bias ?? undefined,
    user: body.user ?? undefined,
    extra: body.extra,
  };
  for (const name of samplingNumberNames) sampling[name] = body[name] ?? undefined;
  return sampling;
}

/** @throws ApiError 400 invalid_request when a request asks for more choices than the operator allows */
export function requireFewChoices(choices: number, max: number): void {
  if (choices <= max) return;
  throw new ApiError(
    'invalid_request',
    `n is too large: a request may ask for ${max} choices at most, all prompts together, and this one asks for ${choices}`,
  );
}
