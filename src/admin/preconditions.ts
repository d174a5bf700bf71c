import { ApiError } from '../common/api-error.js';

/** @throws ApiError 404 not_found where there is nothing */
export function found<T>(what: string, id: string, value: T | undefined): T {
  if (value === undefined) throw new ApiError('not_found', `There is no ${what} '${id}'.`);
  return value;
}
