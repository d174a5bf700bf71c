import { ByteClaim } from '../../common/limits/byte-budget.js';
import type { ProviderConfig } from '../../config/config.schema.js';
import type { ChatGenerationRequest, GenerationChunk, GenerationRequest } from '../../wire/generation.js';
import type { ModelFactsService } from '../model-facts/model-facts.service.js';
import { reportProofs } from '../contract/carried-proofs.js';
import { ModelProvider, type ProviderCall, type ProviderModel } from '../contract/model-provider.js';
import { configuredEndpoint } from '../protocols/endpoint.js';
import { isProviderError, ProviderError } from '../contract/provider-error.js';
import type { HttpTransport } from '../transport/http-transport.js';
import { type AiSdkOptions, aiSdkOptionsOf } from './ai-sdk.type.js';
import { callOptions, versionOptions } from './call-options.js';
import { errorFrom } from './errors.js';
import { checkedModel } from './checked-model.js';
import type { LoadedPackage } from './load-package.js';
import { datasetOf, OfferedModels } from './offered-models.js';
import { type FetchCall, PackageFetch } from './package-fetch.js';
import { carried } from './signatures.js';
import { PartTranslator } from './translator.js';
import { wholeAnswer } from './whole-answer.js';
import type { AiSdkModel, AiSdkVendor } from './wire.js';

/** Names of models whose objects are kept. */
const MAX_MODELS = 1_000;

/** A vendor's package of the AI SDK, at the address of its entry. */
export class AiSdkProvider extends ModelProvider {
  readonly name: string;
  readonly #options: AiSdkOptions;
  readonly #secrets: readonly string[];
  readonly #fetch: PackageFetch;
  readonly #vendor: AiSdkVendor;
  readonly #models = new Map<string, AiSdkModel>();

  constructor(
    readonly id: string,
    private readonly config: ProviderConfig,
    private readonly loaded: LoadedPackage,
    private readonly transport: HttpTransport,
    private readonly facts?: Pick<ModelFactsService, 'of'>,
  ) {
    super();
    this.name = config.name ?? 'AI SDK';
    this.#options = aiSdkOptionsOf(config.options);
    const endpoint = configuredEndpoint(config, () => ({}));
    this.#secrets = endpoint.secrets;
    this.#fetch = new PackageFetch(transport, endpoint);
    this.#vendor = loaded.create({
      // Without one a package would take it from the environment, and send it to an address that is not its vendor's.
      apiKey: config.api_key ?? '',
      baseURL: endpoint.origin + endpoint.basePath,
      ...(Object.keys(endpoint.headers).length > 0 && { headers: endpoint.headers }),
      ...this.#options.settings,
      fetch: this.#fetch.fetch,
    });
  }

  async models(): Promise<readonly ProviderModel[]> {
    const known = await this.facts?.of(datasetOf(this.#options.package));
    return new OfferedModels(this.config, this.loaded.version, known).configured();
  }

  override open(upstreamModel: string): ProviderModel | undefined {
    return new OfferedModels(this.config, this.loaded.version).open(upstreamModel);
  }

  async *generate(request: GenerationRequest, call: ProviderCall): AsyncGenerator<GenerationChunk, void> {
    if (call.signal.aborted) return;
    const end = new AbortController();
    const onAbort = (): void => end.abort();
    call.signal.addEventListener('abort', onAbort, { once: true });
    const { streamed, claim } = { streamed: request.stream, claim: new ByteClaim(this.transport.waiting, call.account) };
    const current: FetchCall = { call, signal: end.signal, claim, streamed, asked: false };
    // The transport limits each request, and not what the package does before and after it.
    const late = this.transport.clock.setTimeout(() => end.abort(tookTooLong(current)), this.config.timeouts.total);
    try {
      if (request.operation !== 'chat') throw new ProviderError('invalid_request', 'This model has no legacy completions');
      if (streamed) yield* this.#streamed(request, current);
      else yield await this.#whole(request, current);
    } catch (error) {
      if (call.signal.aborted) return;
      throw errorFrom(error, this.#secrets, current.status);
    } finally {
      this.transport.clock.clear(late);
      call.signal.removeEventListener('abort', onAbort);
      end.abort();
      await current.body?.return().catch(() => undefined);
      claim.release();
    }
  }

  async *#streamed(request: ChatGenerationRequest, current: FetchCall): AsyncGenerator<GenerationChunk, void> {
    const { model, options, translator } = await this.#prepared(request, current);
    const { stream } = await this.#asked(current, () => model.doStream(options));
    const reader = stream.getReader();
    try {
      while (!translator.ended) {
        const { done, value } = await untilAborted(reader.read(), current.signal);
        if (done) throw new ProviderError('bad_response', 'The answer breaks off');
        const chunk = translator.chunk(value);
        if (chunk) yield chunk;
      }
    } finally {
      reader.cancel().catch(() => undefined);
    }
  }

  async #whole(request: ChatGenerationRequest, current: FetchCall): Promise<GenerationChunk> {
    const { model, options, translator } = await this.#prepared(request, current);
    return wholeAnswer(await this.#asked(current, () => model.doGenerate(options)), translator);
  }

  async #prepared(request: ChatGenerationRequest, current: FetchCall) {
    const { call, signal } = current;
    const model = this.#model(call.upstreamModel);
    const dropped = (parameter: string): void => call.dropped(parameter);
    reportProofs(request, call, (proof, member) => member === 'extra_content' && carried(proof) !== undefined);
    const { provider_options } = this.#options;
    const options = callOptions(request, await model.supportedUrls, provider_options as never, dropped);
    const translator = new PartTranslator(dropped, (error) => errorFrom(error, this.#secrets, current.status));
    return { model, translator, options: versionOptions({ ...options, abortSignal: signal }, model) };
  }

  /** What the package makes of the answer to its request, which it has made with our `fetch`. */
  async #asked<Result>(current: FetchCall, ask: () => PromiseLike<Result>): Promise<Result> {
    const result = await untilAborted(this.#fetch.during(current, ask), current.signal);
    if (current.asked) return result;
    throw new ProviderError(
      'bad_response',
      `The package ${this.#options.package} has an answer that it has not asked for with its setting fetch`,
    );
  }

  #model(upstreamModel: string): AiSdkModel {
    const known = this.#models.get(upstreamModel);
    if (known) return known;
    const model = this.#vendor.languageModel(upstreamModel);
    checkedModel(model, this.#options.package);
    if (this.#models.size >= MAX_MODELS) this.#models.clear();
    this.#models.set(upstreamModel, model);
    return model;
  }
}

function tookTooLong({ status }: FetchCall): ProviderError {
  return new ProviderError(status === undefined ? 'timeout' : 'total_timeout', 'The package took too long to finish its answer');
}

/** Waits no longer than until the abort, whether a package heeds it or not. */
async function untilAborted<Result>(waiting: PromiseLike<Result>, signal: AbortSignal): Promise<Result> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void =>
    reject(isProviderError(signal.reason) ? signal.reason : new ProviderError('unreachable', 'The request was given up'));
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([waiting, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
