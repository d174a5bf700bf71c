import type { ModelAccess } from '../common/access/model-access.js';
import type { CatalogueModel } from './catalogue-model.js';
import type { Offer } from './offer.js';

/**
 * A model as far as somebody may use it. The rules are about the models that are offered: an alias, or `auto`, has what
 * is left of theirs, unless it is denied by its own name.
 * @returns undefined where nothing is left
 */
export function accessibleModel(model: CatalogueModel, access: ModelAccess): CatalogueModel | undefined {
  if (access.deniesModel(model.id)) return undefined;
  if (model.offers.every((offer) => allows(access, offer))) return model;
  const [first, ...others] = model.offers.filter((offer) => allows(access, offer));
  return first && { ...model, offers: [first, ...others] };
}

function allows(access: ModelAccess, { provider, modelId, watchedAs, testKeysAlone }: Offer): boolean {
  if (access.live && testKeysAlone) return false;
  if (!access.allowsProvider(provider.id)) return false;
  // The id of what nobody lists is `provider/name`.
  return watchedAs === modelId ? access.allowsModel(modelId) : access.allowsUnlisted(modelId.slice(provider.id.length + 1));
}
