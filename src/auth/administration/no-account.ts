import { ApiError } from '../../common/api-error.js';

export function noAccount(id: string): ApiError {
  return new ApiError('not_found', `There is no account '${id.slice(0, 200)}'.`);
}
