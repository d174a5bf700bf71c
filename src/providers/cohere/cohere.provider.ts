import type { ProviderConfig } from '../../config/config.schema.js';
import type { EmbeddingAnswer, EmbeddingRequest } from '../../wire/embedding.js';
import type { GenerationRequest } from '../../wire/generation.js';
import type { JsonObject } from '../../wire/json-object.js';
import type { RerankAnswer, RerankRequest } from '../../wire/rerank.js';
import type { Dataset } from '../model-facts/model-facts.js';
import { embeddingFacts } from '../model-facts/embedding-models.js';
import { knownFacts } from '../model-facts/known-models.js';
import { scoresTexts } from '../model-facts/rerank-models.js';
import type { ModelFactsService } from '../model-facts/model-facts.service.js';
import { reportProofs } from '../contract/carried-proofs.js';
import { ModelProvider, type ProviderCall, type ProviderModel } from '../contract/model-provider.js';
import { askOnce } from '../protocols/ask-once.js';
import { configuredEndpoint, type Endpoint, requestTo } from '../protocols/endpoint.js';
import { documentsForm, rerankBody } from '../protocols/rerank-form.js';
import { ResponseReader } from '../protocols/response-reader.js';
import { translatedJson } from '../protocols/translated-json.js';
import { ProviderError } from '../contract/provider-error.js';
import { PushedChunks } from '../contract/pushed-chunks.js';
import type { HttpTransport } from '../transport/http-transport.js';
import type { CohereOptions } from './cohere.type.js';
import { ChatDecoder } from './decoder.js';
import { embedBody, embeddingsIn } from './embeddings.js';
import { chatError } from './error.js';
import { fetchModelList, type ListedModel, probeModelList } from './model-list.js';
import { OfferedModels } from './offered-models.js';
import { rankedIn } from './rerank.js';
import { chatBody } from './request.js';

const dataset: Dataset = { genaiPrices: 'cohere', modelsDev: 'cohere' };

/**
 * Cohere (`https://api.cohere.com`), or another address that speaks its Chat API, version 2, as its configuration entry
 * describes it. The address ends before the version: `/v1`, `/v2` and the path of the OpenAI-compatible form at its end
 * are removed.
 */
export class CohereProvider extends ModelProvider {
  readonly name: string;
  readonly #endpoint: Endpoint;
  readonly #options: CohereOptions;

  constructor(
    readonly id: string,
    private readonly config: ProviderConfig,
    private readonly transport: HttpTransport,
    private readonly facts?: ModelFactsService,
  ) {
    super();
    this.name = config.name ?? (id === 'cohere' ? 'Cohere' : id);
    this.#options = config.options;
    const base_url = unversioned(config.base_url);
    this.#endpoint = configuredEndpoint({ ...config, base_url }, (key) => ({ authorization: `Bearer ${key}` }));
  }

  /**
   * The configured models, completed with what is known of them; without configured models, Cohere's own list.
   * @throws ProviderError where the list is needed and does not come in time
   */
  async models(signal: AbortSignal): Promise<readonly ProviderModel[]> {
    const { models } = this.config;
    const offered = new OfferedModels(this.config, this.#options, await this.facts?.of(dataset));
    if (!models) return offered.listed(await this.#list(signal));
    const complete = Object.entries(models).every(
      ([id, { upstream_model = id, context_length, max_tokens }]) =>
        (context_length && max_tokens) ||
        knownFacts(upstream_model, true)?.maxTokens ||
        embeddingFacts(upstream_model) ||
        scoresTexts(upstream_model),
    );
    return offered.configured(models, complete ? [] : await this.#list(signal).catch(() => []));
  }

  /** Sends the request to `v2/chat`, streamed and not. Chat only. */
  generate(request: GenerationRequest, call: ProviderCall): PushedChunks {
    return new PushedChunks(call, (observer) => {
      if (request.operation !== 'chat') throw new ProviderError('invalid_request', 'This model has no legacy completions');
      reportProofs(request, call);
      const body = chatBody(request, call.upstreamModel, this.#options, (parameter) => call.dropped(parameter));
      const { secrets } = this.#endpoint;
      const reader = new ResponseReader({ call, streamed: request.stream, secrets }, new ChatDecoder(secrets), observer);
      const headers = { 'content-type': 'application/json', ...call.traceHeaders };
      reader.send(this.transport, requestTo(this.#endpoint, { operation: 'v2/chat', headers, body: translatedJson(body, request) }));
      return reader;
    });
  }

  /** Sends the request to `v2/embed`. */
  override embed(request: EmbeddingRequest, call: ProviderCall): Promise<EmbeddingAnswer> {
    const { secrets } = this.#endpoint;
    const headers = { 'content-type': 'application/json', ...call.traceHeaders };
    const body = translatedJson(embedBody(request, call.upstreamModel), request);
    const asked = requestTo(this.#endpoint, { operation: 'v2/embed', headers, body });
    const read = (answer: JsonObject): EmbeddingAnswer => embeddingsIn(answer, request.encoding_format, secrets);
    return askOnce(this.transport, asked, call, secrets, { failed: chatError, read });
  }

  /** Sends the request to `v2/rerank`. */
  override rerank(request: RerankRequest, call: ProviderCall): Promise<RerankAnswer> {
    const { secrets } = this.#endpoint;
    const headers = { 'content-type': 'application/json', ...call.traceHeaders };
    const body = translatedJson(rerankBody(documentsForm, request, call.upstreamModel), request);
    const asked = requestTo(this.#endpoint, { operation: 'v2/rerank', headers, body });
    return askOnce(this.transport, asked, call, secrets, { failed: chatError, read: (answer) => rankedIn(answer, secrets) });
  }

  override open(upstreamModel: string): ProviderModel | undefined {
    return new OfferedModels(this.config, this.#options).open(upstreamModel);
  }

  override probe(signal: AbortSignal): Promise<void> {
    return probeModelList(this.transport, this.#endpoint, signal);
  }

  #list(signal: AbortSignal): Promise<readonly ListedModel[]> {
    return fetchModelList(this.transport, this.#endpoint, signal);
  }
}

function unversioned(baseUrl: string): string {
  const url = new URL(baseUrl);
  url.pathname = url.pathname.replace(/(\/compatibility)?\/v[12]\/?$/, '');
  return url.href;
}
