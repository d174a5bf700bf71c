import { isFree, type Offer } from '../../catalogue/offer.js';
import { ApiError } from '../../common/api-error.js';
import type { Modality } from '../../wire/media-part.js';
import type { Ceiling } from './token-counter.js';

/** Tokens of a part that nobody pays for: any number would do. */
const UNPAID = 2_048;

/**
 * The tokens that a part of each modality counts at most at an offer. Where nobody has said so, the returned function
 * throws ApiError 400 unsupported_parameter, unless nobody pays for the tokens.
 */
export function ceilingsOf(offer: Offer, unpaid: boolean): Ceiling {
  return (modality) => offer.inputCeilings[modality] ?? (unpaid || isFree(offer) ? UNPAID : refuse(offer, modality));
}

function refuse({ modelId, provider }: Offer, modality: Modality): never {
  throw new ApiError(
    'unsupported_parameter',
    `The model '${modelId}' takes no parts of type ${modality} here: the gateway has to know how many tokens one of them costs at most ` +
      `(its setting providers.${provider.id}.input_ceilings.${modality})`,
  );
}
