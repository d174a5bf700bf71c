import type { PriceQuote } from '../../common/prices/credits.js';
import type { CacheBreakpoint } from '../../config/provider.schema.js';
import type { EmbeddingAnswer, EmbeddingRequest } from '../../wire/embedding.js';
import type { GenerationChunk, GenerationRequest } from '../../wire/generation.js';
import type { Modality } from '../../wire/media-part.js';
import type { Abilities } from '../../wire/model.js';
import type { Wire } from '../../wire/native.js';
import type { RerankAnswer, RerankRequest } from '../../wire/rerank.js';
import type { RequestRules } from './request-rules.js';

/** The contract's version; the registry refuses a module that was built for another one. */
export const PROVIDER_CONTRACT_VERSION = 1;

/** Marks a provider, also of another copy of this package. Its value is the version of the contract. */
export const PROVIDER_BRAND = Symbol.for('switchyard.model-provider');

/**
 * A vendor of models. To add one, extend this class and add its module to registry/providers.module.ts;
 * `describeProvider` in testing/ tells when it is right.
 *
 * A provider knows the address, the credentials and the models. A protocol (protocols/) knows the format.
 */
export abstract class ModelProvider {
  get [PROVIDER_BRAND](): number {
    return PROVIDER_CONTRACT_VERSION;
  }

  /**
   * Stable slug: `provider.id` and `owned_by` on the wire, label in logs and metrics. Lower-case letters, digits,
   * dashes.
   */
  abstract readonly id: string;

  /** Human name: `provider.name` on the wire. */
  abstract readonly name: string;

  /** Whether it is there for tests: live keys do not reach its models where another provider has some. */
  readonly forTests: boolean = false;

  /**
   * The models that this provider offers now. Called at start and on each refresh of the catalogue. A rejection keeps
   * the previous list.
   */
  abstract models(signal: AbortSignal): readonly ProviderModel[] | Promise<readonly ProviderModel[]>;

  /**
   * Generates the response as deltas: one chunk when `request.stream` is false (more where the vendor streams all the
   * same), many when it is true. The joined deltas of a choice are its text. The last chunk of each choice carries its
   * finish_reason; at most one chunk carries usage (missing usage is counted by the gateway and marked as estimated).
   * The iteration ends, without an error, soon after `call.signal` aborts. It throws ProviderError and nothing else. It
   * never changes the request.
   */
  abstract generate(request: GenerationRequest, call: ProviderCall): AsyncIterable<GenerationChunk>;

  /**
   * Makes an embedding of each input. Absent: the provider has no embeddings, whatever its models say. It rejects soon
   * after `call.signal` aborts, and with ProviderError alone. It never changes the request.
   */
  embed?(request: EmbeddingRequest, call: ProviderCall): Promise<EmbeddingAnswer>;

  /** Scores each input by the query. Otherwise as `embed`. */
  rerank?(request: RerankRequest, call: ProviderCall): Promise<RerankAnswer>;

  /** Offers a model that `models` does not list, by the vendor's own name, where the operator lets any name pass. */
  open?(upstreamModel: string): ProviderModel | undefined;

  /**
   * Asks whether the provider answers, in the cheapest way that it has and never for money. Rejects with what a request
   * would meet (ProviderError). Called from time to time while there is no traffic. Where it is absent, `models` is
   * called.
   */
  probe?(signal: AbortSignal): Promise<void>;

  /**
   * Frees what the provider holds. Called once, when its entry of the configuration has changed or gone and the
   * requests have ended that may ask it, and when the gateway ends. A provider that a Nest module brings itself has
   * Nest's own hooks instead.
   */
  close?(): void | Promise<void>;
}

/** What models are able to do only where their provider has the method for it. */
export const optionalMethods = [
  ['embeddings', 'embed'],
  ['rerank', 'rerank'],
] as const satisfies (readonly [keyof Abilities, keyof ModelProvider])[];

/** One upstream call. */
export interface ProviderCall {
  /**
   * Aborts when the client leaves, a timer fires or the process ends. The provider's connection is then to be closed at
   * once.
   */
  readonly signal: AbortSignal;
  /** UUIDv7 of the client's request, safe to send upstream. */
  readonly requestId: string;
  /** The vendor's own name of the model. */
  readonly upstreamModel: string;
  /** The id of the account that asks. Memory is shared out by it; it is not to be sent upstream. */
  readonly account?: string;
  /** Headers to be sent with the request: the call's place in the client's trace, where the operator passes it on. */
  readonly traceHeaders?: Readonly<Record<string, string>>;
  /** Asks the source to pause while the client is slow to read. */
  readonly flow: Flow;
  /**
   * Reports a parameter that the provider cannot take and that does not change the meaning of the response. A response
   * header names it.
   */
  dropped(parameter: string): void;
}

/** Back-pressure of one response, which the client's socket sets and the provider's obeys. */
export interface Flow {
  readonly paused: boolean;
  /** Resolves when the client has caught up; at once if it is not behind. Never rejects. */
  ready(): Promise<void>;
  /** Calls back on each change until the returned function is called. For transports that pause a socket. */
  onChange(listener: (paused: boolean) => void): () => void;
}

/**
 * Credits per 1,000 tokens as decimal text or number; at most 9 decimals. Components, and tiers of long prompts, may
 * stand beside `prompt` and `completion`.
 */
export type ProviderPrice = PriceQuote;

/** Tokens of one part by what it holds. */
export type InputCeilings = Readonly<Partial<Record<Modality, number>>>;

/** What one call over inputs may have, and what an answer with embeddings has. */
export interface EmbeddingLimits {
  /** Numbers of an embedding, where the request does not say how many; absent: nobody knows. */
  readonly dimensions?: number;
  /** Inputs of one call at most; absent: 2,048. Requests with more are answered by several calls. */
  readonly inputs?: number;
  /** Tokens of one call at most, of all of its inputs together; absent: no more than each input may have. */
  readonly tokens?: number;
  /** Whether inputs may be arrays of token ids; absent: they are refused. */
  readonly tokenIds?: boolean;
}

/** What a provider may do beside generating, as it is counted. */
export type HostedCall = 'search' | 'hosted_call';

/** A model as its provider offers it: facts about the model, as data. */
export interface ProviderModel {
  /** The value clients pass as `model`: 1 to 512 characters without control characters, or the model is left out. */
  readonly id: string;
  /** The vendor's own name where it differs from `id`. */
  readonly upstreamModel?: string;
  /** Unix timestamp in seconds. */
  readonly created: number;
  /** Absent: no price is known, and the model is inactive for live keys until configuration sets one. */
  readonly price?: ProviderPrice;
  /** Whether the operator has written the price, and nobody else. */
  readonly ownPrice?: boolean;
  /** What the vendor does and counts for requests that do not ask for it. */
  readonly hostedCalls?: readonly HostedCall[];
  /** Types of the hosted tools that it has for requests in the Responses format, without dates; absent: none. */
  readonly hostedTools?: readonly string[];
  /** The format whose settings it reads, and items of its hosted tools (`NativeRequest.beyond`); absent: none. */
  readonly nativeItems?: Wire;
  /** Whether its answers list each of these calls, so that there was none where they list none. */
  readonly listsHostedCalls?: boolean;
  /** Tokens of prompt and output together. */
  readonly contextLength: number;
  /** Output tokens at most. */
  readonly maxTokens: number;
  /** Output tokens that are asked for where the client names no limit; absent: `maxTokens`. */
  readonly defaultTokens?: number;
  readonly capabilities: Abilities;
  /** Only of models that make embeddings, or score texts. `contextLength` is then that of one input. */
  readonly embeddings?: EmbeddingLimits;
  /**
   * Optional parameters that this model honours, under their names in the wire format (`temperature`, `tools`,
   * `logprobs`, `suffix`, `echo`, `n`, `seed` ...). A parameter that would change the meaning of the response and is
   * not listed is refused before any credit is held.
   */
  readonly parameters: readonly string[];
  /**
   * Tokens that one part of a message counts at most which holds media. A model that is paid for takes no parts of a
   * modality that is absent.
   */
  readonly inputCeilings?: InputCeilings;
  /** Whether it is given ids that point into the operator's account at the vendor; absent: it is not. */
  readonly accountIds?: boolean;
  /** Host and port of the provider, which reads addresses of media there as files of the operator's account. */
  readonly ownHost?: string;
  /** Whether it is given addresses of media that are not on the public web; absent: it is not. */
  readonly internalMedia?: boolean;
  /**
   * Whether marks of caching in messages and tools (`cache_control`) mean something to it. Absent: they go on where
   * writing to its cache has a price.
   */
  readonly cacheMarks?: boolean;
  /** Where the gateway sets such marks for clients that set none; absent: nowhere. */
  readonly cacheBreakpoints?: readonly CacheBreakpoint[];
  readonly inputModalities?: readonly string[];
  readonly outputModalities?: readonly string[];
  /**
   * Whether it reasons, and `max_tokens` does not limit the reasoning: its output limit is then held. `asked`: nobody
   * knows, so that it is held for requests that ask for reasoning.
   */
  readonly hiddenReasoning?: boolean | 'asked';
  /**
   * Whether a conversation that ends with a message of the assistant is answered with the rest of that message only.
   */
  readonly continues?: boolean;
  /**
   * Whether legacy completions are answered through the chat operation, where the operator allows it and the model has
   * none of its own.
   */
  readonly completionsViaChat?: boolean;
  /**
   * Whether failures are part of what the model answers: they are then neither retried nor counted against it. What it
   * serves is measured.
   */
  readonly simulated?: boolean;
  /**
   * Whether the vendor bills for a request that is left before its first token, as most do: its prompt has been read.
   * Absent: it does.
   */
  readonly billsAborted?: boolean;
  /** Whether prompts of legacy completions may be token ids, one list for each; absent: they are refused. */
  readonly tokenIdPrompts?: boolean;
  /**
   * Whether a `max_tokens` beyond its own is lowered to it instead of being refused. Absent: as the operator says for
   * all models.
   */
  readonly lowersMaxTokens?: boolean;
  /** What its vendor takes of a chat; absent: no limit is known. */
  readonly rules?: RequestRules;
  /** Absent: active. */
  readonly status?: { readonly active: boolean; readonly message: string };
}
