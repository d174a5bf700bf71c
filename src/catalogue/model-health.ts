import type { ModelStatus } from '../wire/model.js';
import type { Offer } from './offer.js';

/** The port through which the catalogue asks how an offer's traffic goes. Whoever routes the requests provides it. */
export abstract class ModelHealth {
  /** Undefined while nothing is known against the offer. */
  abstract statusOf(offer: Offer): ModelStatus | undefined;
}
