import type { ProviderConfig } from '../../config/config.schema.js';
import type { EmbeddingAnswer, EmbeddingRequest } from '../../wire/embedding.js';
import type { GenerationChunk, GenerationRequest } from '../../wire/generation.js';
import { AccessToken, bearer } from '../credentials/access-token.js';
import { vendorPackage } from '../kit/vendor-package.js';
import { factsOf as claudeFacts } from '../model-facts/claude/claude-facts.js';
import * as claude from '../model-facts/claude/offered-models.js';
import { traitsOf } from '../model-facts/gemini/gemini-facts.js';
import * as gemini from '../model-facts/gemini/offered-models.js';
import type { Dataset } from '../model-facts/model-facts.js';
import { ModelProvider, type ProviderCall, type ProviderModel } from '../contract/model-provider.js';
import type { ModelTraits as ClaudeTraits } from '../protocols/anthropic-messages/model-traits.js';
import { configuredEndpoint, type Endpoint } from '../protocols/endpoint.js';
import type { ProviderServices } from '../kit/provider-services.js';
import { CredentialRequests } from '../transport/credential-requests.js';
import type { Sign } from '../transport/upstream-request.js';
import { embeddings, embeddingsForm } from './embeddings.js';
import { GoogleCredentials } from './google-credentials.js';
import { locationAddress } from './location-address.js';
import { fetchModelList, probeModelList } from './model-list.js';
import { claudeOnVertex, isClaude, withTools } from './publishers.js';
import type { VertexOptions } from './vertex.options.js';

const datasets = {
  gemini: { genaiPrices: 'google', modelsDev: 'google-vertex' },
  claude: { genaiPrices: 'anthropic', modelsDev: 'google-vertex-anthropic' },
} satisfies Record<string, Dataset>;

/** Models of Google and of Anthropic on Vertex AI, in the formats that their own addresses have. */
export class VertexProvider extends ModelProvider {
  readonly name: string;
  /** Where Google's list of models is. */
  readonly #publishers: Endpoint;
  readonly #google: Endpoint;
  /** Where the project's own models are: `endpoints/1234567890`. */
  readonly #project: Endpoint;
  readonly #anthropic: Endpoint;
  readonly #location: string;
  #claudeTraits: ReadonlyMap<string, ClaudeTraits> = new Map();

  /** @param sign adds a token; absent where the entry has a key */
  constructor(
    readonly id: string,
    private readonly config: ProviderConfig,
    private readonly services: ProviderServices,
    sign?: Sign,
  ) {
    super();
    this.name = config.name ?? 'Google Vertex AI';
    const { project, location } = config.options as unknown as VertexOptions;
    this.#location = location;
    const at = (version: string, path: string): Endpoint => {
      const base_url = locationAddress(config.base_url, location, version);
      const endpoint = configuredEndpoint({ ...config, base_url }, (key) => ({ 'x-goog-api-key': key }));
      return { ...endpoint, basePath: endpoint.basePath + path, sign };
    };
    const place = `/projects/${project}/locations/${location}`;
    this.#publishers = at('v1beta1', '');
    this.#project = at('v1beta1', place);
    this.#google = at('v1beta1', `${place}/publishers/google`);
    this.#anthropic = at('v1', `${place}/publishers/anthropic`);
  }

  /**
   * The configured models, completed with what we know of them; without configured models, those of Google's list.
   * Anthropic's are used by name, because each has to be enabled in the project first.
   * @throws ProviderError where the list is needed and does not come in time
   */
  async models(signal: AbortSignal): Promise<readonly ProviderModel[]> {
    const { config, services } = this;
    const terms = { config, embeddings, now: new Date(), publicFacts: await services.facts.of(datasets.gemini) };
    if (!config.models)
      return gemini.listedModels(await fetchModelList(services.transport, this.#publishers, signal), terms).map(this.#priced);
    const claudes = await services.facts.of(datasets.claude);
    const traits = new Map<string, ClaudeTraits>();
    const offered = Object.entries(config.models).flatMap(([id, entry]): ProviderModel[] => {
      const one = { [id]: entry };
      if (!isClaude(entry.upstream_model ?? id)) return gemini.configuredModels(one, [], terms);
      return claude.configuredModels(one, config, claudes).map(({ model, traits: known }) => {
        traits.set(model.upstreamModel, known);
        return model;
      });
    });
    this.#claudeTraits = traits;
    return offered.map(withTools).map(this.#priced);
  }

  generate(request: GenerationRequest, call: ProviderCall): AsyncIterable<GenerationChunk> {
    const { anthropicMessages, geminiGenerateContent } = this.services;
    const { upstreamModel } = call;
    if (!isClaude(upstreamModel))
      return geminiGenerateContent.generate(request, call, this.#googleOf(upstreamModel), traitsOf(upstreamModel));
    const traits = this.#claudeTraits.get(upstreamModel) ?? this.#unlistedTraits(upstreamModel);
    return anthropicMessages.generate(request, call, this.#anthropic, traits, claudeOnVertex);
  }

  override embed(request: EmbeddingRequest, call: ProviderCall): Promise<EmbeddingAnswer> {
    const { upstreamModel } = call;
    return this.services.geminiGenerateContent.embed(request, call, this.#googleOf(upstreamModel), embeddingsForm(upstreamModel));
  }

  override open(upstreamModel: string): ProviderModel | undefined {
    const { config } = this;
    const terms = { config, embeddings, now: new Date() };
    const model = isClaude(upstreamModel) ? claude.openModel(upstreamModel, config) : gemini.openModel(upstreamModel, terms);
    return model && this.#priced(withTools(model));
  }

  override probe(signal: AbortSignal): Promise<void> {
    return probeModelList(this.services.transport, this.#publishers, signal);
  }

  #googleOf(upstreamModel: string): Endpoint {
    return upstreamModel.includes('/') ? this.#project : this.#google;
  }

  #unlistedTraits(upstreamModel: string): ClaudeTraits {
    const { traits } = claudeFacts(upstreamModel);
    return { ...traits, maxTokens: this.config.open?.max_tokens ?? traits.maxTokens };
  }

  /** Public prices are those of the location `global`; elsewhere some models cost more, so that none is known. */
  readonly #priced = (model: ProviderModel): ProviderModel =>
    this.#location === 'global' || model.ownPrice || this.config.free ? model : { ...model, price: undefined };
}

/** @throws Error (rejects) where google-auth-library is needed and not installed */
export async function createVertexProvider(id: string, config: ProviderConfig, services: ProviderServices): Promise<VertexProvider> {
  if (config.api_key !== undefined) return new VertexProvider(id, config, services);
  const library = await vendorPackage(['google-auth-library'], () => import('google-auth-library'));
  const requests = new CredentialRequests(services.transport, config);
  const credentials = new GoogleCredentials(library, config.options as unknown as VertexOptions, requests);
  const token = new AccessToken(
    () => credentials.token(),
    (secret) => services.hide(secret),
  );
  return new VertexProvider(id, config, services, bearer(token));
}
