import type { Price } from './credits.js';
import type { Usage } from '../wire/usage.js';

/**
 * How one attempt at one offer went. Times are milliseconds; `startedMs` counts from the beginning of the request's
 * generation.
 */
export interface AttemptRecord {
  /** `provider/model`. */
  readonly offer: string;
  /** `served`, `client_left`, `lost_hedge`, `circuit_open`, `queue_full`, or the kind of the provider's error. */
  outcome: string;
  readonly startedMs: number;
  queueMs?: number;
  firstTokenMs?: number;
  totalMs?: number;
  /** The provider's HTTP status, where it refused. */
  status?: number;
  /** The id of the attempt's span, where the provider was told one. */
  spanId?: string;
}

/**
 * What is known of one generation, filled in while it runs. It holds text of an answer only where the operator keeps
 * texts.
 */
export interface GenerationRecord {
  readonly operation: 'chat' | 'completion';
  readonly model: string;
  readonly streamed: boolean;
  readonly attempts: AttemptRecord[];
  readonly dropped: Set<string>;
  /** When its attempts began, on the clock of `performance.now()`. */
  startedAt?: number;
  /** The id of the provider that answers, or else of the one that would have been asked first. */
  provider?: string;
  /** That provider's own name for the model, once it answers. */
  upstreamModel?: string;
  /** The finish reason of each choice that has ended. */
  finishReasons?: readonly string[];
  outcome?: string;
  usage?: Usage;
  price?: Price;
  /** What was charged, in nano-credits. */
  charged?: bigint;
  /** The choices as JSON, only under `observability.store_text`. */
  answer?: string;
  /** The id of the trace, where it began at this gateway and a provider was told of it. */
  traceId?: string;
}
