import type { AttemptRecord } from '../common/requests/generation-record.js';
import { adjustmentsOf } from '../common/prices/charge-lines.js';
import { type ChargeLineView, chargeView } from '../common/prices/charge-view.js';
import type { Integer } from '../wire/integer.js';
import type { RequestHistory } from './request-history.js';
import { requestView, RequestView } from './request-view.js';

/** One call of a provider. Times are milliseconds from the beginning of the generation. */
export class CallView {
  provider: string;
  /**
   * `served`, `client_left`, `lost_hedge`, `circuit_open`, `queue_full`, or the kind of the provider's error;
   * `model_unavailable` where the gateway itself was refused.
   */
  outcome: string;
  /** The provider's HTTP status, where it refused. */
  status: Integer | null;
  started_ms: number;
  /** From the beginning of the generation to the first token of this call; null where there was none. */
  first_token_ms: number | null;
  /** From its beginning, the wait for its turn not counted. */
  duration_ms: number | null;
}

/** A request as the members of its account see it. */
export class AccountRequestView extends RequestView {
  /** The calls of providers, in the order in which they began. */
  timeline: CallView[];
  /** From the beginning of the generation to its first token; null where there was none. */
  first_token_ms: number | null;
  /** What was charged line by line, with what makes the lines come to it; empty where nothing has been settled. */
  charge_lines: ChargeLineView[];
}

export function accountRequestView(one: RequestHistory): AccountRequestView {
  const timeline = one.attempts.map(callView);
  const uncollected = one.uncollected;
  const adjustments = one.charged === undefined ? [] : adjustmentsOf(one.allLines, one.charged + uncollected, uncollected);
  return Object.assign(requestView(one), {
    timeline,
    first_token_ms: firstTokenOf(timeline),
    charge_lines: chargeView(one.allLines, adjustments),
  });
}

/** What is wrong between the gateway and a provider is the operator's business. */
const operators: ReadonlySet<string> = new Set(['authentication', 'insufficient_quota']);

function callView({ offer, outcome, startedMs, queueMs = 0, firstTokenMs, totalMs, status }: AttemptRecord): CallView {
  const hidden = operators.has(outcome);
  return {
    provider: offer.slice(0, offer.indexOf('/')),
    outcome: hidden ? 'model_unavailable' : outcome,
    status: hidden ? null : (status ?? null),
    started_ms: startedMs,
    first_token_ms: firstTokenMs === undefined ? null : rounded(startedMs + queueMs + firstTokenMs),
    duration_ms: totalMs ?? null,
  };
}

function firstTokenOf(timeline: readonly CallView[]): number | null {
  const served = timeline.find(({ outcome }) => outcome === 'served') ?? timeline.find(({ first_token_ms }) => first_token_ms !== null);
  return served?.first_token_ms ?? null;
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
