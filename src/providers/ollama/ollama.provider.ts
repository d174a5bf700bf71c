import type { ProviderConfig } from '../../config/config.schema.js';
import type { EmbeddingAnswer, EmbeddingRequest } from '../../wire/embedding.js';
import type { GenerationChunk, GenerationRequest } from '../../wire/generation.js';
import type { JsonObject } from '../../wire/json-object.js';
import { reportProofs } from '../contract/carried-proofs.js';
import { ModelProvider, type ProviderCall, type ProviderModel } from '../contract/model-provider.js';
import { PushedChunks } from '../contract/pushed-chunks.js';
import { askOnce } from '../protocols/ask-once.js';
import { configuredEndpoint, type Endpoint, requestTo } from '../protocols/endpoint.js';
import { jsonLines } from '../protocols/json-lines.js';
import { ResponseReader } from '../protocols/response-reader.js';
import { translatedJson } from '../protocols/translated-json.js';
import type { HttpTransport } from '../transport/http-transport.js';
import { OllamaDecoder } from './decoder.js';
import { embedBody, embeddingsIn } from './embeddings.js';
import { ollamaError } from './error.js';
import { ModelList } from './model-list.js';
import type { ModelTraits } from './model-traits.js';
import { configuredModels, listedModels, openModel, tagged, unknownTraits } from './offered-models.js';
import { type OllamaOptions, ollamaOptions } from './ollama.type.js';
import { chatBody, generateBody } from './request.js';

/**
 * A server of Ollama (`http://127.0.0.1:11434`), or `https://ollama.com` with a key, by its own API: `api/chat`,
 * `api/generate` for legacy completions, and `api/embed`. A `/v1` or `/api` at the end of the address is removed: the one is that of the
 * vendor's form of OpenAI's format, the other stands in the vendor's documents.
 */
export class OllamaProvider extends ModelProvider {
  readonly name: string;
  readonly #options: OllamaOptions;
  readonly #endpoint: Endpoint;
  readonly #list: ModelList;
  #traits: ReadonlyMap<string, ModelTraits> = new Map();

  constructor(
    readonly id: string,
    private readonly config: ProviderConfig,
    private readonly transport: HttpTransport,
  ) {
    super();
    this.name = config.name ?? 'Ollama';
    this.#options = ollamaOptions.parse(config.options);
    this.#endpoint = configuredEndpoint({ ...config, base_url: withoutApi(config.base_url) }, (key) => ({
      authorization: `Bearer ${key}`,
    }));
    this.#list = new ModelList(transport, this.#endpoint);
  }

  /**
   * The configured models, completed with what the server says of them; without configured models, those that the
   * server has.
   * @throws ProviderError where the list is needed and does not come in time
   */
  async models(signal: AbortSignal): Promise<readonly ProviderModel[]> {
    const { models } = this.config;
    const terms = { config: this.config, options: this.#options };
    const names = models && new Set(Object.entries(models).map(([id, { upstream_model }]) => tagged(upstream_model ?? id)));
    const fetched = this.#list.fetch(signal, names && ((name) => names.has(tagged(name))));
    const offered = models ? configuredModels(models, await fetched.catch(() => []), terms) : listedModels(await fetched, terms);
    this.#traits = new Map(offered.map(({ model, traits }) => [model.upstreamModel, traits]));
    return offered.map(({ model }) => model);
  }

  generate(request: GenerationRequest, call: ProviderCall): AsyncIterable<GenerationChunk> {
    return new PushedChunks(call, (observer) => {
      reportProofs(request, call);
      const { upstreamModel, requestId, traceHeaders } = call;
      const { secrets } = this.#endpoint;
      const terms = { upstreamModel, options: this.#options, traits: this.#traits.get(upstreamModel) ?? unknownTraits };
      const body =
        request.operation === 'chat' ? chatBody(request, terms, (parameter) => call.dropped(parameter)) : generateBody(request, terms);
      const decoder = new OllamaDecoder(request, requestId, secrets);
      const reader = new ResponseReader({ call, streamed: request.stream, secrets, framing: jsonLines }, decoder, observer);
      const operation = request.operation === 'chat' ? 'api/chat' : 'api/generate';
      const headers = { 'content-type': 'application/json', ...traceHeaders };
      reader.send(this.transport, requestTo(this.#endpoint, { operation, headers, body: translatedJson(body, request) }));
      return reader;
    });
  }

  override embed(request: EmbeddingRequest, call: ProviderCall): Promise<EmbeddingAnswer> {
    const { secrets } = this.#endpoint;
    const headers = { 'content-type': 'application/json', ...call.traceHeaders };
    const body = translatedJson(embedBody(request, call.upstreamModel, this.#options), request);
    const asked = requestTo(this.#endpoint, { operation: 'api/embed', headers, body });
    const read = (answer: JsonObject): EmbeddingAnswer => embeddingsIn(answer, secrets);
    return askOnce(this.transport, asked, call, secrets, { failed: ollamaError, read });
  }

  override open(upstreamModel: string): ProviderModel | undefined {
    return openModel(upstreamModel, { config: this.config, options: this.#options });
  }

  override probe(signal: AbortSignal): Promise<void> {
    return this.#list.probe(signal);
  }
}

function withoutApi(baseUrl: string): string {
  const url = new URL(baseUrl);
  url.pathname = url.pathname.replace(/\/(v1|api)\/?$/, '');
  return url.href;
}
