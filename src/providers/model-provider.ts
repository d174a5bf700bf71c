import type { GenerationChunk, GenerationRequest } from '../wire/generation.js';
import type { Capabilities } from '../wire/model.js';

/** The contract's version; the registry refuses a module that was built for another one. */
export const PROVIDER_CONTRACT_VERSION = 1;

/** Marks a provider across package copies; carries the contract's version. */
export const PROVIDER_BRAND = Symbol.for('switchyard.model-provider');

/**
 * A vendor of models. Extend it, add the module to providers.module.ts, done; `describeProvider` in testing/ tells you
 * when it is right.
 *
 * A provider says where and as whom (base URL, headers, models). Which bytes are spoken is a protocol's business
 * (protocols/).
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

  /**
   * What this provider offers now. Asked at start and on each refresh of the catalogue. A rejection keeps the previous
   * list.
   */
  abstract models(signal: AbortSignal): readonly ProviderModel[] | Promise<readonly ProviderModel[]>;

  /**
   * The answer as deltas: one chunk when `request.stream` is false (more where the vendor streams all the same), many
   * when true. Concatenated deltas of a choice are its text. The last chunk of each choice carries its finish_reason;
   * at most one chunk carries usage (missing usage is counted by the gateway and marked as estimated). Ends, without an
   * error, soon after `call.signal` aborts. Throws ProviderError and nothing else. Never changes the request.
   */
  abstract generate(request: GenerationRequest, call: ProviderCall): AsyncIterable<GenerationChunk>;

  /** A model that `models` does not list, by the vendor's own name, where the operator lets any name pass. */
  open?(upstreamModel: string): ProviderModel | undefined;

  /**
   * Asks whether the provider answers, in the cheapest way that it has and never for money; rejects with what a request
   * would meet (ProviderError). Asked every now and then while there is no traffic. Absent: `models` is asked.
   */
  probe?(signal: AbortSignal): Promise<void>;
}

/** One upstream call. */
export interface ProviderCall {
  /** Aborts when the client leaves, a timer fires or the process ends: close the provider's connection at once. */
  readonly signal: AbortSignal;
  /** UUIDv7 of the client's request, safe to send upstream. */
  readonly requestId: string;
  /** The vendor's own name of the model. */
  readonly upstreamModel: string;
  /** Headers to send along: the call's place in the client's trace, where the operator passes it on. */
  readonly traceHeaders?: Readonly<Record<string, string>>;
  /** Asks the source to pause while the client is slow to read. */
  readonly flow: Flow;
  /**
   * Reports a parameter that the provider cannot take and that does not change the meaning of the answer; named in a
   * response header.
   */
  dropped(parameter: string): void;
}

/** Back-pressure of one answer, set by the client's socket and obeyed by the provider's. */
export interface Flow {
  readonly paused: boolean;
  /** Resolves when the client has caught up, at once if it is not behind. Never rejects. */
  ready(): Promise<void>;
  /** Calls back on each change until the returned function is called. For transports that pause a socket. */
  onChange(listener: (paused: boolean) => void): () => void;
}

/** Credits per 1,000 tokens as decimal text or number; at most 9 decimals. */
export interface ProviderPrice {
  readonly prompt: string | number;
  readonly completion: string | number;
}

/** A model as its provider offers it: facts about the model, as data. */
export interface ProviderModel {
  /** The value clients pass as `model`. */
  readonly id: string;
  /** The vendor's own name where it differs from `id`. */
  readonly upstreamModel?: string;
  /** Unix timestamp in seconds. */
  readonly created: number;
  /** Absent: no price is known, and the model is inactive for live keys until configuration sets one. */
  readonly price?: ProviderPrice;
  /** Tokens, prompt and output together. */
  readonly contextLength: number;
  /** Tokens of output at most. */
  readonly maxTokens: number;
  readonly capabilities: Capabilities;
  /**
   * Optional parameters this model honours, in wire terms (`temperature`, `tools`, `logprobs`, `suffix`, `echo`, `n`,
   * `seed` ...). What would change the meaning of the answer and is not listed is refused before any credit is held.
   */
  readonly parameters: readonly string[];
  readonly inputModalities?: readonly string[];
  readonly outputModalities?: readonly string[];
  /** A conversation that ends with a message of the assistant is answered with the rest of that message alone. */
  readonly continues?: boolean;
  /**
   * Legacy completions are answered through the chat operation, where the operator allows it and the model has none of
   * its own.
   */
  readonly completionsViaChat?: boolean;
  /**
   * Failures are part of what it answers: they are neither retried nor counted against it; what it serves is measured.
   */
  readonly simulated?: boolean;
  /** Absent: active. */
  readonly status?: { readonly active: boolean; readonly message: string };
}
