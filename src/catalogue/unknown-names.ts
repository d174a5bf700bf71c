import { modelOfAlias } from '../config/model-of-alias.js';
import type { Config } from '../config/config.schema.js';
import { didYouMean } from '../config/nearest.js';
import { switchingVariables } from '../config/provider-defaults.js';
import type { ProviderType } from '../config/provider-type.js';
import type { CheckedProvider } from '../providers/registry/check-providers.js';
import { mergeOffers } from './merge-offers.js';
import { ownOf } from '../wire/own-members.js';

/** A name in the configuration behind which there is nothing. */
export interface UnknownName {
  /** Where it stands. */
  readonly path: readonly string[];
  /** A sentence for the operator that follows the path. */
  readonly says: string;
  /** Whether there is surely nothing; otherwise a provider that has to be asked may have it. */
  readonly sure: boolean;
}

type Checked = Pick<Config, 'models' | 'routing' | 'sandbox' | 'catalogue' | 'providers'>;

/**
 * Finds the names of providers and models to which the configuration refers and behind which there is nothing: in
 * offers, aliases, `auto`, `test_provider` and overrides.
 * @param types those that a variable of the environment may switch on
 */
export function unknownNames(lists: readonly CheckedProvider[], config: Checked, types: readonly ProviderType[]): UnknownName[] {
  const { offers } = mergeOffers(lists, config);
  const ids = lists.map(({ provider }) => provider.id);
  const names = [...offers.keys()];
  const found: UnknownName[] = [];

  const noProvider = (id: string): string | undefined => {
    if (ids.includes(id)) return undefined;
    const known = types.find(({ type }) => type === id);
    const variables = known ? switchingVariables(known).join(' and ') : '';
    if (known) return `names the provider ${id}, which is not switched on: it needs an entry${variables && ` or ${variables}`}`;
    return `names a provider that there is not, ${id}${didYouMean(id, [...ids, ...types.map(({ type }) => type)])}`;
  };
  /** Providers that may list the model all the same, or the one that an alias stands for. */
  const mayHave = (id: string): string[] => {
    const meant = modelOfAlias(config.routing, id);
    return lists
      .filter(({ provider, complete }) => !complete && meant.startsWith(ownOf(config.providers, provider.id)?.prefix ?? ''))
      .map(({ provider }) => provider.id);
  };
  const isThere = (id: string): boolean => offers.has(id) || ownOf(config.models, id)?.offers !== undefined || passes(lists, id);
  const noModel = (path: readonly string[], id: string, without: string): void => {
    const asked = mayHave(id);
    const maybe = asked.length > 0 ? `, unless ${asked.join(' or ')} lists it` : '';
    found.push({ path, says: `${without}${maybe}${didYouMean(id, names)}`, sure: asked.length === 0 });
  };

  for (const [id, { offers: listed }] of Object.entries(config.models)) {
    if (!isThere(id) && mayHave(id).length === 0)
      found.push({ path: ['models', id], says: `has no effect: no provider has this model${didYouMean(id, names)}`, sure: false });
    for (const [index, { provider, model = id }] of (listed ?? []).entries()) {
      const path = ['models', id, 'offers', String(index)];
      const problem = noProvider(provider);
      const list = lists.find((one) => one.provider.id === provider);
      if (problem) found.push({ path: [...path, 'provider'], says: problem, sure: true });
      else if (list?.complete && !list.models.some((one) => one.id === model) && !list.provider.open?.(model)) {
        const says = `names a model that ${provider} has not, ${model}${didYouMean(
          model,
          list.models.map((one) => one.id),
        )}`;
        found.push({ path, says, sure: true });
      }
    }
  }
  const { aliases, auto, test_provider } = config.routing;
  for (const [alias, target] of Object.entries(aliases))
    if (!isThere(target)) noModel(['routing', 'aliases', alias], target, `names a model that there is not, ${target}`);
  for (const [index, id] of (auto?.models ?? []).entries())
    if (!isThere(id)) noModel(['routing', 'auto', 'models', String(index)], id, `names a model that there is not, ${id}`);
  const problem = noProvider(test_provider);
  if (problem) found.push({ path: ['routing', 'test_provider'], says: problem, sure: true });
  return found;
}

/** Whether the id is `provider/name` at a provider that passes any name through. */
function passes(lists: readonly CheckedProvider[], id: string): boolean {
  const slash = id.indexOf('/');
  const provider = lists.find((one) => one.provider.id === id.slice(0, Math.max(0, slash)))?.provider;
  return provider?.open?.(id.slice(slash + 1)) !== undefined;
}
