import { formatCredits, formatDecimal } from '../common/prices/credits.js';
import { type ChargeLineView, chargeView } from '../common/prices/charge-view.js';
import type { Integer } from '../wire/integer.js';
import type { ChargeSums } from './charge-report.js';
import { metadataName, type NamedDimension, type UsageDimension, type UsageSum } from './usage-report.js';

/** What requests have used and cost together. Of what is summed by, each field is there that was asked for. */
export class UsageView {
  /** As 2026-11-21, in UTC. */
  day?: string;
  account?: string;
  /** Empty where the key is of none. */
  project?: string;
  key?: string;
  /** The first key of those that have replaced one another. */
  first_key?: string;
  model?: string;
  provider?: string;
  environment?: string;
  outcome?: string;
  /** What the keys have in their metadata under the names that were asked for; empty where they have nothing there. */
  metadata?: Record<string, string>;
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
    ...dimensionsView(of),
    requests,
    prompt_tokens: Number(promptTokens),
    completion_tokens: Number(completionTokens),
    credits: formatCredits(amount),
    collected: formatCredits(collected),
    uncollected: formatCredits(uncollected),
  };
}

function dimensionsView(of: UsageSum['of']): Pick<UsageView, NamedDimension | 'metadata'> {
  const values = Object.entries(of) as [UsageDimension, string][];
  const metadata = values.flatMap(([dimension, value]) => {
    const name = metadataName(dimension);
    return name === undefined ? [] : [[name, value] as const];
  });
  const named = values.filter(([dimension]) => metadataName(dimension) === undefined);
  return { ...Object.fromEntries(named), ...(metadata.length > 0 && { metadata: Object.fromEntries(metadata) }) };
}

export function chargesView({ lines, adjustments, saved }: ChargeSums): ChargesView {
  return { components: chargeView(lines, adjustments), saved_by_cache: formatDecimal(saved, 12) };
}
