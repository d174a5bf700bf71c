import { isObject } from './json-object.js';
import { listProblem } from './list-problem.js';

/** The parameters of sampling that are numbers, with the least and the most that the wire format takes. */
export const samplingNumbers = {
  temperature: [0, 2],
  top_p: [0, 1],
  seed: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  presence_penalty: [-2, 2],
  frequency_penalty: [-2, 2],
} as const;
export const samplingNumberNames = Object.keys(samplingNumbers) as readonly (keyof typeof samplingNumbers)[];

type SamplingNumbers = { readonly [Name in keyof typeof samplingNumbers]?: number };

/**
 * The canonical form is the OpenAI wire format without its envelope: `id`, `object`, `created` and `model` are promises
 * of the endpoint, which adds them. An absent field means the provider's default. Bounds are checked before a provider
 * sees a request.
 */
export interface Sampling extends SamplingNumbers {
  /** The client's model id. The vendor's own name is `ProviderCall.upstreamModel`. */
  readonly model: string;
  readonly stream: boolean;
  /** Choices to generate, at least 1. */
  readonly n: number;
  /** Tokens. The endpoint has already merged `max_completion_tokens` and the limit of the credits. */
  readonly max_tokens?: number;
  readonly stop?: readonly string[];
  readonly logit_bias?: Readonly<Record<string, number>>;
  readonly user?: string;
  /** Parameters that the specification does not know, as the client sent them; compatible providers forward them. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** Stop sequences of one request at most. The specification names no bound, and OpenAI's own is 4. */
const MAX_STOP_SEQUENCES = 16;
const MAX_STOP_LENGTH = 1_024;
const MAX_LOGIT_BIAS_ENTRIES = 1_024;

const sequenceSchema = { type: 'string', minLength: 1, maxLength: MAX_STOP_LENGTH };
export const stopSchema = { anyOf: [sequenceSchema, { type: 'array', maxItems: MAX_STOP_SEQUENCES, items: sequenceSchema }] };
export const logitBiasSchema = {
  propertyNames: { pattern: '^[0-9]{1,10}$' },
  additionalProperties: { type: 'number', minimum: -100, maximum: 100 },
  maxProperties: MAX_LOGIT_BIAS_ENTRIES,
};

/*
 * Each function returns what is wrong with a field that the client did send (not undefined, not null), beginning with
 * the field's path; or undefined.
 */

/** An array of strings (specification), or one string as the wire format allows. */
export function stopProblem(stop: unknown): string | undefined {
  if (Array.isArray(stop)) return listProblem(stop, 'stop', MAX_STOP_SEQUENCES, sequenceProblem);
  if (typeof stop !== 'string') return 'stop must be a string or an array of strings';
  const problem = sequenceProblem(stop);
  return problem && `stop${problem}`;
}

/** The same by Anthropic's name, where it is an array in any case. */
export const stopSequencesSchema = { maxItems: MAX_STOP_SEQUENCES, items: sequenceSchema };

export function stopSequencesProblem(sequences: unknown): string | undefined {
  if (!Array.isArray(sequences)) return 'stop_sequences must be an array of strings';
  return listProblem(sequences, 'stop_sequences', MAX_STOP_SEQUENCES, sequenceProblem);
}

function sequenceProblem(sequence: unknown): string | undefined {
  if (typeof sequence === 'string' && sequence !== '' && sequence.length <= MAX_STOP_LENGTH) return undefined;
  return ` must be a non-empty string of at most ${MAX_STOP_LENGTH} characters`;
}

/** Token ids to numbers from -100 to 100. */
export function logitBiasProblem(bias: unknown): string | undefined {
  if (!isObject(bias)) return 'logit_bias must be an object of token ids and numbers';
  const entries = Object.entries(bias);
  if (entries.length > MAX_LOGIT_BIAS_ENTRIES) return `logit_bias must have at most ${MAX_LOGIT_BIAS_ENTRIES} entries`;
  for (const [token, value] of entries) {
    if (!/^\d{1,10}$/.test(token)) return 'logit_bias must have token ids as keys';
    if (typeof value !== 'number' || value < -100 || value > 100) return 'logit_bias must have numbers from -100 to 100 as values';
  }
  return undefined;
}

export interface StreamOptions {
  /** Sends an event with the usage of the whole request before the end of the stream. */
  include_usage?: boolean | null;
}

export function streamOptionsProblem(options: unknown, stream: unknown): string | undefined {
  if (!isObject(options)) return 'stream_options must be an object';
  const { include_usage } = options;
  if (include_usage !== undefined && include_usage !== null && typeof include_usage !== 'boolean') {
    return 'stream_options.include_usage must be a boolean';
  }
  return stream === true ? undefined : 'stream_options is only allowed when stream is true';
}

/** Names of members of `stream_options` that are told in reports at most. */
const MAX_TOLD = 20;

/** What of `stream_options` no stream does: all but `include_usage` that is not switched off. */
export function unheardOptions(options: object | null | undefined): string[] {
  const asked = Object.entries(options ?? {}).filter(([name, value]) => name !== 'include_usage' && value != null && value !== false);
  return asked.slice(0, MAX_TOLD).map(([name]) => `stream_options.${name.slice(0, 100)}`);
}
