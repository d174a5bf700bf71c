import { formatCredits } from '../../common/prices/credits.js';
import type { StoredEvent } from '../../database/outbox.js';
import { periodNamed } from '../hold/budget-period.js';

/**
 * What is told of a budget that has come to its end in one of its periods.
 * @param name of the period
 * @param limit nano-credits
 * @param spent nano-credits; less than the limit where a request was refused because the rest could not pay for it
 */
export function budgetReached(name: string, accountId: string, limit: bigint, spent: bigint): StoredEvent {
  const { kind, id, environment, window, until } = periodNamed(name);
  return {
    type: 'budget.reached',
    accountId,
    data: {
      account_id: accountId,
      environment,
      scope: kind,
      project_id: kind === 'project' ? id : null,
      key_id: kind === 'key' ? id : null,
      window,
      amount: formatCredits(limit),
      spent: formatCredits(spent),
      renews_at: Number.isFinite(until) ? new Date(until).toISOString() : null,
    },
  };
}
