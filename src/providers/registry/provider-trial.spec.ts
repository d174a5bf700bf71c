import { systemClock } from '../../common/time/clock.js';
import type { RerankRequest } from '../../wire/rerank.js';
import type { ModelProvider, ProviderModel } from '../contract/model-provider.js';
import { ProviderError } from '../contract/provider-error.js';
import { rerankModel } from '../model-facts/rerank-models.js';
import { tryProvider } from './provider-trial.js';

const model: ProviderModel = { id: 'a-reranker', created: 0, contextLength: 100, maxTokens: 100, ...rerankModel({}) };

/** A provider that scores texts and generates none. */
const scoring = (rerank: ModelProvider['rerank']) => ({ id: 'p', name: 'P', models: () => [model], rerank }) as unknown as ModelProvider;

const tried = (provider: ModelProvider) =>
  tryProvider(provider, { model: 'a-reranker', maxTokens: 5, timeout: 10_000, clock: systemClock });

describe('a provider that scores texts', () => {
  it('is asked for a score', async () => {
    const asked: RerankRequest[] = [];
    const trial = await tried(scoring((request) => (asked.push(request), Promise.resolve({ scores: [1] }))));
    expect(trial).toMatchObject({ model: { id: 'a-reranker' }, finishReason: 'stop', error: undefined });
    expect(asked).toEqual([expect.objectContaining({ operation: 'rerank', model: 'a-reranker', query: 'OK', input: ['OK'] })]);
  });

  it('fails with the error of its vendor', async () => {
    const refused = new ProviderError('authentication', 'Wrong key', { status: 401 });
    expect((await tried(scoring(() => Promise.reject(refused)))).error).toMatchObject({ kind: 'authentication' });
  });
});
