import { firstRequestId, newRequestId } from '../requests/request-id.js';

/** An id as of a request that was made then. @param time milliseconds since 1970 */
export function requestIdAt(time: number): string {
  const first = firstRequestId(time);
  return first + newRequestId().slice(first.length);
}
