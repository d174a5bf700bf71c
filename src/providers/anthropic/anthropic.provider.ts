import type { ProviderConfig } from '../../config/config.schema.js';
import type { GenerationChunk, GenerationRequest } from '../../wire/generation.js';
import type { Dataset } from '../model-facts/model-facts.js';
import type { ModelFactsService } from '../model-facts/model-facts.service.js';
import { ModelProvider, type ProviderCall, type ProviderModel } from '../contract/model-provider.js';
import type { AnthropicMessagesProtocol } from '../protocols/anthropic-messages/anthropic-messages.protocol.js';
import type { ModelTraits } from '../protocols/anthropic-messages/model-traits.js';
import { configuredEndpoint, type Endpoint } from '../protocols/endpoint.js';
import type { HttpTransport } from '../transport/http-transport.js';
import { factsOf } from '../model-facts/claude/claude-facts.js';
import { anthropicMedia } from '../model-facts/claude/claude-rules.js';
import { configuredModels, listedModels, openModel } from '../model-facts/claude/offered-models.js';
import { fetchModelList, probeModelList } from './model-list.js';

const dataset: Dataset = { genaiPrices: 'anthropic', modelsDev: 'anthropic' };

/** What other clouds do not take of its models' own: blocks and tools, which are features there, and addresses. */
const own = (model: ProviderModel): ProviderModel => ({
  ...model,
  nativeItems: 'anthropic-messages',
  hostedTools: [
    'web_search',
    'web_fetch',
    'code_execution',
    'tool_search_tool_bm25',
    'tool_search_tool_regex',
    'bash',
    'text_editor',
    'computer',
    'memory',
    'computer_toolset',
    'browser_toolset',
  ],
  rules: { ...model.rules, media: anthropicMedia },
});

/**
 * Anthropic (`https://api.anthropic.com`), or another address that speaks its Messages API, as its configuration entry
 * describes it. The address ends before `/v1`, as the vendor's own client libraries want it; a `/v1` at its end is
 * removed.
 */
export class AnthropicProvider extends ModelProvider {
  readonly name: string;
  readonly #endpoint: Endpoint;
  #traits: ReadonlyMap<string, ModelTraits> = new Map();

  constructor(
    readonly id: string,
    private readonly config: ProviderConfig,
    private readonly protocol: AnthropicMessagesProtocol,
    private readonly transport: HttpTransport,
    private readonly facts?: ModelFactsService,
  ) {
    super();
    this.name = config.name ?? 'Anthropic';
    const base_url = config.base_url.replace(/\/v1\/?$/, '');
    this.#endpoint = configuredEndpoint({ ...config, base_url }, (key) => ({ 'x-api-key': key }), { 'anthropic-version': '2023-06-01' });
  }

  /**
   * The configured models, completed with what we know of them; without configured models, those that the key may use.
   * @throws ProviderError where the list is needed and does not come in time
   */
  async models(signal: AbortSignal): Promise<readonly ProviderModel[]> {
    const publicFacts = await this.facts?.of(dataset);
    const offered = this.config.models
      ? configuredModels(this.config.models, this.config, publicFacts)
      : listedModels(await fetchModelList(this.transport, this.#endpoint, signal), this.config, publicFacts);
    this.#traits = new Map(offered.map(({ model, traits }) => [model.upstreamModel, traits]));
    return offered.map(({ model }) => own(model));
  }

  generate(request: GenerationRequest, call: ProviderCall): AsyncIterable<GenerationChunk> {
    const traits = this.#traits.get(call.upstreamModel) ?? this.#unlistedTraits(call.upstreamModel);
    return this.protocol.generate(request, call, this.#endpoint, traits);
  }

  override open(upstreamModel: string): ProviderModel | undefined {
    const model = openModel(upstreamModel, this.config);
    return model && own(model);
  }

  #unlistedTraits(upstreamModel: string): ModelTraits {
    const { traits } = factsOf(upstreamModel);
    return { ...traits, maxTokens: this.config.open?.max_tokens ?? traits.maxTokens };
  }

  override probe(signal: AbortSignal): Promise<void> {
    return probeModelList(this.transport, this.#endpoint, signal);
  }
}
