import type { Offer } from '../../catalogue/offer.js';
import type { ModelProvider, ProviderCall } from '../../providers/contract/model-provider.js';
import type { GenerationChunk } from '../../wire/generation.js';
import type { UpstreamCall } from '../planning/upstream-call.js';

export interface OverInputsTerms {
  /** Whether the operator wants what an offer does not support to be refused instead of being dropped. */
  readonly strict: boolean;
  /** Called with each parameter that is dropped. */
  readonly dropped: (parameter: string) => void;
  /** Whether the offer's provider is not the one that is asked, as with test keys. */
  readonly unpaid: boolean;
}

/** How the pipeline has one operation answered that is over inputs. */
export interface OverInputsOperation<Request> {
  /**
   * The upstream calls of one client request: as few as its provider's limits allow. They are held and settled together,
   * and `firstIndex` is the index of the first input of each.
   * @throws ApiError 400
   */
  plan(offer: Offer, request: Request, terms: OverInputsTerms): UpstreamCall[];
  /**
   * The answer to one call as the pipeline meters it: one choice that has ended, without output tokens.
   * @throws ProviderError (rejects)
   */
  ask(request: Request, provider: ModelProvider, call: ProviderCall, offer: Offer): Promise<GenerationChunk>;
  /** Bytes that an answer keeps until it has been written to the client. */
  bytesOf(answer: GenerationChunk): number;
}
