import type { OperationName } from '../../wire/operations.js';
import type { Price } from '../prices/credits.js';
import type { Usage } from '../../wire/usage.js';

/**
 * How one attempt at one offer went. Times are milliseconds; `startedMs` counts from the beginning of the request's
 * generation.
 */
export class AttemptRecord {
  /** `served`, `client_left`, `lost_hedge`, `circuit_open`, `queue_full`, or the kind of the provider's error. */
  outcome = 'served';
  queueMs?: number;
  firstTokenMs?: number;
  totalMs?: number;
  /** The provider's HTTP status, where it refused. */
  status?: number;
  /** Where the gateway has marked the request for the provider's cache. */
  cacheBreakpoints?: readonly string[];
  /** Whether the counts of the provider contradict each other. */
  contradictory?: true;
  /** The id of the attempt's span, where the provider was told one. */
  spanId?: string;

  constructor(
    /** `provider/model`. */
    readonly offer: string,
    readonly startedMs: number,
  ) {}
}

/** Stores what is known of a request together with its charge. */
export interface RecordKeeper {
  /**
   * @param record JSON of the columns that usage rows have for it
   * @returns false where the charge is on its way to the store already, or there is none
   */
  keepRecord(record: string): boolean;
}

/**
 * What is known of one generation, filled in while it runs. It holds text of an answer only where the operator keeps
 * texts.
 */
export class GenerationRecord {
  readonly attempts: AttemptRecord[] = [];
  readonly dropped = new Set<string>();
  /** When its attempts began, in monotonic milliseconds. */
  startedAt?: number;
  /** The id of the provider that answers, or else of the one that would have been asked first. */
  provider?: string;
  /** That provider's own name for the model, once it answers. */
  upstreamModel?: string;
  /** The finish reason of each choice that has ended. */
  finishReasons?: readonly string[];
  outcome?: string;
  /** Only where the client has left and the provider's usage is waited for: resolved once the record is complete. */
  settled?: Promise<void>;
  /** Only where the generation goes on after its request was answered: resolved once the record is complete. */
  background?: Promise<void>;
  usage?: Usage;
  price?: Price;
  /** What was charged, in nano-credits. */
  charged?: bigint;
  /** Whoever has charged it. */
  keeper?: RecordKeeper;
  /** The choices as JSON, only under `observability.store_text`. */
  answer?: string;
  /** The id of the trace, where it began at this gateway and a provider was told of it. */
  traceId?: string;

  constructor(
    readonly operation: OperationName,
    readonly model: string,
    readonly streamed: boolean,
    /** The name under which it is counted, where that is not the model's own: a client has made that one up. */
    readonly countedAs?: string,
  ) {}
}
