import type { SubjectKind } from '../auth/rules/principal-rules.js';
import { ApiError } from '../common/api-error.js';
import type { Pool } from './pool.js';

const whose: Record<SubjectKind, string> = { key: 'API key', project: 'project', account: 'account' };

/** Seconds after which to ask again for a place: nobody knows when a request ends. */
const PLACE_WAIT = 1;

/**
 * 429 that says which limit of what was reached, and in how many whole seconds there will be enough for a request
 * alone.
 */
export function limitRefusal(pool: Pool, subject: SubjectKind, units: number, now: number): ApiError {
  const of = `of this ${whose[subject]}`;
  const wait = pool.until(units, now);
  if (wait === undefined) {
    const message = `The concurrency limit ${of} is reached: at most ${pool.limit} requests at the same time. Please try again when one of them has ended.`;
    return new ApiError('rate_limit_exceeded', message, { retryAfter: PLACE_WAIT });
  }
  const retryAfter = Math.max(1, Math.ceil(wait / 1_000));
  const { remaining } = pool.state(now);
  const message = `The limit ${of} is reached: ${pool.limit} ${pool.kind} per minute, of which ${remaining} are left and ${units} were asked for. Please try again in ${retryAfter} s.`;
  return new ApiError('rate_limit_exceeded', message, { retryAfter });
}
