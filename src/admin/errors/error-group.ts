import { ApiError } from '../../common/api-error.js';
import type { ErrorCause } from '../../observability/request-conditions.js';

/** The id of a group of requests that ended in the same error: what they have in common. */
export const groupId = ({ code, model, offer, outcome }: ErrorCause): string =>
  Buffer.from(JSON.stringify([code, model, offer, outcome])).toString('base64url');

/** @throws ApiError 400 invalid_request for what is no id of a group */
export function causeOf(id: string): ErrorCause {
  try {
    const [code, model, offer, outcome] = JSON.parse(Buffer.from(id, 'base64url').toString()) as (string | null)[];
    const cause = { code, model, offer, outcome };
    if (Object.values(cause).every((value) => value === null || typeof value === 'string') && code !== null) return cause as ErrorCause;
  } catch {
    // It is refused below.
  }
  throw new ApiError('invalid_request', 'error_group is not the id of a group of errors');
}
