import type { GenerationRequest } from '../../../wire/generation.js';
import type { Language } from '../language/language.js';
import type { Pacer } from '../pacer.js';
import type { Pieces } from './piece.js';
import type { SamplingPlan } from './sampling-plan.js';
import type { SchemaInstances } from './schema-instances.js';

/** What it takes to answer one request. */
export interface AnswerTask<Request extends GenerationRequest> {
  readonly request: Request;
  readonly language: Language;
  readonly sampling: SamplingPlan;
  readonly schemas: SchemaInstances;
  /** Tokens, prompt and answer together. */
  readonly contextLength: number;
  /** Tokens of one choice at most, whatever is asked for. */
  readonly maxTokens: number;
  readonly pacer: Pacer;
  readonly signal: AbortSignal;
}

/** An answer that is ready to be written. */
export interface Answer {
  readonly promptTokens: number;
  /** One for each choice. */
  readonly choices: readonly Pieces[];
  /** The choices are tool calls, not text. */
  readonly callsTools: boolean;
}

/** Tokens that one choice may have: what was asked for, within the model's limit and what the prompt leaves of the context. */
export function outputLimit(task: AnswerTask<GenerationRequest>, promptTokens: number, byDefault = Infinity): number {
  return Math.min(task.request.max_tokens ?? byDefault, task.maxTokens, task.contextLength - promptTokens);
}
