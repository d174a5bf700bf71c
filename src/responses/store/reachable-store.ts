import { ApiError } from '../../common/api-error.js';

/**
 * What is asked of the store.
 * @throws ApiError 503 service_unavailable where the store does not answer, or what it refuses
 */
export async function reachable<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    throw new ApiError('service_unavailable', 'Stored responses cannot be reached now. Please retry.', { retryAfter: 1 }, { cause });
  }
}
