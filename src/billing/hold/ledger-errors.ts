import { ApiError, fixedErrors } from '../../common/api-error.js';
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
