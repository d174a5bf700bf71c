import type { ProviderConfig } from '../../config/config.schema.js';
import type { GenerationRequest } from '../../wire/generation.js';
import type { Usage } from '../../wire/usage.js';
import type { ModelProvider } from '../model-provider.js';
import type { ProviderErrorKind } from '../provider-error.js';
import type { ProviderServices } from '../provider-services.js';
import type { CollectedChoice } from './collect.js';

/** One answer in the vendor's bytes, and what a client must read from it. */
export interface ProviderFixture {
  readonly name: string;
  /** Whether it streams is set by the suite. */
  readonly request: GenerationRequest;
  /** The body of the answer that is not streamed. */
  readonly whole?: Buffer;
  /** The body of the same answer, streamed. */
  readonly stream?: Buffer;
  readonly expect: {
    /**
     * Fields that are left out are null or empty. The id of a tool call may be left to the provider:
     * `expect.any(String)`.
     */
    readonly choices: readonly Partial<CollectedChoice>[];
    /** Undefined where the vendor counts no tokens. */
    readonly usage?: Usage;
  };
}

/** An answer of the vendor's that is an error, and the kind that it has to become. */
export interface ProviderFailure {
  readonly name: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** The body is a stream's. */
  readonly streamed?: boolean;
  readonly kind: ProviderErrorKind;
  readonly retryAfterMs?: number;
  /** What the message must say; vendors' texts are kept for the kinds that speak of the request. */
  readonly message?: RegExp;
}

/** An entry of the configuration whose address is the loopback upstream's. */
export interface SuiteEntry {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly timeouts: ProviderConfig['timeouts'];
  /** The same, as a factory gets it. */
  readonly config: ProviderConfig;
  /** Closed by the suite. */
  readonly services: ProviderServices;
}

export interface ProviderSuite {
  readonly name: string;
  /** A new provider that asks this address with this key. */
  create(entry: SuiteEntry): ModelProvider;
  /** Closes what `create` opened of its own. */
  close?(): Promise<void>;
  readonly fixtures: readonly ProviderFixture[];
  readonly failures: readonly ProviderFailure[];
  /** An error body in the vendor's shape. */
  errorBody(status: number, message: string): string;
  /** One event in the middle of a stream: repeated, it is an answer without end. */
  readonly event: string;
  /** The vendor's list of models; left out where the provider brings its own. */
  readonly modelList?: string;
  /** Tests that do not apply, by their names, and why. */
  readonly skip?: readonly { readonly reason: string; readonly tests: RegExp }[];
}
