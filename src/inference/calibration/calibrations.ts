import { Injectable } from '@nestjs/common';
import type { Offer } from '../../catalogue/offer.js';
import { BoundedMap } from '../bounded-map.js';
import { ConfigService } from '../../config/config.service.js';
import { rateOf } from '../../common/prices/price-components.js';
import { type CountedAnswer, OfferCalibration } from './offer-calibration.js';
import { facts, factsOfBoth, factsOfCaching, factsOfReasoning, type Rates } from './rates.js';

/** Offers that are remembered: those that were counted first are forgotten. */
const MAX_OFFERS = 1_000;

/** How each offer counts tokens, as its provider's own counts tell. */
@Injectable()
export class Calibrations {
  readonly #offers = new BoundedMap<string, OfferCalibration>(MAX_OFFERS);

  constructor(private readonly config: ConfigService) {}

  ratesOf(offer: Offer, account: string): Rates {
    const rates = this.#offers.get(offer.name)?.ratesOf(account);
    return rates?.learned ? rates : this.#factsOf(offer);
  }

  learn(offer: Offer, account: string, answer: CountedAnswer): void {
    let calibration = this.#offers.get(offer.name);
    if (!calibration) this.#offers.set(offer.name, (calibration = new OfferCalibration(this.#factsOf(offer))));
    calibration.learn(account, answer);
  }

  /** Whether an answer of the offer is to be learned from: the first ones, and then one in eight. */
  wants({ name }: Offer): boolean {
    return this.config.current.routing.calibrate && (this.#offers.get(name)?.wants ?? true);
  }

  #factsOf({ hiddenReasoning, price }: Offer): Rates {
    const reasons = hiddenReasoning === true && this.config.current.routing.calibrate;
    const caches = price?.components && rateOf(price.components.rates, 'cached_input') !== undefined;
    if (caches) return reasons ? factsOfBoth : factsOfCaching;
    return reasons ? factsOfReasoning : facts;
  }
}
