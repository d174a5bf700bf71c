import type { ProviderConfig } from '../../config/config.schema.js';
import type { EmbeddingAnswer, EmbeddingRequest } from '../../wire/embedding.js';
import type { GenerationChunk, GenerationRequest } from '../../wire/generation.js';
import type { RerankAnswer, RerankRequest } from '../../wire/rerank.js';
import { embeddingFacts } from '../model-facts/embedding-models.js';
import type { ModelFactsService } from '../model-facts/model-facts.service.js';
import { ModelProvider, type ProviderCall, type ProviderModel } from '../contract/model-provider.js';
import type { ChatCompletionsDialect, ChatCompletionsProtocol } from '../protocols/chat-completions/chat-completions.protocol.js';
import { configuredEndpoint, type Endpoint } from '../protocols/endpoint.js';
import type { OpenAIResponsesProtocol } from '../protocols/openai-responses/openai-responses.protocol.js';
import type { HttpTransport } from '../transport/http-transport.js';
import type { Sign } from '../transport/upstream-request.js';
import { ProviderError } from '../contract/provider-error.js';
import { hasResponses, OfferedModels } from './offered-models.js';
import { fetchModelList, type ListedModel, probeModelList } from './model-list.js';
import type { Preset } from './preset.js';

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/**
 * Any address that speaks the OpenAI format, as its configuration entry and, where there is one, the vendor's preset
 * describe it.
 */
export class OpenAICompatibleProvider extends ModelProvider {
  readonly name: string;
  readonly #endpoint: Endpoint;
  readonly #dialect: ChatCompletionsDialect;
  /** Whether requests in the Responses format are asked in it. */
  readonly #responds: boolean;

  constructor(
    readonly id: string,
    private readonly config: ProviderConfig,
    private readonly protocol: ChatCompletionsProtocol,
    private readonly transport: HttpTransport,
    private readonly preset: Partial<Preset> = {},
    private readonly facts?: ModelFactsService,
    sign?: Sign,
    private readonly responses?: OpenAIResponsesProtocol,
  ) {
    super();
    this.name = config.name ?? preset.name ?? id;
    const base_url = preset.path ? withPath(config.base_url, preset.path) : config.base_url;
    const credentials = sign ? () => ({}) : (preset.credentials ?? bearer);
    this.#responds = hasResponses(config, preset);
    // A vendor that is known counts as the format's documents say: the last chunk for the entire request.
    this.#dialect = preset.type === undefined ? {} : { usages: 'last', ...preset.dialect };
    this.#endpoint = { ...configuredEndpoint({ ...config, base_url }, credentials), sign };
  }

  /**
   * The configured models, completed with what the address says of them; without configured models, the address's own
   * list, or the preset's where the vendor has no list.
   * @throws ProviderError where the list is needed and does not come in time
   */
  async models(signal: AbortSignal): Promise<readonly ProviderModel[]> {
    const { models } = this.config;
    const { lists, models: ofPreset = [] } = this.preset;
    const offered = new OfferedModels(this.config, this.preset, await this.facts?.of(this.preset.dataset));
    if (lists === false) return offered.configured(models ?? Object.fromEntries(ofPreset.map((name) => [name, {}])), []);
    if (!models) return offered.listed(await this.#list(signal));
    const complete = Object.values(models).every((model) => model.context_length && model.max_tokens);
    return offered.configured(models, complete ? [] : await this.#list(signal).catch(() => []));
  }

  generate(request: GenerationRequest, call: ProviderCall): AsyncIterable<GenerationChunk> {
    const native = this.#responds ? this.responses?.generate(request, call, this.#endpoint, this.preset.responses) : undefined;
    if (!native && request.operation === 'chat') {
      if (request.hosted_tools) throw new ProviderError('invalid_request', 'Hosted tools need max_output_tokens of at least 16');
      request.native?.beyond?.forEach((name) => call.dropped(name));
    }
    return native ?? this.protocol.generate(request, call, this.#endpoint, this.#dialect);
  }

  override embed(request: EmbeddingRequest, call: ProviderCall): Promise<EmbeddingAnswer> {
    return this.protocol.embed(request, call, this.#endpoint, this.#dialect, embeddingFacts(call.upstreamModel)?.base64);
  }

  override rerank(request: RerankRequest, call: ProviderCall): Promise<RerankAnswer> {
    return this.protocol.rerank(request, call, this.#endpoint, this.preset.rerank);
  }

  override open(upstreamModel: string): ProviderModel | undefined {
    return new OfferedModels(this.config, this.preset).open(upstreamModel);
  }

  override probe(signal: AbortSignal): Promise<void> {
    return probeModelList(this.transport, this.#endpoint, signal);
  }

  #list(signal: AbortSignal): Promise<readonly ListedModel[]> {
    return fetchModelList(this.transport, this.#endpoint, signal);
  }
}

function withPath(address: string, path: string): string {
  const url = new URL(address);
  if (url.pathname === '/') url.pathname = path;
  return url.href;
}
