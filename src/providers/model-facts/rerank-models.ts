import { incapable } from '../../wire/model.js';
import type { EmbeddingLimits, ProviderModel } from '../contract/model-provider.js';

/** Whether a model scores texts by a query, by its name. */
export function scoresTexts(upstreamModel: string): boolean {
  return /rerank/i.test(upstreamModel);
}

/** What a model is that scores texts and does nothing else. */
export function rerankModel(
  limits: Omit<EmbeddingLimits, 'dimensions' | 'tokenIds'>,
  parameters: readonly string[] = [],
): Pick<ProviderModel, 'capabilities' | 'embeddings' | 'parameters' | 'inputModalities' | 'outputModalities'> {
  return {
    capabilities: { ...incapable, rerank: true },
    embeddings: limits,
    parameters,
    inputModalities: ['text'],
    outputModalities: ['scores'],
  };
}
