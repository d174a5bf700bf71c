import { ApiError } from '../common/api-error.js';

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
