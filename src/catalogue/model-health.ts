import type { ModelStatus } from '../wire/model.js';
import type { Offer } from './offer.js';

/** The port through which the catalogue asks how an offer's traffic goes. Whoever routes the requests provides it. */
export abstract class ModelHealth {
  /** How the offer is for the requests of one account; undefined while nothing is known against it. */
  abstract statusOf(offer: Offer, account: string): ModelStatus | undefined;
}
