import type { ModelStatus } from '../wire/model.js';
import type { Offer } from './offer.js';

/** What the catalogue asks of those who see an offer's traffic. */
export interface ModelHealth {
  /** Undefined while nothing is known against the offer. */
  statusOf(offer: Offer): ModelStatus | undefined;
}
