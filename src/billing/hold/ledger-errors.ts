import { ApiError, type ErrorAdvice, fixedErrors } from '../../common/api-error.js';
import { formatCredits } from '../../common/prices/credits.js';
import type { BudgetPeriod } from './budget-period.js';
import type { HoldRequest } from './ledger.js';
import { admit } from './worst-case.js';

/** 503: it is not known whether the account can pay. */
export function ledgerUnavailable(cause?: unknown): ApiError {
  return new ApiError('service_unavailable', 'Credits cannot be checked at the moment. Please try again.', { retryAfter: 1 }, { cause });
}

/**
 * 402, with retry-after where the account could pay if no other requests held its money.
 * @param posted nano-credits that the account has in all
 */
export function insufficientCredits(request: HoldRequest, posted: bigint): ApiError {
  return fixedErrors.insufficientCredits(admit(request, posted) ? { retryAfter: 1 } : undefined);
}

const windowNames = { day: 'daily ', month: 'monthly ', ever: '' };

/**
 * 402, with retry-after where the budget could pay if no other requests held its money, or when it renews, if that
 * helps.
 * @param left nano-credits of the budget that are not spent
 * @param now milliseconds since 1970
 */
export function budgetExceeded(period: BudgetPeriod, request: HoldRequest, left: bigint, now: number): ApiError {
  const { kind, window, limit, until } = period;
  const name = `the ${kind}’s ${windowNames[window]}budget of ${formatCredits(limit)} credits`;
  const renews = Number.isFinite(until) ? `It renews at ${new Date(until).toISOString().replace('.000', '')}.` : 'It does not renew.';
  const message = `This request could cost more than is left of ${name}. ${renews}`;
  return new ApiError('budget_exceeded', message, adviceOf(period, request, left, now));
}

function adviceOf({ until, limit }: BudgetPeriod, request: HoldRequest, left: bigint, now: number): ErrorAdvice {
  if (admit(request, left)) return { retryAfter: 1 };
  if (!Number.isFinite(until) || !admit(request, limit)) return { retry: false };
  return { retryAfter: Math.max(1, Math.ceil((until - now) / 1000)), retry: false };
}
