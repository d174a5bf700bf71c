import type { Integer } from './integer.js';
import type { Sampling } from './sampling-shape.js';

/** The parameters of sampling, which these operations do not have. */
type NoSampling = Readonly<Partial<Record<Exclude<keyof Sampling, 'model' | 'stream' | 'n' | 'user' | 'extra'>, undefined>>>;

/**
 * What upstream calls have in common that generate no text: the model reads each of several inputs by itself. Bounds are
 * checked before a provider sees it: it has no more inputs than the model says that a call may have.
 */
export interface InputsRequest extends NoSampling {
  /** The client's model id. The vendor's own name is `ProviderCall.upstreamModel`. */
  readonly model: string;
  /** At least one, and none of them empty: texts, or where the model takes them arrays of token ids. */
  readonly input: readonly (string | readonly Integer[])[];
  readonly user?: string;
  /** Parameters that the wire format does not know, as the client sent them; compatible providers forward them. */
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly stream: false;
  readonly n: 1;
}
