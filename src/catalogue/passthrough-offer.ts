import type { Config } from '../config/config.schema.js';
import type { ModelProvider } from '../providers/contract/model-provider.js';
import { withPricesRequired } from './missing-prices.js';
import { type Offer, offerOf } from './offer.js';
import { ownOf } from '../wire/own-members.js';

/** The form of the names that vendors give to models (`@cf/meta/...`, `~anthropic/...`); any other text names no model. */
const modelName = /^[\w@~][\w.:@/+~-]{0,199}$/;

/**
 * The name under which all unlisted models of a provider share their health and performance: clients choose model
 * names, and must not fill the memory with them.
 */
export const UNLISTED = '*';

/**
 * The offer behind `provider/name` at a provider that passes any model name through (its setting `open`). It is made
 * anew for each request, so that nothing is kept of names that clients make up.
 * @param refused is told why a provider that passes names through does not offer this one
 */
export function passthroughOffer(
  id: string,
  providerOf: (id: string) => ModelProvider | undefined,
  { models, catalogue }: Pick<Config, 'models' | 'catalogue'>,
  refused: (why: unknown) => void = () => undefined,
): Offer | undefined {
  const slash = id.indexOf('/');
  const upstreamModel = id.slice(slash + 1);
  const provider = slash > 0 ? providerOf(id.slice(0, slash)) : undefined;
  if (!provider || !modelName.test(upstreamModel)) return undefined;
  try {
    const model = provider.open?.(upstreamModel);
    const offer = model && offerOf(provider, { ...model, id, upstreamModel }, ownOf(models, id), UNLISTED);
    // Clients make up names (`:online`) of which nobody could be warned that the vendor makes calls for them.
    return offer && (catalogue.missing_prices === 'refuse' || offer.hostedCalls.length > 0) ? withPricesRequired(offer) : offer;
  } catch (error) {
    refused(error);
    return undefined;
  }
}
