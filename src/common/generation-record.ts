import type { Price } from './credits.js';
import type { Usage } from '../wire/usage.js';

/** How one attempt at one offer ended. Times in milliseconds, from the beginning of the request's generation. */
export interface AttemptRecord {
  /** `provider/model`. */
  readonly offer: string;
  /** `served`, `client_left`, `lost_hedge`, `circuit_open`, `queue_full`, or the kind of the provider's error. */
  outcome: string;
  readonly startedMs: number;
  queueMs?: number;
  firstTokenMs?: number;
  totalMs?: number;
  /** The provider's HTTP status where it refused. */
  status?: number;
  /** In the request's trace, where the provider was told. */
  spanId?: string;
}

/** What became of one generation, filled in as it goes; nothing of what was said but where the operator keeps it. */
export interface GenerationRecord {
  readonly operation: 'chat' | 'completion';
  readonly model: string;
  readonly streamed: boolean;
  readonly attempts: AttemptRecord[];
  readonly dropped: Set<string>;
  /** Beginning of its attempts, on the clock of `performance.now()`. */
  startedAt?: number;
  /** The id of the provider that answers, or else of the one that would have been asked first. */
  provider?: string;
  /** That provider's own name for the model, once it answers. */
  upstreamModel?: string;
  /** One a choice that has ended. */
  finishReasons?: readonly string[];
  outcome?: string;
  usage?: Usage;
  price?: Price;
  /** Nano-credits. */
  charged?: bigint;
  /** JSON of the choices, only under `observability.store_text`. */
  answer?: string;
  /** Of the trace, where it began here and a provider was told. */
  traceId?: string;
}
