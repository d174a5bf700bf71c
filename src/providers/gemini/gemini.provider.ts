import type { ProviderConfig } from '../../config/config.schema.js';
import type { EmbeddingAnswer, EmbeddingRequest } from '../../wire/embedding.js';
import type { GenerationChunk, GenerationRequest } from '../../wire/generation.js';
import type { Dataset } from '../model-facts/model-facts.js';
import type { ModelFactsService } from '../model-facts/model-facts.service.js';
import { ModelProvider, type ProviderCall, type ProviderModel } from '../contract/model-provider.js';
import { configuredEndpoint, type Endpoint } from '../protocols/endpoint.js';
import { embeddingParameters, MAX_INPUTS } from '../protocols/gemini-generate-content/embeddings.js';
import type { GeminiGenerateContentProtocol } from '../protocols/gemini-generate-content/gemini-generate-content.protocol.js';
import type { HttpTransport } from '../transport/http-transport.js';
import { embeddingFacts } from '../model-facts/embedding-models.js';
import { factsOf, traitsOf } from '../model-facts/gemini/gemini-facts.js';
import { configuredModels, type ListedModel, listedModels, openModel } from '../model-facts/gemini/offered-models.js';
import { fetchModelList, probeModelList } from './model-list.js';

const embeddings = { inputs: MAX_INPUTS, extras: embeddingParameters };

const dataset: Dataset = { genaiPrices: 'google', modelsDev: 'google' };

/**
 * The Gemini API (`https://generativelanguage.googleapis.com/v1beta`), or another address that speaks generateContent,
 * as its configuration entry describes it. The key is sent in a header, never in the address.
 */
export class GeminiProvider extends ModelProvider {
  readonly name: string;
  readonly #endpoint: Endpoint;

  constructor(
    readonly id: string,
    private readonly config: ProviderConfig,
    private readonly protocol: GeminiGenerateContentProtocol,
    private readonly transport: HttpTransport,
    private readonly facts?: ModelFactsService,
  ) {
    super();
    this.name = config.name ?? (id === 'gemini' ? 'Google Gemini' : id);
    this.#endpoint = configuredEndpoint({ ...config, base_url: versioned(config.base_url) }, (key) => ({ 'x-goog-api-key': key }));
  }

  /**
   * The configured models, completed with what we and the API know of them; without configured models, the API's own
   * list. The result is always a promise, so that a price that changes on a certain day is asked for again.
   * @throws ProviderError where the list is needed and does not come in time
   */
  async models(signal: AbortSignal): Promise<readonly ProviderModel[]> {
    const { models } = this.config;
    const terms = { config: this.config, now: new Date(), publicFacts: await this.facts?.of(dataset), embeddings };
    if (!models) return listedModels(await this.#list(signal), terms);
    const complete = Object.entries(models).every(
      ([id, model]) =>
        (model.context_length && model.max_tokens) || factsOf(model.upstream_model ?? id) || embeddingFacts(model.upstream_model ?? id),
    );
    return configuredModels(models, complete ? [] : await this.#list(signal).catch(() => []), terms);
  }

  generate(request: GenerationRequest, call: ProviderCall): AsyncIterable<GenerationChunk> {
    return this.protocol.generate(request, call, this.#endpoint, traitsOf(call.upstreamModel));
  }

  override embed(request: EmbeddingRequest, call: ProviderCall): Promise<EmbeddingAnswer> {
    return this.protocol.embed(request, call, this.#endpoint);
  }

  override open(upstreamModel: string): ProviderModel | undefined {
    return openModel(upstreamModel, { config: this.config, now: new Date(), embeddings });
  }

  override probe(signal: AbortSignal): Promise<void> {
    return probeModelList(this.transport, this.#endpoint, signal);
  }

  #list(signal: AbortSignal): Promise<readonly ListedModel[]> {
    return fetchModelList(this.transport, this.#endpoint, signal);
  }
}

/**
 * Adds the version to an address without one. Google's client libraries want the address without a version and add this
 * one.
 */
function versioned(baseUrl: string): string {
  const url = new URL(baseUrl);
  if (url.pathname === '/') url.pathname = '/v1beta';
  return url.href;
}
