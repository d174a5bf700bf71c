import { ApiError } from '../common/api-error.js';

/** @throws ApiError 400 unsupported_parameter, which names the tool */
export function refuseHosted(type: unknown, where: string): never {
  const name = String(type).slice(0, 100);
  throw new ApiError(
    'unsupported_parameter',
    `${where}: '${name}' is a hosted tool, or of one, and not supported here: declare a function or a custom tool, and run it in the client`,
  );
}
