import type { Offer } from '../../catalogue/offer.js';
import { type BreakerState, breakerStates } from '../../inference/routing/circuit-breaker.js';
import type { CircuitReason } from '../../inference/routing/offer-circuit.js';
import type { OfferHealth } from '../../inference/routing/offer-health.js';
import type { Integer } from '../../wire/integer.js';
import type { ModelStatus, Performance } from '../../wire/model.js';
import { isoTime } from '../fields.js';

/** What keeps requests away from an offer that fails. */
export class BreakerView {
  /** One of closed, half_open (some requests try whether it answers again) and open. */
  state: BreakerState;
  /** Since when; null where it has never been anything but closed. */
  since: string | null;
  /**
   * Why it has opened: failures that several accounts have met, trials after a pause that have failed, or probes of the
   * gateway's own. Null where it is closed.
   */
  reason: CircuitReason | null;
  /** When it will be tried again; null where it is not open. */
  retry_at: string | null;
  /** Accounts that are kept away from it because their own requests fail. */
  paused_accounts: Integer;
}

/** What this one process of the gateway knows of an offer since its start. Other processes know other things. */
export class OfferProcessView {
  breaker: BreakerView;
  /** Calls that have begun since the start. */
  attempts: Integer;
  /** Calls under way. */
  running: Integer;
  /** Calls that wait for their turn. */
  waiting: Integer;
  /** Milliseconds, an average of the latest; null before the first. */
  first_token_ms: number | null;
  /** Of one stream, an average of the latest; null before the first. */
  tokens_per_second: number | null;
  /** Share of prompts that its provider reads from a cache, 0 to 1. */
  cached_share: number;
}

/** What came to an offer in the last half hour at all gateways that share the store, some seconds late. */
export class TrafficView {
  /** Calls of it that have ended. */
  calls: Integer;
  /** Its share of the calls of all offers of the model, 0 to 1; null where there were none. */
  share: number | null;
}

/** An offer with how it is doing. */
export class OfferView {
  model: string;
  provider: string;
  upstream_model: string;
  /** Whether it is in service, and if not, why. */
  status: ModelStatus;
  this_process: OfferProcessView;
  traffic: TrafficView;
  /** Of the last half hour at all gateways that share the store, as clients see it, some seconds late. */
  performance: Performance;
}

export function offerView(
  model: string,
  { provider, upstreamModel, status }: Offer,
  health: OfferHealth | undefined,
  performance: Performance,
  traffic: TrafficView,
): OfferView {
  return { model, provider: provider.id, upstream_model: upstreamModel, status, this_process: processView(health), traffic, performance };
}

function processView(health: OfferHealth | undefined): OfferProcessView {
  const circuit = health?.circuit;
  return {
    breaker: {
      state: circuit?.state ?? breakerStates[0],
      since: isoTime(circuit?.since),
      reason: circuit?.reason ?? null,
      retry_at: isoTime(circuit?.opensAt),
      paused_accounts: circuit?.openAccounts ?? 0,
    },
    attempts: health?.attempts ?? 0,
    running: health?.limit.running ?? 0,
    waiting: health?.limit.queued ?? 0,
    first_token_ms: health?.firstTokenMs ?? null,
    tokens_per_second: health?.throughput ?? null,
    cached_share: health?.cachedShare ?? 0,
  };
}
