import type { Abilities } from '../../wire/model.js';
import type { ProviderModel } from '../contract/model-provider.js';
import type { Parameter } from '../contract/parameters.js';

/** What a data set says of a model. A fact is absent where the data set does not know it. */
export interface ModelFacts extends Partial<Pick<ProviderModel, 'created' | 'price' | 'contextLength' | 'maxTokens'>> {
  readonly capabilities?: Partial<Abilities>;
  /** Whether the model reasons before it answers. */
  readonly reasoning?: boolean;
  /** Parameters that the model refuses. */
  readonly without?: readonly Parameter[];
}

/** Merges facts. A later source counts before an earlier one, as far as it says anything. */
export function mergedFacts<T extends ModelFacts>(...sources: readonly (T | undefined)[]): Partial<T> {
  const merged: Record<string, unknown> = {};
  const capabilities: Partial<Abilities> = {};
  for (const source of sources) {
    for (const [name, value] of Object.entries(source ?? {})) if (value !== undefined) merged[name] = value;
    Object.assign(capabilities, source?.capabilities);
  }
  return { ...merged, capabilities } as Partial<T>;
}

/** The ids of one vendor in the data sets. */
export interface Dataset {
  readonly genaiPrices?: string;
  readonly modelsDev?: string;
}
