import type { Config } from '../config/config.schema.js';
import type { ModelProvider } from '../providers/model-provider.js';
import { type Offer, offerOf } from './offer.js';

/** Names that vendors give; whatever else a client sends is no model. */
const name = /^\w[\w.:@/+-]{0,199}$/;

/** All unlisted models of a provider are watched as one: clients choose the names, and must not fill the memory with them. */
const UNLISTED = '*';

/**
 * The offer behind `provider/name` where the provider lets any name pass. Made anew for each request, so that nothing is kept of names that clients make up.
 * @throws RangeError when its price is not a decimal of at most 9 places
 */
export function passthroughOffer(
  id: string,
  providerOf: (id: string) => ModelProvider | undefined,
  { models }: Pick<Config, 'models'>,
): Offer | undefined {
  const slash = id.indexOf('/');
  const upstreamModel = id.slice(slash + 1);
  const provider = slash > 0 ? providerOf(id.slice(0, slash)) : undefined;
  const model = name.test(upstreamModel) ? provider?.open?.(upstreamModel) : undefined;
  return provider && model && offerOf(provider, { ...model, id, upstreamModel }, models[id], UNLISTED);
}
