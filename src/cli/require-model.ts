import type { Database } from '../database/database.js';
import { nearest } from '../config/nearest.js';
import { CommandError } from './command-error.js';

/** How long providers may take to list their models, in milliseconds. */
const LIST_MS = 10_000;

interface Wanted {
  readonly model: string;
  /** Its offer at this provider alone. */
  readonly provider: string | undefined;
}

/**
 * Refuses a model that nobody offers. It is looked for among those that have had a price at a gateway of this store,
 * and only then in the configuration and at the providers, which are asked for their lists.
 * @throws CommandError that names a model with nearly the same id, if there is one
 */
export async function requireModel(database: Database, configFile: string | undefined, wanted: Wanted): Promise<void> {
  const priced = await database.db.selectFrom('price').select(['model', 'provider']).distinct().execute();
  if (priced.some((offer) => isWanted(offer, wanted))) return;
  const { offers, silent } = await offersOf(configFile, wanted);
  if (offers.some((offer) => isWanted(offer, wanted))) return;
  const { model, provider } = wanted;
  const all = [...priced, ...offers];
  const ofModel = all.filter((offer) => offer.model === model).map((offer) => offer.provider);
  const at = provider !== undefined && ofModel.length > 0 ? ` at ${provider}` : '';
  const near = at ? nearest(provider!, ofModel) : nearest(model, new Set(all.map((offer) => offer.model)));
  const unknown = silent.length > 0 ? ` (${silent.join(', ')} did not list its models)` : '';
  throw new CommandError(
    `nobody offers the model '${model}'${at}${unknown}; ${near ? `did you mean ${near}? ` : ''}--force switches it off all the same`,
  );
}

function isWanted(offer: { model: string; provider: string }, { model, provider }: Wanted): boolean {
  return offer.model === model && (provider === undefined || offer.provider === provider);
}

/**
 * What the gateway would offer if it started now, under every id, and the providers that have not listed their models.
 */
async function offersOf(file: string | undefined, { model }: Wanted) {
  // Imported here because it loads Nest.
  const { loadConfiguration } = await import('../providers/registry/configuration.js');
  const { checkProviders } = await import('../providers/registry/check-providers.js');
  const { mergeOffers } = await import('../catalogue/merge-offers.js');
  const { passthroughOffer } = await import('../catalogue/passthrough-offer.js');
  const configuration = await loadConfiguration({ file });
  const { config } = configuration;
  const lists = await checkProviders(configuration, LIST_MS);
  const offers = [...mergeOffers(lists, config).offers].flatMap(([id, of]) =>
    of.map(({ provider }) => ({ model: id, provider: provider.id })),
  );
  const open = passthroughOffer(model, (id) => lists.find(({ provider }) => provider.id === id)?.provider, config);
  if (open) offers.push({ model, provider: open.provider.id });
  return { offers, silent: lists.filter(({ complete }) => !complete).map(({ provider }) => provider.id) };
}
