import type { GenerationRequest } from '../../../wire/generation.js';
import type { Language } from '../language/language.js';
import type { Pacer } from '../pacer.js';
import type { ChoiceDeltas } from './choice-delta.js';
import type { SamplingPlan } from './sampling-plan.js';
import type { SchemaInstances } from './schema-instances.js';

/** One request and all that it takes to answer it. */
export interface ResponseTask<Request extends GenerationRequest> {
  readonly request: Request;
  readonly language: Language;
  readonly sampling: SamplingPlan;
  readonly schemas: SchemaInstances;
  /** The longest prompt and output together, in tokens. */
  readonly contextLength: number;
  /** The most tokens that one choice may have, whatever the request asks for. */
  readonly maxTokens: number;
  /** Whether the model thinks before it answers: always, or where the request asks for it. */
  readonly reasoning: 'always' | 'asked' | 'never';
  /** Whether the images of a prompt count as tokens of their own. */
  readonly countsImages: boolean;
  readonly pacer: Pacer;
  readonly signal: AbortSignal;
}

/** What a model makes of every request. */
export type ResponseLimits = Pick<ResponseTask<GenerationRequest>, 'contextLength' | 'maxTokens' | 'reasoning' | 'countsImages'>;

/** A response whose choices are generated while they are written. */
export interface SandboxResponse {
  readonly promptTokens: number;
  /** Those of them that images count. */
  readonly imageTokens?: number;
  /** Whether the model reasons, so that its usage says how much. */
  readonly reasons?: boolean;
  /** The deltas of each choice. */
  readonly choices: readonly ChoiceDeltas[];
  /** Whether the choices are tool calls instead of text. */
  readonly callsTools: boolean;
}

/**
 * How many tokens one choice may have: what the request asks for, but no more than the model's limit or what the prompt
 * leaves of the context.
 */
export function outputLimit(task: ResponseTask<GenerationRequest>, promptTokens: number, byDefault = Infinity): number {
  return Math.min(task.request.max_tokens ?? byDefault, task.maxTokens, task.contextLength - promptTokens);
}
