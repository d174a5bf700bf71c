import type { ProviderConfig } from '../../config/config.schema.js';
import type { EmbeddingAnswer, EmbeddingRequest } from '../../wire/embedding.js';
import type { ChatGenerationRequest, GenerationChunk, GenerationRequest } from '../../wire/generation.js';
import type { JsonObject } from '../../wire/json-object.js';
import { reportProofs } from '../contract/carried-proofs.js';
import type { Dataset } from '../model-facts/model-facts.js';
import type { ModelFactsService } from '../model-facts/model-facts.service.js';
import { ModelProvider, type ProviderCall, type ProviderModel } from '../contract/model-provider.js';
import { askOnce } from '../protocols/ask-once.js';
import { configuredEndpoint, type Endpoint, requestTo } from '../protocols/endpoint.js';
import type { ResponseDecoder } from '../protocols/response-decoder.js';
import { ResponseReader } from '../protocols/response-reader.js';
import { translatedJson } from '../protocols/translated-json.js';
import type { StreamFraming } from '../protocols/stream-framing.js';
import { ProviderError } from '../contract/provider-error.js';
import { PushedChunks } from '../contract/pushed-chunks.js';
import { takesProof } from '../translation/signed-thinking.js';
import type { HttpTransport } from '../transport/http-transport.js';
import type { Sign } from '../transport/upstream-request.js';
import type { AwsPackages } from './aws-packages.js';
import type { BedrockOptions } from './bedrock.options.js';
import { ConverseDecoder } from './decoder.js';
import { embeddingFamily, embeddingsIn } from './embeddings.js';
import { converseError, streamedError } from './error.js';
import { EVENT_FRAMES, EventFrames, eventStreamCodec } from './event-frames.js';
import { InvokedMessagesDecoder, invokedBody } from './invoked-messages.js';
import { fetchModelList, probeModelList } from './model-list.js';
import { foundationModel, operationOf, pathOfModel } from './model-name.js';
import { type BedrockTraits, traitsOf } from './model-traits.js';
import { configuredModels, listedModels, openModel } from './offered-models.js';
import { converseRequest } from './request.js';
import { requestSigner } from './request-signer.js';

interface Endpoints {
  /** Where models are asked. */
  readonly runtime: Endpoint;
  /** Where models are listed. */
  readonly control: Endpoint;
}

/** @param sign absent where a bearer key is sent */
function endpointsOf(config: ProviderConfig, { control_url }: BedrockOptions, sign: Sign | undefined): Endpoints {
  const at = (base_url: string): Endpoint => ({
    ...configuredEndpoint({ ...config, base_url }, (key) => ({ authorization: `Bearer ${key}` })),
    ...(sign && { sign }),
  });
  return { runtime: at(config.base_url), control: at(control_url ?? controlAddress(config.base_url)) };
}

/** AWS's own addresses differ in the first word of their host; another address serves both. */
function controlAddress(runtime: string): string {
  const url = new URL(runtime);
  url.hostname = url.hostname.replace(/^bedrock-runtime(?=(-fips)?\.)/, 'bedrock');
  return url.href;
}

/** The vendor's names in public data sets. */
export const dataset: Dataset = { genaiPrices: 'aws', modelsDev: 'amazon-bedrock' };

/** What one request is sent as. */
interface Asked {
  readonly body: object;
  readonly decoder: ResponseDecoder;
  /** The path of the operation. */
  readonly operation: string;
}

interface Services {
  readonly transport: HttpTransport;
  readonly facts?: Pick<ModelFactsService, 'of'>;
  /** Is told each secret that is fetched. */
  hide(secret: string): void;
}

/**
 * Amazon Bedrock by its Converse API: `POST model/{modelId}/converse` and `converse-stream`, with a bearer key where
 * the entry has one, otherwise signed. Embeddings by InvokeModel, `POST model/{modelId}/invoke`, and so messages that
 * clients have written in Anthropic's form. No legacy completions.
 */
export class BedrockProvider extends ModelProvider {
  readonly name: string;
  readonly #options: BedrockOptions;
  readonly #runtime: Endpoint;
  readonly #control: Endpoint;
  readonly #framing: StreamFraming;
  #traits: ReadonlyMap<string, BedrockTraits> = new Map();

  constructor(
    readonly id: string,
    private readonly config: ProviderConfig,
    packages: AwsPackages,
    private readonly services: Services,
  ) {
    super();
    this.name = config.name ?? 'Amazon Bedrock';
    this.#options = config.options as unknown as BedrockOptions;
    const hide = (secret: string) => services.hide(secret);
    const sign = config.api_key === undefined ? requestSigner(packages, this.#options, hide) : undefined;
    const { runtime, control } = endpointsOf(config, this.#options, sign);
    this.#runtime = runtime;
    this.#control = control;
    const codec = eventStreamCodec(packages.EventStreamCodec);
    const failed = (name: string, payload: string) => streamedError(name, payload, runtime.secrets);
    this.#framing = { contentType: EVENT_FRAMES, parser: () => new EventFrames(codec, failed) };
  }

  /**
   * The configured models, completed with what is known of them; without configured models, those that are listed for
   * the account in its region.
   * @throws ProviderError where the list is needed and does not come in time
   */
  async models(signal: AbortSignal): Promise<readonly ProviderModel[]> {
    const { transport, facts } = this.services;
    const { inference_profile: prefix } = this.#options;
    const terms = { config: this.config, prefix, publicFacts: await facts?.of(dataset) };
    const offered = this.config.models
      ? configuredModels(this.config.models, terms)
      : listedModels(await fetchModelList(transport, this.#control, prefix, signal), terms);
    this.#traits = new Map(offered.map(({ model, traits }) => [model.upstreamModel, traits]));
    return offered.map(({ model }) => model);
  }

  generate(request: GenerationRequest, call: ProviderCall): AsyncIterable<GenerationChunk> {
    return new PushedChunks(call, (observer) => {
      if (request.operation !== 'chat') throw new ProviderError('invalid_request', 'This model has no legacy completions');
      const traits = this.#traits.get(call.upstreamModel) ?? this.#unlistedTraits(call.upstreamModel);
      const { secrets } = this.#runtime;
      const { body, decoder, operation } = this.#asked(request, call, traits);
      const isInvoked = decoder instanceof InvokedMessagesDecoder;
      reportProofs(request, call, (proof, member) => (member === 'citations' ? isInvoked : takesProof(proof, member)));
      const reader = new ResponseReader({ call, streamed: request.stream, secrets, framing: this.#framing }, decoder, observer);
      const headers = { 'content-type': 'application/json', ...call.traceHeaders };
      reader.send(this.services.transport, requestTo(this.#runtime, { operation, headers, body: translatedJson(body, request) }));
      return reader;
    });
  }

  #asked(request: ChatGenerationRequest, call: ProviderCall, traits: BedrockTraits): Asked {
    const { upstreamModel } = call;
    const dropped = (parameter: string): void => call.dropped(parameter);
    const invoked = invokedBody(request, traits, this.#options, dropped);
    if (invoked) {
      const operation = `${pathOfModel(upstreamModel)}/${request.stream ? 'invoke-with-response-stream' : 'invoke'}`;
      return { body: invoked, decoder: new InvokedMessagesDecoder(this.#runtime.secrets, request.hosted_tools), operation };
    }
    request.native?.beyond?.forEach(dropped);
    const { body, jsonTool } = converseRequest(request, traits, this.#options, dropped);
    return { body, decoder: new ConverseDecoder(jsonTool), operation: operationOf(upstreamModel, request.stream) };
  }

  override async embed(request: EmbeddingRequest, call: ProviderCall): Promise<EmbeddingAnswer> {
    const family = embeddingFamily(foundationModel(call.upstreamModel, call.upstreamModel));
    if (!family) throw new ProviderError('invalid_request', 'The model has no embeddings that are known');
    const asked = requestTo(this.#runtime, {
      operation: `${pathOfModel(call.upstreamModel)}/invoke`,
      headers: { 'content-type': 'application/json', accept: 'application/json', ...call.traceHeaders },
      body: translatedJson(family.body(request), request),
    });
    const { secrets } = this.#runtime;
    const wire = {
      failed: converseError,
      read: (answer: JsonObject, headers: Readonly<Record<string, string | readonly string[] | undefined>>) =>
        embeddingsIn(answer, headers, family),
    };
    return askOnce(this.services.transport, asked, call, secrets, wire);
  }

  override open(upstreamModel: string): ProviderModel | undefined {
    return openModel(upstreamModel, { config: this.config, prefix: this.#options.inference_profile });
  }

  #unlistedTraits(upstreamModel: string): BedrockTraits {
    const traits = traitsOf(foundationModel(upstreamModel));
    return { ...traits, maxTokens: this.config.open?.max_tokens ?? traits.maxTokens };
  }

  override probe(signal: AbortSignal): Promise<void> {
    return probeModelList(this.services.transport, this.#control, signal);
  }
}
