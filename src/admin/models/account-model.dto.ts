import { type CatalogueModel, eligible, statusOf } from '../../catalogue/catalogue-model.js';
import type { LivePerformance } from '../../catalogue/live-performance.js';
import type { ModelHealth } from '../../catalogue/model-health.js';
import { modelOf } from '../../catalogue/model-list.js';
import type { PastTotals } from '../../observability/performance-history.js';
import { addTotals, noTotals, performanceOf, type Totals } from '../../catalogue/performance.js';
import type { Integer } from '../../wire/integer.js';
import type { Model } from '../../wire/model.js';
import { isoTime } from '../fields.js';

/** How a model did in an interval, for all accounts together. */
export class PastPerformanceView {
  /** When the interval begins. */
  time: string;
  /** Calls of its providers. */
  calls: Integer;
  /** Milliseconds to the first token, on average; null where nothing was streamed. */
  first_token_ms: number | null;
  /** Of one answer, on average; null where there was none. */
  tokens_per_second: number | null;
  /** Share of the calls that were served, in per cent. */
  uptime_percentage: number;
}

/** A model that the account's rules allow, as `GET /v1/models` shows it with details. */
export interface AccountModelView extends Model {
  /** Ids of the providers that offer it to the account, in the order of preference. */
  providers: readonly string[];
  /** Whether it has a price: where it has none, those of `pricing` are 0. */
  priced: boolean;
  /** Milliseconds to the first token in the last half hour, on average; null where nothing was streamed. */
  first_token_ms: number | null;
  /** Intervals of the last 24 hours in which it was called. */
  history: PastPerformanceView[];
}

/** @param past by time, of all offers of the page's models */
export function accountModelView(
  model: CatalogueModel,
  account: string,
  past: readonly PastTotals[],
  performance: LivePerformance,
  health: ModelHealth,
): AccountModelView {
  return {
    ...modelOf(model, statusOf(model, health, account), performance.read(model.offers), true),
    providers: model.offers.map(({ provider }) => provider.id),
    priced: eligible(model.offers).some(({ price }) => price !== undefined),
    first_token_ms: firstTokenOf(performance.totals(model.offers)),
    history: historyOf(model, past),
  };
}

function historyOf({ offers }: CatalogueModel, past: readonly PastTotals[]): PastPerformanceView[] {
  const names = new Set(offers.map(({ name }) => name));
  const byTime = new Map<number, Totals>();
  for (const one of past) {
    if (!names.has(`${one.provider}/${one.model}`)) continue;
    let sum = byTime.get(one.time);
    if (!sum) byTime.set(one.time, (sum = noTotals()));
    addTotals(sum, one);
  }
  return [...byTime].map(([time, totals]) => {
    const { avg_tokens_per_second, uptime_percentage } = performanceOf(totals);
    return {
      time: isoTime(time),
      calls: totals.served + totals.failed,
      first_token_ms: firstTokenOf(totals),
      tokens_per_second: totals.served > 0 ? avg_tokens_per_second : null,
      uptime_percentage,
    };
  });
}

function firstTokenOf({ streams, firstTokenMs }: Totals): number | null {
  return streams > 0 ? Math.round(firstTokenMs / streams) : null;
}
