import type { ProviderPrice } from '../../contract/model-provider.js';
import type { ModelTraits } from '../../protocols/gemini-generate-content/model-traits.js';
import { type GeminiModel, geminiModels } from './gemini-models.js';
import { ownOf } from '../../../wire/own-members.js';

/** Facts about a model or one of its numbered versions (`gemini-3.8-flash-001`), also by its full path. */
export function factsOf(upstreamModel: string): GeminiModel | undefined {
  const name = nameOf(upstreamModel).replace(/-\d{3}$/, '');
  return ownOf(geminiModels, name);
}

export function priceOn({ prices }: GeminiModel, now: Date): ProviderPrice | undefined {
  const day = now.toISOString().slice(0, 10);
  const price = prices.findLast(({ from = '' }) => from <= day);
  return price && { prompt: price.prompt, completion: price.completion };
}

/**
 * The traits of a model. Those of a model without facts follow from its generation; names without a number
 * (`gemini-flash-latest`) count as the newest.
 */
export function traitsOf(upstreamModel: string): ModelTraits {
  const name = nameOf(upstreamModel);
  const match = /^gemini-(\d+(?:\.\d+)?)?/.exec(name);
  if (!match) return { thinking: undefined, signedCalls: false };
  const generation = Number(match[1] ?? Infinity);
  const known = factsOf(upstreamModel);
  const signedCalls = generation >= 3;
  if (known) return { thinking: known.thinking, signedCalls };
  if (signedCalls) return { thinking: { levels: ['LOW', 'MEDIUM', 'HIGH'] }, signedCalls };
  return { thinking: generation < 2.5 ? undefined : { leastBudget: name.includes('-pro') ? 128 : 0 }, signedCalls };
}

function nameOf(upstreamModel: string): string {
  return upstreamModel.slice(upstreamModel.lastIndexOf('/') + 1);
}
