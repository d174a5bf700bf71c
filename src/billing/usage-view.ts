import { formatCredits, formatDecimal } from '../common/credits.js';
import { type ChargeLineView, chargeView } from '../common/prices/charge-view.js';
import type { Integer } from '../wire/integer.js';
import type { ChargeSums } from './charge-report.js';
import type { UsageSum } from './usage-report.js';

/** What requests have used and cost together. Of what is summed by, each field is there that was asked for. */
export class UsageView {
  /** As 2026-11-21, in UTC. */
  day?: string;
  account?: string;
  /** Empty where the key is of none. */
  project?: string;
  key?: string;
  model?: string;
  provider?: string;
  environment?: string;
  outcome?: string;
  requests: Integer;
  prompt_tokens: Integer;
  completion_tokens: Integer;
  /** What was charged. */
  credits: string;
  /** Part of it that was collected beyond what was held. */
  collected: string;
  /** What was owed beside it, and could not be collected. */
  uncollected: string;
}

/** What was charged, component by component. Amounts are credits. */
export class ChargesView {
  components: ChargeLineView[];
  saved_by_cache: string;
}

export function usageView({ of, requests, promptTokens, completionTokens, amount, collected, uncollected }: UsageSum): UsageView {
  return {
    ...of,
    requests,
    prompt_tokens: Number(promptTokens),
    completion_tokens: Number(completionTokens),
    credits: formatCredits(amount),
    collected: formatCredits(collected),
    uncollected: formatCredits(uncollected),
  };
}

export function chargesView({ lines, adjustments, saved }: ChargeSums): ChargesView {
  return { components: chargeView(lines, adjustments), saved_by_cache: formatDecimal(saved, 12) };
}
