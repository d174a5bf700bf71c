import type { Claim } from '../../billing/idempotency-store.js';
import { ApiError } from '../../common/api-error.js';

/** Official clients retry after a 409 unless a header says otherwise. */
const FINAL = { retry: false };

const conflicts = {
  running: ['A request with this Idempotency-Key is still running.', { retryAfter: 1 }],
  other_request: ['This Idempotency-Key was sent before with another request.', FINAL],
  ended: ['The request with this Idempotency-Key has ended, and its answer is not kept. It was charged once at most.', FINAL],
} as const;

/** 409 for a key that belongs to another request. */
export function conflict(kind: Exclude<Claim['kind'], 'claimed' | 'answered'>): ApiError {
  const [message, advice] = conflicts[kind];
  return new ApiError('idempotency_conflict', message, advice);
}

/** 503 where the store cannot tell whether the key was sent before. */
export function unknownKey(cause?: unknown): ApiError {
  const message = 'The Idempotency-Key cannot be checked at the moment. Please try again.';
  return new ApiError('service_unavailable', message, { retryAfter: 1 }, { cause });
}
