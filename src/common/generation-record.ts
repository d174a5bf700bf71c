import type { Price } from './credits.js';
import type { Usage } from '../wire/usage.js';

/** How one attempt at one offer ended. All times are milliseconds; `startedMs` counts from the generation's start. */
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
  /** Id of its span in the request's trace, where the provider was sent one. */
  spanId?: string;
}

/** What happened to one generation, filled in as it proceeds. It has no text unless the operator stores texts. */
export interface GenerationRecord {
  readonly operation: 'chat' | 'completion';
  readonly model: string;
  readonly streamed: boolean;
  readonly attempts: AttemptRecord[];
  readonly dropped: Set<string>;
  /** When its attempts began, on the clock of `performance.now()`. */
  startedAt?: number;
  /** Id of the provider that answers, or otherwise of the one that would have been asked first. */
  provider?: string;
  /** That provider's name for the model, once it answers. */
  upstreamModel?: string;
  /** One for each choice that has ended. */
  finishReasons?: readonly string[];
  outcome?: string;
  usage?: Usage;
  price?: Price;
  /** What was charged, in nano-credits. */
  charged?: bigint;
  /** JSON of the choices, only where `observability.store_text` is set. */
  answer?: string;
  /** Id of the trace, where the trace began here and a provider was sent it. */
  traceId?: string;
}
