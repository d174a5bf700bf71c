import type { ProviderConfig } from '../../config/config.schema.js';
import type { EmbeddingAnswer, EmbeddingRequest } from '../../wire/embedding.js';
import type { GenerationRequest } from '../../wire/generation.js';
import type { Usage } from '../../wire/usage.js';
import type { ModelProvider } from '../contract/model-provider.js';
import type { ProviderErrorKind } from '../contract/provider-error.js';
import type { ProviderServices } from '../kit/provider-services.js';
import type { CollectedChoice } from './collect.js';
import type { Accepts, RecordedRequest } from './loopback-upstream.js';

/** One response in the vendor's bytes, and what a client must read from it. */
export interface ProviderFixture {
  readonly name: string;
  /** The suite sets `stream`. */
  readonly request: GenerationRequest;
  /** What the body of the vendor's request has at least, as the suite's `requestBody` reads it. */
  readonly sends?: object;
  /** The body of the response that is not streamed. */
  readonly whole?: Buffer;
  /** The body of the same response, streamed. */
  readonly stream?: Buffer;
  readonly expect: {
    /**
     * A field that is left out is expected to be null or empty. The provider may make the ids of tool calls:
     * `expect.any(String)`.
     */
    readonly choices: readonly Partial<CollectedChoice>[];
    /** Undefined where the vendor counts no tokens. */
    readonly usage?: Usage;
  };
}

/** One answer to a call for embeddings in the vendor's bytes, and what the provider must make of it. */
export interface EmbeddingsFixture {
  readonly name: string;
  readonly request: EmbeddingRequest;
  /** The vendor's own name of the model. */
  readonly upstreamModel: string;
  /** What the body of the vendor's request has at least, as the suite's `requestBody` reads it. */
  readonly sends: object;
  readonly answer: string;
  /** Headers of the answer beside its content type. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly expect: EmbeddingAnswer;
}

/** An error response of the vendor, and the kind that it has to become. */
export interface ProviderFailure {
  readonly name: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** Whether the body is that of a stream. */
  readonly streamed?: boolean;
  readonly kind: ProviderErrorKind;
  readonly retryAfterMs?: number;
  /** What the message must contain. The vendor's text is kept for the kinds that speak of the request. */
  readonly message?: RegExp;
}

/** An entry of the configuration whose address is the loopback upstream's. */
export interface SuiteEntry {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly timeouts: ProviderConfig['timeouts'];
  /** The same entry as a factory gets it. */
  readonly config: ProviderConfig;
  /** Used by the provider. */
  readonly services: ProviderServices;
  /** Closes the connections of `services`. The suite does so itself. */
  close(): Promise<void>;
}

export interface ProviderSuite {
  readonly name: string;
  /** Makes a provider that uses this address and this key. */
  create(entry: SuiteEntry): ModelProvider;
  /** Closes what `create` opened. */
  close?(): Promise<void>;
  readonly fixtures: readonly ProviderFixture[];
  readonly failures: readonly ProviderFailure[];
  /** Where the provider has embeddings. */
  readonly embeddings?: readonly EmbeddingsFixture[];
  /** An error body in the vendor's shape. */
  errorBody(status: number, message: string): string;
  /** One event from the middle of a stream. Repeated, it is a response without end. */
  readonly event: string | Buffer;
  /** The content types of responses; absent: `text/event-stream` and `application/json`. */
  readonly contentTypes?: { readonly stream?: string; readonly whole?: string };
  /**
   * Where the frames of a stream end, as offsets. Absent: after each empty line, as in server-sent events, and after
   * each line where the stream is of another type.
   */
  frameEnds?(stream: Buffer): readonly number[];
  /** Reads the body of a request to the vendor; absent: JSON. */
  requestBody?(bytes: Buffer): unknown;
  /**
   * Whether a request proves that its sender has the key: computes a signature again. Absent: the key stands in a
   * header.
   */
  carriesKey?(request: RecordedRequest, apiKey: string): boolean | Promise<boolean>;
  /**
   * What the vendor takes, in the words of its refusal or by a schema of its requests (`takenBySchema`): a test whose request it refuses
   * fails.
   */
  readonly accepts?: Accepts;
  /** The body of the vendor's list of models; left out where the provider brings its own. */
  readonly modelList?: string;
  /** Tests that do not apply, by their names, with the reason. */
  readonly skip?: readonly { readonly reason: string; readonly tests: RegExp }[];
}
