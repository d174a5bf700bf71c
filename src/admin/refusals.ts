import { ApiError } from '../common/api-error.js';
import { TakenError, unlessAway } from '../database/store-error.js';

/**
 * Calls a store, and turns what it refuses into what the client is told.
 * @throws ApiError 400 invalid_request for a RangeError, 409 conflict for a TakenError, 503 where the store is away
 */
export async function refusals<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await unlessAway(work);
  } catch (error) {
    if (error instanceof RangeError) throw new ApiError('invalid_request', error.message, {}, { cause: error });
    if (error instanceof TakenError) throw new ApiError('conflict', sentence(error.message), {}, { cause: error });
    throw error;
  }
}

/** @throws ApiError 404 not_found where there is nothing */
export function found<T>(what: string, id: string, value: T | undefined): T {
  if (value === undefined) throw new ApiError('not_found', `There is no ${what} '${id}'.`);
  return value;
}

/** @throws ApiError 412 precondition_failed */
export function requireVersion(asked: bigint | undefined, { version }: { readonly version: bigint }): void {
  if (asked !== undefined && asked !== version) throw changedMeanwhile();
}

export function changedMeanwhile(): ApiError {
  return new ApiError('precondition_failed', 'It has changed since: read it again, and send If-Match with its ETag.');
}

function sentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}
