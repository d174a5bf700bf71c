import type { CacheBreakpoint } from '../../config/provider.schema.js';
import type { GenerationRequest, InferenceRequest, OverInputs } from '../../wire/generation.js';

/** What one client call asks for: generations that differ in their prompts only, or one over inputs. */
export type InferenceRequests = readonly [GenerationRequest, ...GenerationRequest[]] | readonly [OverInputs];

/** One of the provider calls that a client's request takes. */
export interface UpstreamCall {
  readonly request: InferenceRequest;
  /** The client's index for the first choice, or the first input, of this call. */
  readonly firstIndex: number;
  /** UTF-8 bytes of the prompt's text: all that the model reads for certain. */
  readonly promptBytes: number;
  /** Those of them that declare tools. */
  readonly toolBytes?: number;
  /** Upper bound of the prompt tokens, derived from all that is passed on. */
  readonly promptBound: number;
  /** Text that the gateway puts before each choice, because the provider does not support echo. */
  readonly echo?: string;
  /** Where the gateway has marked it for the provider's cache. */
  readonly breakpoints?: readonly CacheBreakpoint[];
  /** The client's name of each function that the provider knows by another one, by that. */
  readonly functionNames?: ReadonlyMap<string, string>;
}
