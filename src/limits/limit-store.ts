import type { Rate } from '../common/limits/gcra.js';

/** What a process asks of the bucket of a subject, in units. */
export interface BucketAsk {
  readonly subject: string;
  readonly kind: 'requests' | 'tokens';
  readonly rate: Rate;
  /** For requests that wait; as Bucket.lease. */
  readonly need: number;
  /** For requests that are expected. */
  readonly want: number;
  /** What the process does not use of what it had; negative where it has used more. */
  readonly back: number;
}

export interface BucketAnswer {
  /** Units that the process may use from now on. */
  readonly granted: number;
  /** What is left then, in parts; negative in debt. */
  readonly level: number;
}

/**
 * What a process asks of the places of a subject. It says all that it wants to have, so that a repetition is harmless.
 */
export interface PlacesAsk {
  readonly subject: string;
  readonly limit: number;
  /** Its open requests. */
  readonly used: number;
  /** Places that it wants to have, those included. */
  readonly wanted: number;
}

export interface PlacesAnswer {
  /** Places that the process has from now on. */
  readonly granted: number;
  /** Places that others have. */
  readonly others: number;
}

/** Milliseconds after which the places of a process that says nothing are free. */
export const PLACES_TTL = 10_000;

/**
 * What all gateways count together. Each method answers in the order of what is asked, at most once for each subject
 * and kind.
 */
export interface LimitStore {
  buckets(asks: readonly BucketAsk[]): Promise<BucketAnswer[]>;
  places(asks: readonly PlacesAsk[]): Promise<PlacesAnswer[]>;
  /** Deletes what says nothing any more; called every hour. */
  sweep(): Promise<void>;
}

/** Whoever asks the store for the pools of a process (limit-exchange.ts). */
export interface Exchange<Leased> {
  /** Resolves when the store has answered a question that the pool's is in, or is away. Never rejects. */
  ask(pool: Leased): Promise<void>;
}
